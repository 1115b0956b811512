import type { Context } from '@sluice/core-context';
import type { ApprovalOutcome, ApprovalRequest } from '@sluice/core-tools';
import { askAround, type Surroundings } from './ask-around.ts';
import { parseOutcome } from './outcome.ts';
import { Question } from './question.ts';
import { decisionByRules } from './rules.ts';
import { Turns } from './turns.ts';
import type { PendingApproval } from './types.ts';

export interface ApprovalConfig {
  /** `never` asks nobody and rejects. Default `ask`. */
  readonly policy: 'ask' | 'never';
  /** Milliseconds from the asking until a question rejects itself. Default: it waits for as long as it takes. */
  readonly timeoutMs?: number;
}

const NEVER: ApprovalOutcome = Object.freeze({ kind: 'rejected', feedback: 'nobody is asked here: approvals are switched off' });
const CANCELLED: ApprovalOutcome = Object.freeze({ kind: 'cancelled' });
const ONCE: ApprovalOutcome = Object.freeze({ kind: 'allowed-once' });
const BY_RULE: ApprovalOutcome = Object.freeze({ kind: 'rejected', feedback: 'a rule that was made meanwhile denies it' });
const NO_LONGER: ApprovalOutcome = Object.freeze({ kind: 'unavailable', why: 'the approval service was unmounted' });

/** All questions of one plugin instance. */
export class OpenQuestions {
  readonly #open = new Map<string, { readonly question: Question; readonly caller: Context }>();
  // By registration, so that an answerer has one queue whatever scope a question comes from.
  readonly #turns = new Map<object, Turns>();
  readonly #config: ApprovalConfig;
  #isClosed = false;

  constructor(config: ApprovalConfig) {
    this.#config = config;
  }

  /** `caller` is where the question comes from: it decides who can answer, and who is told. */
  async ask(caller: Context, request: ApprovalRequest): Promise<ApprovalOutcome> {
    const question = new Question(request, caller.scopePath, this.#config.timeoutMs);
    const { id } = question.request;
    if (this.#open.has(id)) throw new TypeError(`approval: question "${id}" is still open; every question needs an id of its own`);
    this.#open.set(id, { question, caller });
    const before = decisionByRules(caller, question.request);
    caller.emit('approval/asked', question.request);
    // Whoever was told of it may have answered it.
    if (question.decided() !== undefined) return question.decision;
    const known = this.#withoutAsking(question);
    if (known !== undefined) {
      this.#settle(question, caller, known);
      return question.decision;
    }
    question.watch(
      () => this.#settle(question, caller, CANCELLED),
      () => this.#settle(question, caller, this.#expired()),
    );
    const around: Surroundings = {
      turnsOf: (registration) => this.#turnsOf(registration),
      settleByRule: (asked) => {
        const now = decisionByRules(caller, asked.request);
        // Rules that allowed it from the beginning are not what asked: somebody else did, and they cannot answer for him.
        if (now === 'allow' && before !== 'allow') this.#settle(asked, caller, ONCE);
        if (now === 'deny') this.#settle(asked, caller, BY_RULE);
      },
      logger: caller.logger,
    };
    void askAround(question, caller.listeners('approval/request'), around).then((outcome) => this.#settle(question, caller, outcome));
    return question.decision;
  }

  pending(): PendingApproval[] {
    return [...this.#open.values()].map(({ question }) => question.toJSON());
  }

  answer(id: string, answer: unknown): boolean {
    const known = this.#open.get(id);
    if (known === undefined) return false;
    let outcome: ApprovalOutcome;
    try {
      outcome = parseOutcome(answer);
    } catch (error) {
      known.caller.logger.error(`approval: the answer to question "${id}" is none; it counts as a denial`, error);
      outcome = Object.freeze({ kind: 'unavailable', why: 'the answer that was given is none' });
    }
    return this.#settle(known.question, known.caller, outcome);
  }

  close(): void {
    this.#isClosed = true;
    for (const { question, caller } of [...this.#open.values()]) this.#settle(question, caller, CANCELLED);
    for (const turns of this.#turns.values()) turns.close();
    this.#turns.clear();
  }

  #withoutAsking(question: Question): ApprovalOutcome | undefined {
    if (question.isAborted) return CANCELLED;
    if (this.#isClosed) return NO_LONGER;
    return this.#config.policy === 'never' ? NEVER : undefined;
  }

  #expired(): ApprovalOutcome {
    return Object.freeze({ kind: 'rejected', feedback: `nobody answered within ${String(this.#config.timeoutMs)} ms` });
  }

  #settle(question: Question, caller: Context, outcome: ApprovalOutcome): boolean {
    const { id } = question.request;
    const isFirst = question.settle(outcome, () => {
      this.#open.delete(id);
      caller.emit('approval/decided', question.request, question.outcome ?? outcome);
    });
    if (isFirst && outcome.kind === 'allowed-always') this.#answerLikewise(question.identity);
    return isFirst;
  }

  /** "Always" answers those that wait with the same question, whether or not anybody remembers the rule for later ones. */
  #answerLikewise(identity: string): void {
    for (const { question, caller } of [...this.#open.values()]) {
      if (question.identity === identity) this.#settle(question, caller, ONCE);
    }
  }

  #turnsOf(registration: object): Turns {
    let turns = this.#turns.get(registration);
    if (turns === undefined) {
      turns = new Turns(() => this.#turns.delete(registration));
      this.#turns.set(registration, turns);
    }
    return turns;
  }
}
