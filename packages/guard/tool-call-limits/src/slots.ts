import { onAbort } from '@sluice/core-tools';

/** Something that so many calls hold now. */
export interface Place {
  running: number;
}

/** A place that at most `max` calls may hold at the same time. */
export interface Need {
  readonly place: Place;
  readonly max: number;
}

/** A call that runs or wants to. */
export interface Ticket {
  readonly toolName: string;
  /** Tickets of the running calls that it is nested in, outermost ones included. */
  readonly ancestors: ReadonlySet<Ticket>;
  /** The places that it holds. */
  readonly holds: Place[];
}

export type Admission = 'admitted' | 'aborted' | 'deadlock';

interface Waiter {
  readonly ticket: Ticket;
  /** Places that nobody who comes later gets first. */
  readonly claims: Set<Place>;
  readonly settle: (admission: Admission) => void;
}

/**
 * Who runs and who waits, in one scope. All places that a call needs are taken at once, first come first served: nobody
 * passes an earlier call on a place that it waits for, but a tool that is at its limit holds up no other. A place that a
 * call's ancestor holds is the call's as well.
 */
export class Slots {
  readonly #needsOf: (ticket: Ticket) => readonly Need[];
  #waiters: Waiter[] = [];

  /** `needsOf` is asked again whenever something changes. */
  constructor(needsOf: (ticket: Ticket) => readonly Need[]) {
    this.#needsOf = needsOf;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Admitted at once if there is room; otherwise when it is this call's turn, or when `signal` aborts. */
  enter(ticket: Ticket, call: { readonly signal: AbortSignal }): Admission | Promise<Admission> {
    if (this.#waiters.length === 0 && this.#admitAtOnce(ticket)) return 'admitted';
    // Not before somebody has to wait: a signal may cost as much as all the rest.
    const { signal } = call;
    const claimed = new Set<Place>();
    for (const earlier of this.#waiters) for (const place of earlier.claims) claimed.add(place);
    const claims = new Set<Place>();
    if (this.#admit(ticket, claims, claimed)) return 'admitted';
    if (signal.aborted) return 'aborted';
    if (ticket.ancestors.size > 0 && this.#wouldNeverEnd(ticket)) return 'deadlock';
    return new Promise((resolve) => {
      const abort = (): void => {
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
        waiter.settle('aborted');
        this.wake();
      };
      const waiter: Waiter = {
        ticket,
        claims,
        settle(admission) {
          unwatch();
          resolve(admission);
        },
      };
      const unwatch = onAbort(signal, abort);
      this.#waiters.push(waiter);
    });
  }

  /** The call runs no longer. */
  leave(ticket: Ticket): void {
    for (const place of ticket.holds) place.running -= 1;
    ticket.holds.length = 0;
    this.wake();
  }

  /** Lets in whom there is room for. */
  wake(): void {
    const waiting = this.#waiters;
    if (waiting.length === 0) return;
    const claimed = new Set<Place>();
    this.#waiters = waiting.filter(({ ticket, claims, settle }) => {
      if (!this.#admit(ticket, claims, claimed)) return true;
      settle('admitted');
      return false;
    });
  }

  /** Nobody waits, so nothing is claimed. */
  #admitAtOnce(ticket: Ticket): boolean {
    const missing = this.#missing(ticket);
    for (const { place, max } of missing) if (place.running >= max) return false;
    for (const { place } of missing) take(place, ticket);
    return true;
  }

  /**
   * Takes the places; or claims them, up to the first that is taken, and adds that to the claims of everyone before. Not the
   * ones after it: a call that could not use them yet would keep them from others.
   */
  #admit(ticket: Ticket, claims: Set<Place>, claimed: Set<Place>): boolean {
    claims.clear();
    const missing = this.#missing(ticket);
    for (const { place, max } of missing) {
      claims.add(place);
      if (place.running < max && !claimed.has(place)) continue;
      for (const each of claims) claimed.add(each);
      return false;
    }
    for (const { place } of missing) take(place, ticket);
    return true;
  }

  #missing(ticket: Ticket): readonly Need[] {
    const needs = this.#needsOf(ticket);
    const { ancestors } = ticket;
    return ancestors.size === 0 ? needs : needs.filter(({ place }) => ![...ancestors].some(({ holds }) => holds.includes(place)));
  }

  /** What calls need has changed: lets in whom there is room for, and turns away whom the change has shut into a circle. */
  rearrange(): void {
    this.wake();
    for (const waiter of [...this.#waiters]) {
      if (waiter.ticket.ancestors.size === 0 || !this.#wouldNeverEnd(waiter.ticket)) continue;
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
      waiter.settle('deadlock');
    }
    this.wake();
  }

  /**
   * Whether a nested call that waits is in a circle: its ancestors end when it does, and with them the places that others wait
   * for. Assumes the worst of everyone who waits, then takes back all who have somebody to wait for.
   */
  #wouldNeverEnd(subject: Ticket): boolean {
    const tickets = this.#waiters.map(({ ticket }) => ticket);
    if (!tickets.includes(subject)) tickets.push(subject);
    let stuck = tickets.map((ticket) => ({ ticket, missing: this.#missing(ticket) }));
    for (;;) {
      const held = new Set(stuck.flatMap(({ ticket }) => [...ticket.ancestors]));
      const claimed = new Set<Place>();
      const still = stuck.filter(({ missing }) => {
        const canEnd = missing.every(({ place, max }) => countOf(place, held) < max && !claimed.has(place));
        if (!canEnd) for (const { place } of missing) claimed.add(place);
        return !canEnd;
      });
      if (still.length === stuck.length) return stuck.some(({ ticket }) => ticket === subject);
      stuck = still;
    }
  }
}

function take(place: Place, ticket: Ticket): void {
  place.running += 1;
  ticket.holds.push(place);
}

function countOf(place: Place, held: ReadonlySet<Ticket>): number {
  let count = 0;
  for (const { holds } of held) if (holds.includes(place)) count += 1;
  return count;
}
