/** A call, as far as locks care. */
export interface LockOwner {
  readonly exec: { readonly callId: string; readonly name: string };
  readonly parent: LockOwner | undefined;
  /** Its call has a result, but its body goes on: nobody knows for how long. */
  readonly isOutlived: boolean;
}

export interface LockRequest {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** The tool could not say which keys it needs: alone among all holders. */
  readonly everything?: boolean;
}

interface Hold {
  readonly owner: LockOwner;
  readonly request: LockRequest;
}
interface Waiter extends Hold {
  readonly answer: (answer: LockSettled) => void;
}

export type LockSettled =
  | { readonly kind: 'granted'; readonly release: () => void }
  /** Held by a body that outlived its call, or (`deadlock`) by a call that waits for this one's family. */
  | { readonly kind: 'busy'; readonly holder: LockOwner; readonly deadlock: boolean };
export type LockAnswer = LockSettled | { readonly kind: 'wait'; readonly settled: Promise<LockSettled>; readonly cancel: () => void };

/**
 * Reader and writer locks by key, for all calls of one runtime. All keys of a request are taken at once, first come first
 * served. A nested call passes the locks of its ancestors, who wait for it, and the queue behind them.
 */
export class LockTable {
  readonly #holds = new Set<Hold>();
  readonly #byKey = new Map<string, Set<Hold>>();
  readonly #everything = new Set<Hold>();
  #waiters: Waiter[] = [];

  acquire(owner: LockOwner, request: LockRequest): LockAnswer {
    const wanted: Hold = { owner, request };
    const blockers = this.#blockers(wanted);
    for (const { owner: holder } of blockers) {
      const outlived = outlivedOf(holder);
      if (outlived !== undefined) return { kind: 'busy', holder: outlived, deadlock: false };
    }
    if (blockers.length === 0 && !this.#mustQueue(wanted, this.#waiters)) return this.#grant(wanted);
    const cycle = this.#deadlock(wanted, owner, new Set());
    if (cycle !== undefined) return { kind: 'busy', holder: cycle, deadlock: true };

    let answer!: (answer: LockSettled) => void;
    const settled = new Promise<LockSettled>((resolve) => {
      answer = resolve;
    });
    const waiter: Waiter = { owner, request, answer };
    this.#waiters.push(waiter);
    const cancel = (): void => {
      this.#waiters = this.#waiters.filter((each) => each !== waiter);
      this.#wake();
    };
    return { kind: 'wait', settled, cancel };
  }

  /** The call has settled but its body goes on: whoever waits for its locks, or its nested calls', hears so at once. */
  orphan(owner: LockOwner): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) {
      if (this.#blockers(waiter).some((hold) => isFamily(owner, hold.owner))) waiter.answer({ kind: 'busy', holder: owner, deadlock: false });
      else this.#waiters.push(waiter);
    }
    this.#wake();
  }

  /** Calls that hold or wait; 0 when nothing is left behind. */
  get size(): number {
    return this.#holds.size + this.#waiters.length;
  }

  #grant(hold: Hold): LockSettled {
    return { kind: 'granted', release: this.#hold(hold) };
  }

  #hold(hold: Hold): () => void {
    this.#holds.add(hold);
    if (hold.request.everything === true) this.#everything.add(hold);
    for (const key of keysOf(hold.request)) {
      let holders = this.#byKey.get(key);
      if (holders === undefined) this.#byKey.set(key, (holders = new Set()));
      holders.add(hold);
    }
    return () => {
      if (!this.#holds.delete(hold)) return;
      this.#everything.delete(hold);
      for (const key of keysOf(hold.request)) {
        const holders = this.#byKey.get(key);
        holders?.delete(hold);
        if (holders?.size === 0) this.#byKey.delete(key);
      }
      this.#wake();
    };
  }

  #wake(): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) {
      if (this.#blockers(waiter).length === 0 && !this.#mustQueue(waiter, this.#waiters)) waiter.answer(this.#grant(waiter));
      else this.#waiters.push(waiter);
    }
  }

  /** Not past an earlier waiter for the same key, or a writer could starve; but one that waits for us must not hold us up. */
  #mustQueue(wanted: Hold, earlier: readonly Waiter[]): boolean {
    return earlier.some((waiter) => conflict(waiter, wanted)) && !this.#familyHolds(wanted.owner);
  }

  #familyHolds(call: LockOwner): boolean {
    if (call.parent === undefined) return false;
    for (const hold of this.#holds) if (isFamily(hold.owner, call)) return true;
    return false;
  }

  #blockers(wanted: Hold): Hold[] {
    const candidates = new Set<Hold>();
    const { request } = wanted;
    if (request.everything === true) for (const hold of this.#holds) candidates.add(hold);
    else {
      for (const key of keysOf(request)) for (const hold of this.#byKey.get(key) ?? []) candidates.add(hold);
      for (const hold of this.#everything) candidates.add(hold);
    }
    return [...candidates].filter((hold) => conflict(hold, wanted));
  }

  /** A holder that, through a nested call of its own, waits for `start`'s family: waiting for it would never end. */
  #deadlock(wanted: Hold, start: LockOwner, seen: Set<LockOwner>): LockOwner | undefined {
    for (const { owner: holder } of this.#blockers(wanted)) {
      if (isFamily(holder, start)) return holder;
      if (seen.has(holder)) continue;
      seen.add(holder);
      const waitsForUs = this.#waiters.some(
        (waiter) =>
          isFamily(holder, waiter.owner) &&
          (this.#blockers(waiter).some((hold) => isFamily(hold.owner, start)) || this.#deadlock(waiter, start, seen) !== undefined),
      );
      if (waitsForUs) return holder;
    }
    return undefined;
  }
}

function keysOf(request: LockRequest): Set<string> {
  return new Set([...request.read, ...request.write]);
}

function conflict(a: Hold, b: Hold): boolean {
  if (isFamily(a.owner, b.owner)) return false;
  if (a.request.everything === true || b.request.everything === true) return true;
  return (
    a.request.write.some((key) => b.request.write.includes(key) || b.request.read.includes(key)) ||
    b.request.write.some((key) => a.request.read.includes(key))
  );
}

/** The call, or the one that it is nested in, whose body goes on after its call has settled. */
function outlivedOf(call: LockOwner): LockOwner | undefined {
  for (let at: LockOwner | undefined = call; at !== undefined; at = at.parent) if (at.isOutlived) return at;
  return undefined;
}

/** `ancestor` is `call` or one of those that it is nested in. */
function isFamily(ancestor: LockOwner, call: LockOwner): boolean {
  for (let at: LockOwner | undefined = call; at !== undefined; at = at.parent) if (at === ancestor) return true;
  return false;
}
