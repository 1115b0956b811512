import { expect, onTestFinished } from 'vitest';
import { createContext, tools, type Context, type PluginHandle, type ToolExecutionResult } from '../src/index.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly data?: unknown;
}

export interface Bed {
  readonly ctx: Context;
  /** Everything that was logged, in order; nothing is printed. */
  readonly log: LogLine[];
  /** The mounted `tools` plugin. */
  readonly handle: PluginHandle;
}

export interface BedOptions {
  /** Config of the `tools` plugin. */
  readonly config?: object;
  /** Milliseconds that disposal waits for bodies that ignore their signal. Default 1_000. */
  readonly graceMs?: number;
}

/** A context with tools mounted and a silent, recording logger. Disposed after the test, which fails if anything is left. */
export function setup(options: BedOptions = {}): Bed {
  const bed = makeBed(options);
  // Not afterEach: modules are evaluated once for all test files, so a hook out here would serve only the first.
  onTestFinished(() => emptied(bed.ctx));
  return bed;
}

/** The same for a part of a test, such as one run of a property. */
export async function withBed<T>(use: (bed: Bed) => T | Promise<T>, options: BedOptions = {}): Promise<T> {
  const bed = makeBed(options);
  try {
    return await use(bed);
  } finally {
    await emptied(bed.ctx);
  }
}

/** Disposes and proves that nothing is left: no plugin, scope, service, listener, contribution, effect or running call. */
export async function emptied(ctx: Context): Promise<void> {
  await ctx.dispose();
  const { counts, children } = ctx.inspect();
  expect({ counts, children }).toEqual({
    counts: { plugins: 0, scopes: 0, services: 0, listeners: 0, contributions: 0, effects: 0, running: 0 },
    children: [],
  });
}

/** `ok`, or the code of the failure. */
export function codeOf(result: ToolExecutionResult): string {
  return result.isError ? result.error.info.code : 'ok';
}

/** What the model reads: the text blocks, one per line. */
export function textOf(result: ToolExecutionResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** The lines of one level. */
export function linesOf(log: readonly LogLine[], level: LogLine['level']): string[] {
  return log.filter((line) => line.level === level).map((line) => line.message);
}

function makeBed({ config, graceMs = 1_000 }: BedOptions): Bed {
  const log: LogLine[] = [];
  const record =
    (level: LogLine['level']) =>
    (message: string, data?: unknown): void => {
      log.push(data === undefined ? { level, message } : { level, message, data });
    };
  const logger = { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
  const ctx = createContext({ logger, graceMs });
  const handle = ctx.plugin(tools, config);
  return { ctx, log, handle };
}
