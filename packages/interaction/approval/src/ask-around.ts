import type { ListenerEntry, Logger } from '@sluice/core-context';
import type { ApprovalOutcome } from '@sluice/core-tools';
import { parseOutcome } from './outcome.ts';
import type { Question } from './question.ts';
import type { Turn, Turns } from './turns.ts';

export interface Surroundings {
  /** The turns of one answerer, by the identity of its registration. */
  turnsOf(registration: object): Turns;
  /** Settles the question if a rule that came up meanwhile answers it. */
  settleByRule(question: Question): void;
  readonly logger: Logger;
}

const NOBODY: ApprovalOutcome = Object.freeze({ kind: 'unavailable', why: 'there is nobody here who answers questions' });

/**
 * Puts a question to the answerers, first one outermost, each in its turn. What goes wrong in one of them is an
 * `unavailable` to those further out, which may have another way to ask; so `next()` does not reject, and nor does this.
 */
export function askAround(question: Question, chain: readonly ListenerEntry[], around: Surroundings): Promise<ApprovalOutcome> {
  // One that is asked again about the same question must not wait for itself.
  const held = new Map<object, Turn>();

  const turnWith = async (registration: object): Promise<Turn | undefined> => {
    const turn = held.get(registration) ?? (await around.turnsOf(registration).take(question));
    if (turn !== undefined) held.set(registration, turn);
    return turn;
  };

  const ask = async (index: number): Promise<ApprovalOutcome> => {
    const entry = chain[index];
    if (entry === undefined) return question.outcome ?? NOBODY;
    const turn = await turnWith(entry.registration);
    if (turn !== undefined) around.settleByRule(question);
    if (turn === undefined || question.outcome !== undefined) return question.decision;
    turn.enter();
    try {
      const passedOn = new Set<unknown>();
      const answer: unknown = entry.invoke(question.request, () => {
        const inner = ask(index + 1);
        passedOn.add(inner);
        return inner;
      });
      if (passedOn.has(answer)) {
        // It has nothing more to do with this question.
        held.delete(entry.registration);
        turn.end();
      }
      return parseOutcome(await answer);
    } catch (error) {
      const said = question.decided();
      if (said !== undefined) return said;
      around.logger.error(`approval: the answerer of plugin "${entry.plugin}" failed on question "${question.request.id}"; it counts as no answer`, error);
      return Object.freeze({ kind: 'unavailable', why: `the answerer of plugin "${entry.plugin}" failed` });
    } finally {
      turn.leave();
    }
  };
  return ask(0);
}
