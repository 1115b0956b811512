// What declarations do not say of a hook: `says`, where the source has no comment; `fails`, what a throw or nonsense of a listener
// does. Of a notification it changes nothing and is logged, unless it is told otherwise here.
export const hooks = {
  'tools/pre-execute': { fails: '`PIPELINE_FAILED`; the tool does not run' },
  'tools/execute': { fails: '`PIPELINE_FAILED`, unless a wrapper further out answers it' },
  'tools/post-execute': { fails: '`PIPELINE_FAILED`; content and value are withheld' },
  'tools/progress': { says: 'A body, or a policy on its behalf, tells how far it is. Never changes the result.' },
  'agent/pre-step': { fails: 'the turn ends as `failed`' },
  'agent/request': { fails: 'the turn ends as `failed`' },
  'fs/write-intent': { fails: '`FS_DENIED`; nothing is changed' },
  'fs/edit-intent': { fails: '`FS_DENIED`; nothing is changed' },
  'approval/request': { fails: 'that answerer counts as `unavailable`; one further out may still answer; nobody: denied' },
  'system-prompt/assemble': { fails: '`assemble()` rejects' },
  'tool-call-limits/reset': { says: 'Your loop tells that a turn or a run begins, if it does not emit `agent/pre-step`.' },
};

/** Hooks that no package of ours runs: an application does. */
export const runByApplications = new Set(['tool-call-limits/reset']);
