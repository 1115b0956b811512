import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { createContext, type Context } from '@sluice/core-tools';
import type { CodeErrorKind, CodeLimits, CodeNamespace, CodeRunOutcome, CodeRunRequest } from '@sluice/code-runtime';

/** What a check may ask of the provider's configuration. */
export interface CodeRuntimeConfig {
  readonly limits?: CodeLimits;
  readonly maxConcurrent?: number;
  readonly maxQueued?: number;
  readonly spares?: number;
}

export interface CodeRuntimeFixture {
  /** Mounts the provider of `codeRuntime`, for programs in TypeScript. */
  readonly mount: (ctx: Context, config: CodeRuntimeConfig) => void;
}

export type Functions = CodeNamespace['functions'];

export interface RunOptions extends Partial<Omit<CodeRunRequest, 'program'>> {
  /** Functions of the namespace `tools`, whose errors are `ToolCallError`s. */
  readonly functions?: Functions;
}

export interface CodeRuntimeWorld {
  readonly ctx: Context;
  readonly run: (program: string, options?: RunOptions) => Promise<CodeRunOutcome>;
}

export interface CodeRuntimeCheck {
  readonly name: string;
  readonly config?: CodeRuntimeConfig;
  run(world: CodeRuntimeWorld): Promise<void>;
}

export async function withRuntime({ mount }: CodeRuntimeFixture, check: CodeRuntimeCheck): Promise<void> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => { unhandled.push(reason); };
  process.on('unhandledRejection', note);
  const ctx = createContext({ logger: silent });
  try {
    mount(ctx, { spares: 0, ...check.config });
    await ctx.ready();
    await check.run({ ctx, run: (program, options) => run(ctx, program, options) });
  } finally {
    await ctx.dispose();
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
  }
  deepStrictEqual(unhandled, [], 'the host saw unhandled rejections');
}

const silent = { debug: noop, info: noop, warn: noop, error: noop };
function noop(): void {
  // Failures are asserted where they are expected.
}

export function run(ctx: Context, program: string, { functions, ...request }: RunOptions = {}): Promise<CodeRunOutcome> {
  const bindings = functions === undefined ? [] : [toolsNamespace(functions)];
  return ctx.codeRuntime.run({ program, bindings, signal: new AbortController().signal, ...request });
}

export function toolsNamespace(functions: Functions): CodeNamespace {
  return { global: 'tools', functions, errorClass: { name: 'ToolCallError', memberNameProperty: 'toolName', properties: ['code'] } };
}

/** Asserts that the program returned `value` and printed nothing. */
export function returned(outcome: CodeRunOutcome, value: unknown): void {
  deepStrictEqual(outcome, value === undefined ? { logs: [] } : { logs: [], value });
}

/** Asserts the kind of a failure and pieces of its words; gives the words back. */
export function failedWith(outcome: CodeRunOutcome, kind: CodeErrorKind | readonly CodeErrorKind[], ...pieces: readonly string[]): string {
  const { error } = outcome;
  ok(error !== undefined, `expected a failure, got ${JSON.stringify(outcome).slice(0, 300)}`);
  ok((typeof kind === 'string' ? [kind] : kind).includes(error.kind), `expected ${String(kind)}, got ${error.kind}: ${error.message.slice(0, 300)}`);
  strictEqual('value' in outcome, false);
  for (const piece of pieces) ok(error.message.includes(piece), `"${error.message.slice(0, 300)}" does not mention ${piece}`);
  return error.message;
}

export function refusesRequest(work: () => Promise<unknown>, piece: string): Promise<void> {
  return rejects(work, (error: unknown) => error instanceof TypeError && error.message.includes(piece));
}

/** Nothing that a program reads may tell where the host keeps its files. */
export function tellsNoPaths(text: string): void {
  for (const piece of ['file:', 'node:', 'node_modules', '.js:', 'sluice:', process.cwd()]) {
    ok(!text.includes(piece), `"${text.slice(0, 400)}" tells of ${piece}`);
  }
}
