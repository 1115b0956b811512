import { listOf, recordOf, type Case, type JsonRecord, wordOf } from './case.ts';

/** Words that are about the case and not for the runner. */
const ABOUT = ['format', 'id', 'component', 'category', 'platform', 'symptom', 'right', 'kind', 'notes'];

/** What a runner understands, word by word. A word that is missing here is never silently passed over. */
const words: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  pipeline: {
    case: ['tools', 'wrappers', 'listeners', 'scopes', 'schedule', 'abort', 'invoke', 'expect'],
    tool: ['name', 'behaviour', 'schema', 'timeout_ms', 'timeout_ms_js', 'concurrency'],
    behaviour: ['do', 'use', 'value', 'expr', 'text', 'after_ms', 'signal', 'delay_arg'],
    wrapper: ['do', 'max'],
    listener: ['stage', 'do', 'text'],
    scope: ['parent', 'allow', 'deny'],
    invocation: ['call_id', 'tool', 'args', 'raw_args', 'agent', 'abort_at_ms'],
    program: ['program'],
    expect: [
      'results', 'results_all', 'each', 'must_refuse', 'result_ids_in_order', 'result_events_per_call', 'values_match_args', 'asks',
      'listed', 'files', 'host_checks', 'observer_saw_failure', 'other_observers_ran', 'observe_for_ms', 'total_ms_max', 'throws',
      'unhandled_rejections', 'process_warnings', 'process_exits_within_ms',
    ],
    result: [
      'call', 'outcome', 'class', 'body_runs', 'body_args', 'mentions', 'one_of', 'body_sees_digits', 'started', 'body_signal_aborted',
      'within_ms_of_abort', 'registration', 'body_runs_of',
    ],
  },
  lifecycle: {
    case: ['steps'],
    step: ['register', 'as', 'scope', 'call', 'agent', 'dispose', 'expect'],
  },
  fs: {
    case: ['workspace', 'outside', 'policy', 'schedule', 'races', 'calls', 'expect'],
    policy: ['freshness'],
    workspace: ['files', 'symlinks', 'fifos', 'modes'],
    outside: ['files'],
    race: ['during', 'do'],
    call: ['tool', 'args', 'repeat', 'call', 'external_write'],
    expect: ['results', 'files', 'outside_after', 'modes_after', 'links_intact', 'host_max_timer_gap_ms'],
    result: [
      'call', 'outcome', 'output_includes', 'output_excludes', 'output_nonempty', 'output_max_chars', 'well_formed_unicode', 'line_total', 'match_count',
      'occurrences', 'within_ms', 'file_after', 'image_block_media_type_in', 'states_skipped', 'one_of',
    ],
  },
  code: {
    case: ['program', 'bindings', 'limits', 'variants', 'host_env', 'abort', 'expect'],
    binding: ['name', 'do', 'value', 'text', 'after_ms'],
    limits: ['compute_ms', 'wall_ms', 'heap_mb', 'output_bytes'],
    abort: ['at_ms'],
    expect: [
      'host_alive', 'unhandled_rejections', 'outcome', 'kind_in', 'within_ms', 'logs_include', 'host_max_timer_gap_ms', 'next_run_ok', 'logs_max_bytes',
      'host_memory_growth_mb_max', 'parallel_run_ok', 'mentions_anywhere', 'host_checks', 'next_run_clean', 'nothing_contains', 'result_count',
      'undeclared_binding_runs', 'binding_starts_after_stop', 'observe_for_ms',
    ],
  },
};

/** Paths of everything in the case that the runner of its kind does not understand; the whole kind, if there is no runner. */
export function partsNotUnderstood(input: Case): string[] {
  const known = words[input.kind];
  if (known === undefined) return ['kind'];
  const found: string[] = [];
  const check = (what: string, at: string, record: JsonRecord): void => {
    const allowed = known[what] ?? [];
    for (const word of Object.keys(record)) {
      if (!allowed.includes(word) && !(at === '' && ABOUT.includes(word))) found.push(`${at}${word}`);
    }
  };

  check('case', '', input);
  for (const tool of listOf(input['tools'])) {
    check('tool', `tools.${wordOf(tool['name'])}.`, tool);
    check('behaviour', `tools.${wordOf(tool['name'])}.behaviour.`, recordOf(tool['behaviour']));
  }
  for (const [name, scope] of Object.entries(recordOf(input['scopes']))) check('scope', `scopes.${name}.`, recordOf(scope));
  listOf(input['wrappers']).forEach((wrapper, i) => { check('wrapper', `wrappers.${i}.`, wrapper); });
  listOf(input['listeners']).forEach((listener, i) => { check('listener', `listeners.${i}.`, listener); });
  for (const invocation of listOf(input['invoke'])) {
    const at = `invoke.${wordOf(invocation['call_id'])}.`;
    check('invocation', at, invocation);
    if (invocation['tool'] === 'run_code') check('program', `${at}args.`, recordOf(invocation['args']));
  }
  listOf(input['steps']).forEach((step, i) => { check('step', `steps.${i}.`, step); });
  check('workspace', 'workspace.', recordOf(input['workspace']));
  check('policy', 'policy.', recordOf(input['policy']));
  check('outside', 'outside.', recordOf(input['outside']));
  listOf(input['races']).forEach((race, i) => { check('race', `races.${i}.`, race); });
  listOf(input['calls']).forEach((call, i) => { check('call', `calls.${i}.`, call); });

  if (input.kind === 'code') {
    listOf(input['bindings']).forEach((binding, i) => { check('binding', `bindings.${i}.`, binding); });
    check('limits', 'limits.', recordOf(input['limits']));
    check('abort', 'abort.', recordOf(input['abort']));
  }

  const expect = recordOf(input['expect']);
  check('expect', 'expect.', expect);
  const results = [...listOf(expect['results']), recordOf(expect['results_all']), recordOf(expect['each'])];
  for (const result of results) {
    const id = wordOf(result['call'] ?? 'all');
    for (const each of [result, ...listOf(result['one_of'])]) check('result', `expect.results.${id}.`, each);
  }
  return found;
}
