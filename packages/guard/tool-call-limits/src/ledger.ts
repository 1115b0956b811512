import type { Context, ToolExecution, ToolExecutionResult } from '@sluice/core-tools';
import { Account } from './account.ts';
import type { Share } from './meter.ts';
import { noRules, type RulesFor } from './rules.ts';
import type { Admission, Ticket } from './slots.ts';
import { deadlock, refusal } from './words.ts';

type ScopePath = Context['scopePath'];
type Next = () => Promise<ToolExecutionResult>;

/** What calls count towards: the scope they are made in, or one account for all. */
export type AccountKey = (scopePath: ScopePath) => ScopePath;

/** A call that has been let in at least once. */
interface Entry {
  readonly account: Account;
  readonly share: Share;
  isCounted: boolean;
  /** Ends its hold on places; undefined while it has none. */
  leave?: (() => void) | undefined;
}

/** The counts of one mounted plugin, and the calls that wait and run under it. */
export class Ledger {
  #rulesFor: RulesFor = noRules;
  #keyOf: AccountKey = (scopePath) => scopePath;
  // A scope's path is one frozen array for as long as the scope lives; its counts end with it.
  readonly #accounts = new WeakMap<ScopePath, Account>();
  /** Accounts where somebody waits. */
  readonly #busy = new Set<Account>();
  /** Calls between their first entry and their result, by `exec.id`: a second attempt is the same call. */
  readonly #entries = new Map<string, Entry>();
  /** Calls that have their result, but whose body goes on, by call id and tool. */
  readonly #outlived = new Map<string, Entry[]>();

  /** From now on these rules bind, also for those that wait. */
  adopt(rulesFor: RulesFor, keyOf: AccountKey): void {
    this.#rulesFor = rulesFor;
    this.#keyOf = keyOf;
    for (const account of this.#busy) account.slots.rearrange();
  }

  denial({ name, scopePath }: ToolExecution): string | undefined {
    return this.#account(scopePath).denial(name);
  }

  reset(what: 'turn' | 'run', scopePath: ScopePath): void {
    this.#accounts.get(scopePath)?.reset(what);
  }

  /** Around the body: reserves, waits for a place, and gives back what a call that reached no body has not used. */
  run(exec: ToolExecution, next: Next): Promise<ToolExecutionResult> {
    const account = this.#account(exec.scopePath);
    const ancestors = account.lineage.ancestorsOf(exec);
    if (ancestors.size === 0 && this.#rulesFor(exec.name).length === 0) return next();
    return this.#limited(exec, next, account, { toolName: exec.name, ancestors });
  }

  async #limited(exec: ToolExecution, next: Next, account: Account, ticket: Ticket): Promise<ToolExecutionResult> {
    let entry = this.#entries.get(exec.id);
    if (entry === undefined) {
      // Asked and reserved without a pause between: of two calls only one can have the last one.
      const message = account.denial(exec.name);
      if (message !== undefined) return refusal(exec, message);
      entry = { account, share: account.reserve(exec.name), isCounted: true };
      this.#entries.set(exec.id, entry);
    }
    // A body that an earlier attempt left behind still has its place.
    if (entry.leave === undefined) {
      const admission = await this.#admission(account, ticket, exec.signal);
      if (admission !== 'admitted') {
        this.#giveBack(exec.id, entry);
        return admission === 'deadlock' ? deadlock(exec) : next();
      }
      const forget = account.lineage.add(exec, ticket);
      entry.leave = () => {
        forget();
        account.leave(ticket);
      };
      entry.share.begin(performance.now());
    }
    return this.#inside(exec, next, entry);
  }

  async #inside(exec: ToolExecution, next: Next, entry: Entry): Promise<ToolExecutionResult> {
    let mayGoOn = false;
    try {
      const result = await next();
      if (result.isError) {
        const { code, started } = result.error.info;
        if (!started) this.#giveBack(exec.id, entry);
        // A wrapper further in may have stopped waiting for the body. Whether it has, the final result says.
        mayGoOn = started && (code === 'TOOL_TIMEOUT' || code === 'ABORTED');
      }
      return result;
    } finally {
      if (!mayGoOn) leave(entry);
    }
  }

  async #admission(account: Account, ticket: Ticket, signal: AbortSignal): Promise<Admission> {
    const admission = account.slots.enter(ticket, signal);
    if (typeof admission === 'string') return admission;
    this.#busy.add(account);
    const settled = await admission;
    if (account.slots.waiting === 0) this.#busy.delete(account);
    return settled;
  }

  /** The call has its result. */
  settle({ id, callId, name }: ToolExecution, result: ToolExecutionResult): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    if (result.isError && result.stillRunning === true && entry.leave !== undefined) {
      const key = `${callId}\n${name}`;
      const namesakes = this.#outlived.get(key);
      if (namesakes === undefined) this.#outlived.set(key, [entry]);
      else namesakes.push(entry);
    } else if (entry.leave !== undefined) leave(entry);
  }

  /** A body that outlived its call has ended. */
  late({ callId, name }: { readonly callId: string; readonly name: string }): void {
    const key = `${callId}\n${name}`;
    const [entry, ...others] = this.#outlived.get(key) ?? [];
    if (entry === undefined) return;
    if (others.length === 0) this.#outlived.delete(key);
    else this.#outlived.set(key, others);
    leave(entry);
  }

  #giveBack(id: string, entry: Entry): void {
    // Another attempt of the call would be counted anew.
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
    if (entry.isCounted) entry.share.giveBack();
    entry.isCounted = false;
  }

  #account(scopePath: ScopePath): Account {
    const key = this.#keyOf(scopePath);
    let account = this.#accounts.get(key);
    if (account === undefined) this.#accounts.set(key, (account = new Account((toolName) => this.#rulesFor(toolName))));
    return account;
  }
}

function leave(entry: Entry): void {
  entry.leave?.();
  entry.leave = undefined;
}
