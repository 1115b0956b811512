import { describe, expect, it } from 'vitest';
import { readCase, type Case, type Json } from '../src/case.ts';
import { runCodeCase } from '../src/code-case.ts';
import { runCase } from '../src/run-case.ts';

/** The case with other expectations, and without what would only take longer. */
function expecting(id: string, words: Readonly<Record<string, Json>>, more: Readonly<Record<string, Json>> = {}): Case {
  const input = readCase(id);
  return { ...input, variants: [], ...more, expect: { outcome: 'any', ...words } };
}

describe('the runner of programs notices', () => {
  it.each<[id: string, words: Readonly<Record<string, Json>>, more?: Readonly<Record<string, Json>>]>([
    ['H115', { kind_in: ['abort'] }],
    ['H115', { within_ms: 1 }],
    ['H115', { logs_include: ['void'] }],
    ['H115', { host_max_timer_gap_ms: 0 }],
    ['H117', { logs_max_bytes: 10 }],
    ['H117', { host_memory_growth_mb_max: -1000 }],
    ['H121', { mentions_anywhere: ['await'] }],
    ['H121', { outcome: 'failure' }, { program: 'return 1;' }],
    ['H121', { outcome: 'failure-or-success-with-log' }, { program: 'return 1;' }],
    ['H123', { nothing_contains: ['function'] }],
    ['H123', { host_checks: ['1 === 2'] }],
    ['H125', { outcome: 'dance' }],
    ['H125', { undeclared_binding_runs: -1 }],
    ['H127', { binding_starts_after_stop: -1 }],
  ])('%s if it expected %j', async (id, words, more) => {
    await expect(runCase(expecting(id, words, more))).rejects.toThrow();
  }, 60_000);

  it('words that it does not understand', async () => {
    await expect(runCase({ ...readCase('H121'), mood: 'good' })).rejects.toThrow('mood');
    await expect(runCase(expecting('H121', { joy: true }))).rejects.toThrow('joy');
    await expect(runCodeCase({ ...readCase('H121'), bindings: [{ name: 'x', do: 'dance' }] })).rejects.toThrow('binding');
  }, 60_000);
});

describe('what programs of cases stand for, beyond their inputs', () => {
  it('H121: every way to lose an error is told in its own words', async () => {
    await runCodeCase(readCase('H121'), ({ program, outcome }) => {
      const words = /float-59|timer-60/.exec(program)?.[0] ?? 'binding-61';
      expect(JSON.stringify(outcome)).toContain(words);
    });
  }, 60_000);
});
