import { describe, expect, it } from 'vitest';
import { caseIds, listOf, readCase, recordOf, type Case, type Json, type JsonRecord, wordOf } from '../src/case.ts';
import { runFsCase } from '../src/fs-case.ts';
import { notYet } from '../src/not-yet.ts';
import { runCase } from '../src/run-case.ts';

/** The case with another value at a path such as `expect.results.0.outcome`. */
function changed(input: Case, path: string, value: Json): Case {
  const copy = structuredClone(input) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop() as string;
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  at[last] = value;
  return copy as Case;
}

const skippedCalls = new Set(notYet.map(({ id, part }) => `${id} ${part}`));

/** Every outcome that a case expects of a call that is made, with the path to it. */
function outcomes(input: Case): [path: string, opposite: string][] {
  const found: [string, string][] = [];
  const opposite = ({ outcome }: JsonRecord): string | undefined =>
    outcome === 'success' ? 'failure' : outcome === 'failure' ? 'success' : undefined;
  listOf(recordOf(input['expect'])['results']).forEach((result, i) => {
    const other = opposite(result);
    if (other !== undefined && !skippedCalls.has(`${input.id} invoke.${wordOf(result['call'])}`)) found.push([`expect.results.${i}.outcome`, other]);
  });
  return found;
}

describe('the runner notices', () => {
  const flips = caseIds().flatMap((id) => outcomes(readCase(id)).map(([path, other]) => [id, path, other] as const));

  it.each(flips)('%s: %s if it were %s', async (id, path, other) => {
    await expect(runCase(changed(readCase(id), path, other))).rejects.toThrow();
  });

  it.each<[id: string, path: string, value: Json]>([
    ['H055', 'expect.results.0.body_args', { extra: 1 }],
    ['H055', 'expect.results.0.body_runs', 2],
    ['H055', 'expect.results.2.class', 'denied'],
    ['H055', 'expect.results.2.body_runs', 1],
    ['H057', 'expect.files', { 'c.md': { absent: true } }],
    ['H057', 'expect.files', { 'a.md': { text: 'x' } }],
    ['H059', 'expect.results.0.one_of', [{ outcome: 'success' }, { outcome: 'failure', mentions: ['something else'] }]],
    ['H061', 'expect.host_checks', ['the moon is full']],
    ['H063', 'expect.results.0.one_of', [{ outcome: 'success', body_sees_digits: '7300000000000000123' }]],
    ['H063', 'expect.results.1.body_sees_digits', '7300000000000000124'],
    ['H065', 'expect.asks', 1],
    ['H067', 'expect.results.0.mentions', ['boom-18']],
    ['H069', 'expect.observer_saw_failure', false],
    ['H073', 'expect.results.0.within_ms_of_abort', 50],
    ['H075', 'expect.listed', { main: ['read'] }],
    ['H077', 'expect.results_all', { outcome: 'failure', mentions: ['user-54'] }],
    ['H077', 'expect.unhandled_rejections', 1],
    ['H079', 'expect.results.0.class', 'tool-error'],
    ['H079', 'expect.result_events_per_call', 2],
    ['H081', 'expect.must_refuse', ['t0']],
    ['H081', 'expect.each', { registration: 'refused' }],
    ['H081', 'expect.process_warnings', 1],
    ['H083', 'expect.result_ids_in_order', ['c2', 'c1', 'c3', 'c4']],
    ['H083', 'expect.results.1.started', false],
    ['H083', 'expect.results.2.class', 'timeout'],
    ['H085', 'expect.results.0.body_signal_aborted', false],
    ['H089', 'expect.total_ms_max', 299],
    ['H145', 'expect.other_observers_ran', false],
    ['H145', 'expect.throws', true],
    ['H143', 'steps.1', { register: 'x', as: 'again' }],
    ['H143', 'steps.2.expect', 'second'],
    ['H143', 'steps.11.expect', 'first'],
    ['H087', 'expect.results.0.outcome', 'failure'],
    ['H087', 'expect.files', { 'n.txt': { text: '' } }],
    ['H001', 'expect.files', { 'deploy.sh': { text: 'PRICE=new\n' } }],
    ['H001', 'expect.files', { 'deploy.sh': { unchanged: true } }],
    ['H001', 'expect.files', { 'deploy.sh': { absent: true } }],
    ['H003', 'expect.results.0.output_includes', ['nothing of the kind']],
    ['H005', 'expect.files', { 'p.py': { text: 'def f():\n    return 2\n\nprint(f())\n', requires_result_mention: 'bom-or-encoding' } }],
    ['H009', 'expect.files', { 'v.ascx': { one_of: [{ hex: '00' }, { text: 'x' }] } }],
    ['H019', 'expect.results.0.file_after', { 'z.txt': { text: 'again\n' } }],
    ['H023', 'expect.modes_after', { 'run.sh': '644' }],
    ['H025', 'policy', { freshness: 'off' }],
    ['H025', 'expect.results.1.file_after', { 'w.txt': { text: 'v3\n' } }],
    ['H027', 'expect.outside_after', { '@root-evil/s.txt': { absent: true } }],
    ['H029', 'expect.outside_after', { 'k.txt': { absent: true } }],
    ['H031', 'expect.links_intact', ['real']],
    ['H033', 'expect.outside_after', { 'keep.txt': { absent: true } }],
    ['H035', 'expect.results.0.occurrences', { 'a.txt': 2 }],
    ['H035', 'expect.results.1.match_count', 2],
    ['H041', 'expect.results.0.within_ms', 0],
    ['H043', 'expect.results.0.output_nonempty', false],
    ['H045', 'expect.results.0.output_excludes', ['binary']],
    ['H045', 'expect.results.0.output_max_chars', 3],
    ['H045', 'expect.results.0.well_formed_unicode', false],
    ['H047', 'expect.results.0.image_block_media_type_in', [null, 'image/png']],
    ['H049', 'expect.results.0.line_total', 3],
    ['H051', 'expect.results.1.one_of', [{ states_skipped: false }, { output_includes: ['w.py'] }]],
    ['H053', 'expect.host_max_timer_gap_ms', 0],
  ])(
    '%s if %s were %j',
    async (id, path, value) => {
      await expect(runCase(changed(readCase(id), path, value))).rejects.toThrow();
    },
    60_000,
  );

  it.each<[what: string, id: string, path: string, value: Json]>([
    ['a word of the case', 'H055', 'weather', 'fine'],
    ['a word of a tool', 'H055', 'tools.0.colour', 'red'],
    ['a word of a call', 'H055', 'invoke.0.mood', 'good'],
    ['an expectation', 'H055', 'expect.joy', true],
    ['an expectation of a result', 'H055', 'expect.results.0.joy', true],
    ['a behaviour', 'H055', 'tools.0.behaviour', { do: 'dance' }],
    ['a wrapper', 'H085', 'wrappers.0', { do: 'dance' }],
    ['a listener', 'H145', 'listeners.0', { stage: 'result', do: 'dance' }],
    ['a step', 'H143', 'steps.0', { dance: 'x' }],
    ['a kind', 'H055', 'kind', 'dance'],
    ['a word of a workspace', 'H001', 'workspace.colour', 'red'],
    ['a file tool', 'H001', 'calls.0.tool', 'dance'],
    ['a race', 'H033', 'races.0.mood', 'good'],
    ['a word of an expected file', 'H001', 'expect.files', { 'deploy.sh': { smell: 'sweet' } }],
    ['a call that is not made', 'H001', 'expect.results.0.call', 7],
  ])('%s that it does not understand', async (_what, id, path, value) => {
    await expect(runCase(changed(readCase(id), path, value))).rejects.toThrow(TypeError);
  });

  it('a call that never ends', async () => {
    const input = changed(readCase('H079'), 'tools.0.behaviour', { do: 'hang', signal: 'ignore' });
    await expect(runCase(input)).rejects.toThrow('for ever');
  });

  it('a lost update: H087 fails without locks', async () => {
    await expect(runFsCase(readCase('H087'), { locks: false })).rejects.toThrow();
    await expect(runFsCase(readCase('H087'))).resolves.toBeUndefined();
  });
});
