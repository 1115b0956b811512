/** A part of a case that no package of ours can be asked yet, by the path that `partsNotUnderstood` gives it. */
export interface NotYet {
  readonly id: string;
  readonly part: string;
  readonly reason: string;
}

const NO_ADAPTERS = 'there is no adapter yet; the argument text goes to execute() itself';

/** Exactly what is skipped: a test compares it with what the runner does not understand. */
export const notYet: readonly NotYet[] = [
  { id: 'H055', part: 'adapters', reason: NO_ADAPTERS },
  { id: 'H057', part: 'adapters', reason: NO_ADAPTERS },
  { id: 'H057', part: 'invoke.c3.finish_reason', reason: 'only an adapter sees why a model stopped' },
  { id: 'H063', part: 'adapters', reason: NO_ADAPTERS },
  { id: 'H067', part: 'adapters', reason: NO_ADAPTERS },
  { id: 'H067', part: 'expect.adapter_flags', reason: 'the wire form of a failure is an adapter’s' },
];
