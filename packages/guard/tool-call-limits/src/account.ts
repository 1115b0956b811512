import { Lineage } from './lineage.ts';
import { Meter, type Share } from './meter.ts';
import type { Rule, RulesFor } from './rules.ts';
import { Slots, type Need, type Ticket } from './slots.ts';
import { denialOf } from './words.ts';

interface Counted {
  readonly meter: Meter;
  readonly holders: Set<Ticket>;
}

/** Everything that is counted in one scope. */
export class Account {
  readonly lineage = new Lineage();
  readonly slots: Slots;
  readonly #counted = new Map<string, Counted>();
  readonly #rulesFor: RulesFor;

  /** `rulesFor` is asked anew each time, for it may change. */
  constructor(rulesFor: RulesFor) {
    this.#rulesFor = rulesFor;
    this.slots = new Slots(({ toolName }) => this.#needs(toolName));
  }

  /** Why a call of this tool may not be made now, if it may not. */
  denial(toolName: string): string | undefined {
    const now = performance.now();
    for (const { key, subject, limit } of this.#rulesFor(toolName)) {
      const excess = this.#counted.get(key)?.meter.excess(limit, now) ?? new Meter().excess(limit, now);
      if (excess !== undefined) return denialOf(subject, excess);
    }
    return undefined;
  }

  /** Counts a call with every rule that binds it. Ask `denial` first, in the same turn of the event loop. */
  reserve(toolName: string): Share {
    const shares = this.#rulesFor(toolName).map((rule) => this.#of(rule).meter.reserve(rule.limit));
    return {
      begin: (now) => {
        for (const share of shares) share.begin(now);
      },
      giveBack: () => {
        for (const share of shares) share.giveBack();
      },
    };
  }

  /** The call runs no longer. */
  leave(ticket: Ticket): void {
    for (const { holders } of this.#counted.values()) holders.delete(ticket);
    this.slots.wake();
  }

  reset(what: 'turn' | 'run'): void {
    for (const { meter } of this.#counted.values()) meter.reset(what);
  }

  #needs(toolName: string): Need[] {
    return this.#rulesFor(toolName).map((rule) => ({ holders: this.#of(rule).holders, max: rule.limit.maxRunning ?? Infinity }));
  }

  #of({ key }: Rule): Counted {
    let counted = this.#counted.get(key);
    if (counted === undefined) this.#counted.set(key, (counted = { meter: new Meter(), holders: new Set() }));
    return counted;
  }
}
