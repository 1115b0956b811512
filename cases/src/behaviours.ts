import { runInThisContext } from 'node:vm';
import { ToolError, type JsonObject, type JsonValue, type ToolDefinition, type ToolRun } from '@sluice/core-tools';
import { recordOf, type JsonRecord, wordOf } from './case.ts';
import { after } from './clock.ts';

/** One run of a body. */
export interface BodyRun {
  readonly tool: string;
  readonly callId: string;
  readonly args: JsonValue;
  readonly beganMs: number;
  endedMs?: number;
  /** Why its signal was aborted, if it was when the body ended. */
  abortReason?: unknown;
}

type Body = (args: JsonRecord, exec: ToolRun) => unknown;

/** Promises that nobody keeps, so that a case can hang; all are kept when the case is over. */
export class Hangs {
  readonly #ends: (() => void)[] = [];

  forever(): Promise<never> {
    return new Promise((resolve) => this.#ends.push(resolve as () => void));
  }

  end(): void {
    for (const end of this.#ends) end();
  }
}

/** The tool that a case describes. Its body notes each run in `runs`. @throws TypeError for a behaviour that is not known */
export function toolOf(tool: JsonRecord, runs: BodyRun[], hangs: Hangs): ToolDefinition {
  const name = wordOf(tool['name']);
  const body = bodyOf(recordOf(tool['behaviour']), hangs);
  return {
    name,
    description: 'A tool of a case.',
    parameters: (tool['schema'] ?? { type: 'object' }) as JsonObject,
    output: { schema: {}, render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
    ...timeoutOf(tool),
    ...(tool['concurrency'] === undefined ? {} : { isConcurrencySafe: () => tool['concurrency'] === 'parallel' }),
    async execute(args: unknown, exec: ToolRun) {
      const run: BodyRun = { tool: name, callId: exec.callId, args: args as JsonValue, beganMs: performance.now() };
      runs.push(run);
      const { signal } = exec;
      try {
        return (await body(args as JsonRecord, exec)) as JsonValue;
      } finally {
        run.endedMs = performance.now();
        if (signal.aborted) run.abortReason = signal.reason;
      }
    },
  };
}

function bodyOf(behaviour: JsonRecord, hangs: Hangs): Body {
  const delayMs = Number(behaviour['after_ms'] ?? 0);
  const listens = behaviour['signal'] !== 'ignore';
  switch (behaviour['do']) {
    case 'record-args-and-return':
    case 'return':
      return async () => {
        if (delayMs > 0) await after(delayMs);
        return behaviour['value'];
      };
    case 'return-arg-after':
      return async (args) => {
        await after(Number(args[wordOf(behaviour['delay_arg'])]));
        return args;
      };
    case 'throw_js':
      return async () => {
        if (delayMs > 0) await after(delayMs);
        throw evaluate(behaviour['expr']);
      };
    case 'return-declared-failure':
      // A body of ours has no other way to say that it failed.
      return () => {
        const text = wordOf(behaviour['text']);
        throw new ToolError(text, { content: [{ type: 'text', text }] });
      };
    case 'hang':
      return (_args, { signal }) => (listens ? untilAborted(signal) : hangs.forever());
    case 'wait-for-signal-and-report':
      return (_args, { signal }) => untilAborted(signal);
    default:
      throw new TypeError(`no such behaviour: ${JSON.stringify(behaviour)}`);
  }
}

function timeoutOf(tool: JsonRecord): { timeoutMs?: number } {
  if (tool['timeout_ms_js'] !== undefined) return { timeoutMs: evaluate(tool['timeout_ms_js']) as number };
  return tool['timeout_ms'] === undefined ? {} : { timeoutMs: Number(tool['timeout_ms']) };
}

/** JavaScript of a case, for values that JSON cannot say. In this realm, so that an `Error` is one of ours. */
function evaluate(expression: JsonValue | undefined): unknown {
  return runInThisContext(`(${wordOf(expression)})`);
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => { reject(signal.reason as Error); }, { once: true });
  });
}
