import { describeIssues, snapshotJson } from '@sluice/core-schema';
import type { ValidNamespace } from '../request.ts';
import { textOf } from './failure-text.ts';

/** Deeper values than this are refused; JSON.stringify is recursive, and has room for these. */
const LIMITS = { maxDepth: 3_000, maxNodes: 10_000_000 };
const MAX_MESSAGE = 100_000;
/** Failures remembered to tell of them when nobody awaited them. */
const MAX_REMEMBERED = 64;

const now = Promise.resolve();

interface Open {
  readonly label: string;
  failure?: string;
}

/** The calls of one run, as they arrive from a thread that may say anything. */
export class Calls {
  readonly #namespaces: readonly ValidNamespace[];
  readonly #maxChars: number;
  readonly #post: (message: readonly unknown[]) => void;
  readonly #open = new Map<number, Open>();
  readonly #failed = new Map<number, Open>();
  #lastId = 0;
  #replies: unknown[] = [];
  #isPosting = false;
  #isOver = false;

  constructor(namespaces: readonly ValidNamespace[], maxChars: number, post: (message: readonly unknown[]) => void) {
    this.#namespaces = namespaces;
    this.#maxChars = maxChars;
    this.#post = post;
  }

  /** What the realm is told about the namespaces. */
  declarations(): string {
    return JSON.stringify(
      this.#namespaces.map(({ global, functions, errorClass }) => ({ global, names: [...functions.keys()], errorClass })),
    );
  }

  /** Answers that come later are dropped, and no further call begins. */
  end(): void {
    this.#isOver = true;
    this.#replies = [];
  }

  /** `message` is `['calls', id, namespace, name, json, …]`; what does not look like that is passed over. */
  receive(message: readonly unknown[]): void {
    for (let i = 1; i + 3 < message.length && !this.#isOver; i += 4) {
      const id = message[i];
      const index = message[i + 1];
      const name = message[i + 2];
      const json = message[i + 3];
      if (typeof id !== 'number' || typeof index !== 'number' || typeof name !== 'string' || typeof json !== 'string') continue;
      // Ids ascend, so none is answered twice, and none need be remembered.
      if (!Number.isSafeInteger(id) || id <= this.#lastId) continue;
      this.#lastId = id;
      this.#call(id, index, name, json);
    }
  }

  /** Of calls that the program left alone: what became of each. */
  fateOf(ids: readonly unknown[]): string[] {
    const notes: string[] = [];
    for (const id of ids.slice(0, 5)) {
      const failed = this.#failed.get(id as number);
      const open = this.#open.get(id as number);
      if (failed !== undefined) notes.push(`note: ${failed.label} was not awaited; it failed: ${String(failed.failure)}`);
      else if (open !== undefined) notes.push(`note: ${open.label} was not awaited, and is cancelled if it still runs`);
    }
    if (ids.length > 5) notes.push(`note: ${ids.length - 5} more calls were not awaited`);
    return notes;
  }

  #call(id: number, index: number, name: string, json: string): void {
    const namespace = this.#namespaces[index];
    const call = namespace?.functions.get(name);
    if (namespace === undefined || call === undefined) {
      this.#reply(id, false, JSON.stringify({ message: 'there is no such function', properties: {} }));
      return;
    }
    this.#open.set(id, { label: `${namespace.global}.${name}` });
    const reject = (thrown: unknown): void => { this.#rejected(id, namespace, thrown); };
    if (json.length > this.#maxChars) {
      reject(new Error(`the argument is longer than ${this.#maxChars} characters of JSON`));
      return;
    }
    // In a promise's own job, so that a function that throws at once is no different from one that rejects.
    new Promise((resolve) => { resolve(call(JSON.parse(json) as never)); }).then((value) => { this.#resolved(id, namespace, value); }, reject);
  }

  #resolved(id: number, namespace: ValidNamespace, value: unknown): void {
    if (this.#isOver) return;
    const snapshot = snapshotJson(value === undefined ? null : value, LIMITS);
    let why: string;
    if (snapshot.ok) {
      const json = jsonOf(snapshot.value);
      if (json !== undefined && json.length <= this.#maxChars) {
        this.#open.delete(id);
        this.#reply(id, true, json);
        return;
      }
      why = `its result is longer than ${this.#maxChars} characters of JSON`;
    } else {
      why = `its result is not lossless JSON: ${describeIssues([snapshot.issue], 'result')}`;
    }
    this.#rejected(id, namespace, new Error(why));
  }

  #rejected(id: number, { errorClass }: ValidNamespace, thrown: unknown): void {
    if (this.#isOver) return;
    const message = (stringAt(thrown, 'message') ?? textOf(thrown)).slice(0, MAX_MESSAGE);
    const properties: [string, string][] = [];
    for (const name of errorClass?.properties ?? []) {
      const value = stringAt(thrown, name);
      if (value !== undefined) properties.push([name, value.slice(0, MAX_MESSAGE)]);
    }
    const open = this.#open.get(id);
    this.#open.delete(id);
    if (open !== undefined) {
      this.#failed.set(id, { ...open, failure: message });
      if (this.#failed.size > MAX_REMEMBERED) for (const oldest of this.#failed.keys()) { this.#failed.delete(oldest); break; }
    }
    this.#reply(id, false, JSON.stringify({ message, properties: Object.fromEntries(properties) }));
  }

  /** Answers travel together: those of one turn of the event loop, unless the program waits for nothing else. */
  #reply(id: number, isOk: boolean, json: string): void {
    this.#replies.push(id, isOk, json);
    if (this.#isPosting) return;
    this.#isPosting = true;
    if (this.#open.size === 0) void now.then(this.#postReplies);
    else setImmediate(this.#postReplies);
  }

  readonly #postReplies = (): void => {
    this.#isPosting = false;
    const replies = this.#replies;
    this.#replies = [];
    if (!this.#isOver) this.#post(['replies', ...replies]);
  };
}

/** A property that is a string, of a value that may be anything. */
function stringAt(value: unknown, name: string): string | undefined {
  try {
    const found = (value as Record<string, unknown> | null | undefined)?.[name];
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // Longer than a string can be.
    return undefined;
  }
}
