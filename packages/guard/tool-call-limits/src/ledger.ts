import type { Context, ToolExecution, ToolExecutionResult } from '@sluice/core-tools';
import { Account } from './account.ts';
import { Calls, type Entry } from './calls.ts';
import { noRules, type RulesFor } from './rules.ts';
import type { Admission, Ticket } from './slots.ts';
import { deadlock, refusal } from './words.ts';

type ScopePath = Context['scopePath'];
type Next = () => Promise<ToolExecutionResult>;

/** What calls count towards: the scope they are made in, or one account for all. */
export type AccountKey = (scopePath: ScopePath) => ScopePath;

/** The counts of one mounted plugin, and the calls that wait and run under it. */
export class Ledger {
  #rulesFor: RulesFor = noRules;
  #keyOf: AccountKey = (scopePath) => scopePath;
  // A scope's path is one frozen array for as long as the scope lives; its counts end with it.
  readonly #accounts = new WeakMap<ScopePath, Account>();
  /** Accounts where somebody waits. */
  readonly #busy = new Set<Account>();
  readonly #calls = new Calls();
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
  run(exec: ToolExecution, next: Next): ToolExecutionResult | Promise<ToolExecutionResult> {
    const account = this.#account(exec.scopePath);
    const ancestors = this.#calls.ancestorsOf(exec, account);
    if (ancestors.size === 0 && this.#rulesFor(exec.name).length === 0) return next();

    let entry = this.#calls.find(exec.callId, exec.id);
    if (entry === undefined) {
      // Asked and reserved without a pause between: of two calls only one can have the last one.
      const message = account.denial(exec.name);
      if (message !== undefined) return refusal(exec, message);
      const { id, callId, rootCallId } = exec;
      entry = { id, callId, rootCallId, account, share: account.reserve(exec.name), isCounted: true, ticket: undefined, older: undefined };
      this.#calls.add(entry);
    }
    // A body that an earlier attempt left behind still has its place.
    if (entry.ticket !== undefined) return this.#inside(next, entry);
    const ticket: Ticket = { toolName: exec.name, ancestors, holds: [] };
    const admission = account.slots.enter(ticket, exec);
    return typeof admission === 'string'
      ? this.#admitted(admission, exec, next, entry, ticket)
      : this.#waited(admission, account).then((settled) => this.#admitted(settled, exec, next, entry, ticket));
  }

  async #waited(admission: Promise<Admission>, account: Account): Promise<Admission> {
    this.#busy.add(account);
    const settled = await admission;
    if (account.slots.waiting === 0) this.#busy.delete(account);
    return settled;
  }

  #admitted(admission: Admission, exec: ToolExecution, next: Next, entry: Entry, ticket: Ticket): ToolExecutionResult | Promise<ToolExecutionResult> {
    if (admission !== 'admitted') {
      this.#giveBack(entry);
      return admission === 'deadlock' ? deadlock(exec) : next();
    }
    entry.ticket = ticket;
    entry.share.begin(clock);
    return this.#inside(next, entry);
  }

  #inside(next: Next, entry: Entry): Promise<ToolExecutionResult> {
    const ended = (result: ToolExecutionResult): ToolExecutionResult => {
      let mayGoOn = false;
      if (result.isError) {
        const { code, started } = result.error.info;
        if (!started) this.#giveBack(entry);
        // A wrapper further in may have stopped waiting for the body. Whether it has, the final result says.
        mayGoOn = started && (code === 'TOOL_TIMEOUT' || code === 'ABORTED');
      }
      if (!mayGoOn) this.#leave(entry);
      return result;
    };
    return next().then(ended, (error: unknown) => {
      this.#leave(entry);
      throw error;
    });
  }

  /** The call has its result. */
  settle({ id, callId, name }: ToolExecution, result: ToolExecutionResult): void {
    const entry = this.#calls.find(callId, id);
    if (entry === undefined) return;
    entry.isCounted = false;
    if (result.isError && result.stillRunning === true && entry.ticket !== undefined) {
      const key = `${callId}\n${name}`;
      const namesakes = this.#outlived.get(key);
      if (namesakes === undefined) this.#outlived.set(key, [entry]);
      else namesakes.push(entry);
    } else this.#leave(entry);
  }

  /** A body that outlived its call has ended. */
  late({ callId, name }: { readonly callId: string; readonly name: string }): void {
    const key = `${callId}\n${name}`;
    const [entry, ...others] = this.#outlived.get(key) ?? [];
    if (entry === undefined) return;
    if (others.length === 0) this.#outlived.delete(key);
    else this.#outlived.set(key, others);
    this.#leave(entry);
  }

  /** It reached no body. Another attempt of the call would be counted anew. */
  #giveBack(entry: Entry): void {
    if (entry.isCounted) entry.share.giveBack();
    entry.isCounted = false;
    this.#calls.drop(entry);
  }

  #leave(entry: Entry): void {
    const { ticket, account } = entry;
    entry.ticket = undefined;
    this.#calls.drop(entry);
    if (ticket !== undefined) account.slots.leave(ticket);
  }

  #account(scopePath: ScopePath): Account {
    const key = this.#keyOf(scopePath);
    let account = this.#accounts.get(key);
    if (account === undefined) this.#accounts.set(key, (account = new Account((toolName) => this.#rulesFor(toolName))));
    return account;
  }
}

function clock(): number {
  return performance.now();
}
