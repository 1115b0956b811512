import { type Case, wordOf } from './case.ts';
import { runCodeCase } from './code-case.ts';
import { runFsCase } from './fs-case.ts';
import { runLifecycleCase } from './lifecycle-case.ts';
import { notYet } from './not-yet.ts';
import { partsNotUnderstood } from './parts.ts';
import { runPipelineCase, type Run } from './pipeline-case.ts';
import { programCalls, runProgramCalls } from './program-calls.ts';

/**
 * Runs one case and rejects when anything is not as it expects, or when it says something that the runner does not understand
 * and that is not listed as not yet possible.
 */
export async function runCase(input: Case, alsoExpect?: (run: Run) => void): Promise<void> {
  const skipped = notYet.filter(({ id }) => id === input.id).map(({ part }) => part);
  const strange = partsNotUnderstood(input).filter((part) => !skipped.includes(part));
  if (strange.length > 0) throw new TypeError(`${input.id} says what the runner does not understand: ${strange.join(', ')}`);
  switch (input.kind) {
    case 'pipeline':
      await runPipelineCase(input, [...skipped, ...programCalls(input).map(({ call_id: id }) => `invoke.${wordOf(id)}`)], alsoExpect);
      return runProgramCalls(input);
    case 'lifecycle':
      return runLifecycleCase(input);
    case 'fs':
      return runFsCase(input);
    case 'code':
      return runCodeCase(input);
    default:
      throw new TypeError(`no runner for cases of kind "${input.kind}"`);
  }
}
