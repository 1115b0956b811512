import { Meter, type Share } from './meter.ts';
import type { Rule, RulesFor } from './rules.ts';
import { Slots, type Need, type Place } from './slots.ts';
import { denialOf } from './words.ts';

interface Counted {
  readonly meter: Meter;
  readonly place: Place;
}

/** What a call of one tool counts towards, for as long as its rules are the same. */
interface Plan {
  readonly rules: readonly Rule[];
  readonly meters: readonly Meter[];
  readonly needs: readonly Need[];
}

/** Everything that is counted in one scope. */
export class Account {
  readonly slots: Slots;
  readonly #counted = new Map<string, Counted>();
  readonly #plans = new Map<string, Plan>();
  readonly #rulesFor: RulesFor;

  /** `rulesFor` is asked anew each time, for it may change. */
  constructor(rulesFor: RulesFor) {
    this.#rulesFor = rulesFor;
    this.slots = new Slots(({ toolName }) => this.#plan(toolName).needs);
  }

  /** Why a call of this tool may not be made now, if it may not. */
  denial(toolName: string): string | undefined {
    const { rules, meters } = this.#plan(toolName);
    for (let index = 0; index < rules.length; index += 1) {
      const { subject, limit } = rules[index] as Rule;
      const excess = (meters[index] as Meter).excess(limit);
      if (excess !== undefined) return denialOf(subject, excess);
    }
    return undefined;
  }

  /** Counts a call with every rule that binds it. Ask `denial` first, in the same turn of the event loop. */
  reserve(toolName: string): Share {
    const { rules, meters } = this.#plan(toolName);
    const shares = rules.map(({ limit }, index) => (meters[index] as Meter).reserve(limit));
    if (shares.length === 1) return shares[0] as Share;
    return {
      begin: (now) => {
        for (const share of shares) share.begin(now);
      },
      giveBack: () => {
        for (const share of shares) share.giveBack();
      },
    };
  }

  reset(what: 'turn' | 'run'): void {
    for (const { meter } of this.#counted.values()) meter.reset(what);
  }

  #plan(toolName: string): Plan {
    const rules = this.#rulesFor(toolName);
    const known = this.#plans.get(toolName);
    if (known?.rules === rules) return known;
    const counted = rules.map((rule) => this.#of(rule));
    // The tool's own place first, then the shared ones: who waits for its own does not keep others from those.
    const needs = counted.map(({ place }, index): Need => ({ place, max: rules[index]?.limit.maxRunning ?? Infinity })).reverse();
    const plan: Plan = { rules, meters: counted.map(({ meter }) => meter), needs };
    this.#plans.set(toolName, plan);
    return plan;
  }

  #of({ key }: Rule): Counted {
    let counted = this.#counted.get(key);
    if (counted === undefined) this.#counted.set(key, (counted = { meter: new Meter(), place: { running: 0 } }));
    return counted;
  }
}
