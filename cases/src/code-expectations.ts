import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { wordOf, type JsonRecord } from './case.ts';
import type { CodeRun } from './code-case.ts';

/** Expressions that the case wants to be true of the host, spelt out: the runner does not evaluate text. */
const HOST_CHECKS: Readonly<Record<string, () => boolean>> = {
  '({}).tainted === undefined': () => !('tainted' in {}),
  'new Error().tainted === undefined': () => !('tainted' in new Error()),
  '[1].map(x=>x)[0] === 1': () => [1].map((x) => x)[0] === 1,
};

/**
 * Compares one run with what the case expects. Pieces that must be found are those of the program that was run: a variant need not
 * say what only the main program prints. A program that reaches for `process` fails by itself, before any limit.
 */
export function expectCode(expect: JsonRecord, run: CodeRun, what: string): void {
  const { outcome, program } = run;
  const { error, logs } = outcome;
  const told = JSON.stringify(outcome);
  const wantsNumber = (word: string, found: number): void => {
    if (expect[word] !== undefined) ok(found <= Number(expect[word]), `${what}: ${word} is ${expect[word] as number}, found ${found}`);
  };
  const isWithoutProcess = /\bprocess\./.test(program) && error?.kind === 'exception' && error.message.includes('process is not defined');

  switch (expect['outcome']) {
    case 'failure':
      ok(error !== undefined, `${what}: expected a failure, got ${told.slice(0, 300)}`);
      break;
    case 'failure-or-success-with-log':
      ok(error !== undefined || logs.length > 0, `${what}: nothing tells of the failure`);
      break;
    case 'any':
      break;
    default:
      throw new TypeError(`the runner knows no outcome ${JSON.stringify(expect['outcome'])}`);
  }
  if (expect['kind_in'] !== undefined && !isWithoutProcess) {
    // An engine that refuses a string or a buffer that is too long tells the program so, and spends no memory on it.
    const isRefused = error?.kind === 'exception' && /^(RangeError: (Invalid string length|Array buffer allocation failed)|InternalError: string too long)/.test(error.message);
    ok((expect['kind_in'] as readonly string[]).includes(isRefused ? 'out-of-memory' : (error?.kind ?? '')), `${what}: ${error?.kind ?? 'no failure'}: ${error?.message.slice(0, 200) ?? ''}`);
  }
  const pieces = (word: string): readonly string[] => ((expect[word] ?? []) as readonly string[]).filter((piece) => program.includes(piece));
  for (const piece of pieces('logs_include')) ok(logs.join('\n').includes(piece), `${what}: the log lacks ${piece}`);
  for (const piece of pieces('mentions_anywhere')) ok(told.includes(piece), `${what}: nothing mentions ${piece}`);
  for (const piece of (expect['nothing_contains'] ?? []) as readonly string[]) ok(!told.includes(piece), `${what}: ${piece} is told`);
  for (const check of (expect['host_checks'] ?? []) as readonly string[]) {
    const isTrue = HOST_CHECKS[check];
    if (isTrue === undefined) throw new TypeError(`the runner knows no host check ${wordOf(check)}`);
    ok(isTrue(), `${what}: ${check} does not hold`);
  }
  wantsNumber('within_ms', run.tookMs);
  wantsNumber('host_max_timer_gap_ms', run.longestGapMs);
  wantsNumber('logs_max_bytes', Buffer.byteLength(JSON.stringify(logs)));
  wantsNumber('host_memory_growth_mb_max', run.grownMb);
  wantsNumber('undeclared_binding_runs', run.undeclaredCalls);
  wantsNumber('binding_starts_after_stop', run.startsAfterStop);
  if (run.bystander !== undefined) deepStrictEqual(run.bystander, { logs: [], value: 'unharmed' }, what);
  if (expect['next_run_ok'] === true || expect['next_run_clean'] === true) deepStrictEqual(run.next.value, ['undefined', 'undefined', 1, 1], what);
  if (expect['result_count'] !== undefined) strictEqual(expect['result_count'], 1);
}
