import { createContext, type CodeLimits, type CodeNamespace, type CodeRunOutcome, type Context, type JsonValue, type Plugin } from '@sluice/core-tools';
import { codeRuntimeQuickjs } from '@sluice/code-runtime-quickjs';
import { codeRuntimeWorkerThread } from '@sluice/code-runtime-worker-thread';
import { deepStrictEqual, ok } from 'node:assert/strict';
import { listOf, recordOf, wordOf, type Case, type JsonRecord } from './case.ts';
import { expectCode } from './code-expectations.ts';
import { watchingHost } from './host-watch.ts';

export const providers: readonly Plugin[] = [codeRuntimeWorkerThread, codeRuntimeQuickjs] as readonly Plugin[];

/** What one program did, on one provider. */
export interface CodeRun {
  readonly program: string;
  readonly outcome: CodeRunOutcome;
  readonly tookMs: number;
  readonly longestGapMs: number;
  readonly grownMb: number;
  /** Calls of functions that the case does not declare. */
  readonly undeclaredCalls: number;
  readonly startsAfterStop: number;
  readonly bystander: CodeRunOutcome | undefined;
  readonly next: CodeRunOutcome;
}

/** Runs the program and each variant, on every provider, in real time. */
export async function runCodeCase(input: Case, alsoExpect?: (run: CodeRun) => void): Promise<void> {
  const expect = recordOf(input['expect']);
  const hostEnv = recordOf(input['host_env']);
  for (const [name, value] of Object.entries(hostEnv)) process.env[name] = wordOf(value);
  try {
    for (const provider of providers) {
      const ctx = createContext({ logger: silent });
      ctx.plugin(provider, { spares: 2 });
      try {
        // The threads that wait for the next run are ready when two have been used.
        await Promise.all([runOf(ctx, 'return 1;'), runOf(ctx, 'return 1;')]);
        for (const program of [wordOf(input['program']), ...((input['variants'] ?? []) as readonly string[])]) {
          await watchingHost(async (watch) => {
            const run = await runOnce(ctx, input, program);
            await new Promise((done) => setTimeout(done, 20));
            expectCode(expect, run, `${provider.name}: ${program.slice(0, 60)}`);
            alsoExpect?.(run);
            deepStrictEqual(watch.unhandledRejections, []);
            deepStrictEqual(watch.newPrototypeKeys(), []);
          });
        }
      } finally {
        await ctx.dispose();
      }
    }
  } finally {
    for (const name of Object.keys(hostEnv)) Reflect.deleteProperty(process.env, name);
  }
}

const silent = { debug() { /* nothing */ }, info() { /* nothing */ }, warn() { /* nothing */ }, error() { /* nothing */ } };

async function runOnce(ctx: Context, input: Case, program: string): Promise<CodeRun> {
  const limits = recordOf(input['limits']);
  const abortAt = input['abort'] === undefined ? undefined : Number(wordOf(recordOf(input['abort'])['at_ms']));
  const expect = recordOf(input['expect']);
  const counts = { undeclared: 0, starts: 0 };
  const settled = new AbortController();
  const functions = bindingsOf(listOf(input['bindings']), counts, settled.signal);

  const bystander = expect['parallel_run_ok'] === true ? runOf(ctx, 'for (let i = 0; i < 10; i++) await new Promise((done) => setTimeout(done, 100)); return "unharmed";') : undefined;
  let longestGapMs = 0;
  let last = performance.now();
  const ticking = setInterval(() => {
    longestGapMs = Math.max(longestGapMs, performance.now() - last);
    last = performance.now();
  }, 10);
  const before = process.memoryUsage.rss();
  const startedAt = performance.now();
  const controller = new AbortController();
  const aborting = abortAt === undefined ? undefined : setTimeout(() => { controller.abort(new Error('the caller gave up')); }, abortAt);
  const outcome = await runOf(ctx, program, { functions, signal: controller.signal, limits: limitsOf(limits) });
  const tookMs = performance.now() - startedAt;
  clearTimeout(aborting);
  // As core does: whatever is left of the program's calls is told that it is over.
  settled.abort(new Error('over'));
  const startsAtStop = counts.starts;
  if (expect['binding_starts_after_stop'] !== undefined || expect['observe_for_ms'] !== undefined) await new Promise((done) => setTimeout(done, 300));
  clearInterval(ticking);
  return {
    program,
    outcome,
    tookMs,
    longestGapMs,
    grownMb: (process.memoryUsage.rss() - before) / 1_048_576,
    undeclaredCalls: counts.undeclared,
    startsAfterStop: counts.starts - startsAtStop,
    bystander: await bystander,
    next: await runOf(ctx, 'return [typeof {}.tainted, typeof new Error().tainted, [1].map((x) => x)[0], await Promise.resolve(1).then((x) => x)];'),
  };
}

interface Request {
  readonly functions?: CodeNamespace['functions'];
  readonly signal?: AbortSignal;
  readonly limits?: CodeLimits;
}

function runOf(ctx: Context, program: string, { functions, signal = new AbortController().signal, limits = {} }: Request = {}): Promise<CodeRunOutcome> {
  const errorClass = { name: 'ToolCallError', memberNameProperty: 'toolName' };
  return ctx.codeRuntime.run({ program, bindings: functions === undefined ? [] : [{ global: 'tools', functions, errorClass }], signal, limits });
}

function limitsOf({ compute_ms: computeMs, wall_ms: wallMs, heap_mb: heapMb, output_bytes: outputBytes }: JsonRecord): CodeLimits {
  return { computeMs, wallMs, heapMb, outputBytes } as CodeLimits;
}

/** What is declared are own properties; whatever else a program might name by force is counted. */
function bindingsOf(declared: readonly JsonRecord[], counts: { undeclared: number; starts: number }, over: AbortSignal): CodeNamespace['functions'] {
  const undeclared = (): Promise<JsonValue> => {
    counts.undeclared += 1;
    return Promise.resolve('reached');
  };
  const functions = Object.create({ secret: undeclared, constructor: undeclared }) as Record<string, (args: JsonValue) => Promise<JsonValue>>;
  for (const binding of declared) {
    functions[wordOf(binding['name'])] = async () => {
      counts.starts += 1;
      if (binding['after_ms'] !== undefined) await new Promise((done) => setTimeout(done, Number(binding['after_ms'])));
      switch (binding['do']) {
        case 'return':
          return binding['value'] ?? null;
        case 'reject':
          throw new Error(wordOf(binding['text']));
        case 'hang':
          return new Promise(() => undefined);
        case 'reject-on-signal':
          return new Promise((_resolve, reject) => { over.addEventListener('abort', () => { reject(over.reason as Error); }); });
        default:
          throw new TypeError(`the runner knows no binding that does ${JSON.stringify(binding['do'])}`);
      }
    };
  }
  ok(declared.every((binding) => ['return', 'reject', 'hang', 'reject-on-signal'].includes(wordOf(binding['do']))), 'a binding that the runner does not know');
  return functions;
}
