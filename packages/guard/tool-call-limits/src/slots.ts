/** Something that at most `max` calls may hold at the same time. */
export interface Need {
  readonly holders: Set<Ticket>;
  readonly max: number;
}

/** A call that runs or wants to. */
export interface Ticket {
  readonly toolName: string;
  /** Tickets of the running calls that it is nested in, outermost ones included. */
  readonly ancestors: ReadonlySet<Ticket>;
}

export type Admission = 'admitted' | 'aborted' | 'deadlock';

interface Waiter {
  readonly ticket: Ticket;
  /** Places that it has found taken: from then on nobody who comes later gets one of them first. */
  readonly claims: Set<Need['holders']>;
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
  enter(ticket: Ticket, signal: AbortSignal): Admission | Promise<Admission> {
    const claimed = new Set<Need['holders']>();
    for (const earlier of this.#waiters) for (const holders of earlier.claims) claimed.add(holders);
    const claims = new Set<Need['holders']>();
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
          signal.removeEventListener('abort', abort);
          resolve(admission);
        },
      };
      signal.addEventListener('abort', abort);
      this.#waiters.push(waiter);
    });
  }

  /** Lets in whom there is room for. Call it after every release. */
  wake(): void {
    const waiting = this.#waiters;
    if (waiting.length === 0) return;
    const claimed = new Set<Need['holders']>();
    this.#waiters = waiting.filter(({ ticket, claims, settle }) => {
      if (!this.#admit(ticket, claims, claimed)) return true;
      settle('admitted');
      return false;
    });
  }

  /** Takes the places, or adds those that it lacks to its claims, and its claims to those of everyone before. */
  #admit(ticket: Ticket, claims: Set<Need['holders']>, claimed: Set<Need['holders']>): boolean {
    const missing = this.#missing(ticket);
    const lacking = missing.filter(({ holders, max }) => holders.size >= max || claimed.has(holders));
    for (const { holders } of lacking.length === 0 ? missing : []) holders.add(ticket);
    for (const { holders } of lacking) claims.add(holders);
    if (lacking.length > 0) for (const holders of claims) claimed.add(holders);
    return lacking.length === 0;
  }

  #missing(ticket: Ticket): readonly Need[] {
    const needs = this.#needsOf(ticket);
    const { ancestors } = ticket;
    return ancestors.size === 0 ? needs : needs.filter(({ holders }) => ![...ancestors].some((each) => holders.has(each)));
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
      const claimed = new Set<Need['holders']>();
      const still = stuck.filter(({ missing }) => {
        const canEnd = missing.every(({ holders, max }) => countOf(holders, held) < max && !claimed.has(holders));
        if (!canEnd) for (const { holders } of missing) claimed.add(holders);
        return !canEnd;
      });
      if (still.length === stuck.length) return stuck.some(({ ticket }) => ticket === subject);
      stuck = still;
    }
  }
}

function countOf(holders: ReadonlySet<Ticket>, held: ReadonlySet<Ticket>): number {
  let count = 0;
  for (const holder of holders) if (held.has(holder)) count += 1;
  return count;
}
