import type { CodeRunOutcome, CodeRunRequest, CodeRuntime, JsonValue } from '../src/index.ts';
import { inspect } from 'node:util';

/** Runs programs in this process, unguarded: enough to test what core does around a runtime. */
export function inProcessRuntime(overrides: Partial<CodeRuntime> = {}): CodeRuntime {
  return { language: 'typescript', isolation: 'none', run, ...overrides };
}

interface Failing {
  readonly message: string;
  readonly [member: string]: unknown;
}

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<JsonValue | undefined>;

async function run({ program, bindings, signal }: CodeRunRequest): Promise<CodeRunOutcome> {
  const logs: string[] = [];
  const log = (...values: unknown[]): void => {
    logs.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
  };
  const globals: Record<string, unknown> = { console: { log } };
  for (const { global, functions, errorClass } of bindings) {
    const ProgramError = class extends Error {};
    if (errorClass !== undefined) globals[errorClass.name] = ProgramError;
    globals[global] = Object.fromEntries(
      Object.entries(functions).map(([name, call]) => [
        name,
        async (args: JsonValue) => {
          try {
            return await call(args);
          } catch (thrown) {
            const failing = thrown as Failing;
            const error = new ProgramError(failing.message);
            const members = errorClass === undefined ? {} : { [errorClass.memberNameProperty]: name };
            const more = Object.fromEntries((errorClass?.properties ?? []).map((property) => [property, failing[property]]));
            throw Object.assign(error, members, more);
          }
        },
      ]),
    );
  }
  const stopped = new Promise<CodeRunOutcome>((resolve) => {
    const stop = (): void => { resolve({ logs, error: { kind: 'abort', message: String(signal.reason) } }); };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  const ran = new AsyncFunction(...Object.keys(globals), `'use strict';${program}`)(...Object.values(globals)).then(
    (value): CodeRunOutcome => (value === undefined ? { logs } : { logs, value }),
    (error: unknown): CodeRunOutcome => ({ logs, error: { kind: 'exception', message: error instanceof Error ? error.message : String(error) } }),
  );
  return Promise.race([ran, stopped]);
}
