// The inside of a worker thread that runs one program: loads an engine, passes its messages on, keeps the log within bounds.
// Everything here is out of the program's reach; only `send` is called from its realm, with primitives.
//
// Realm to here, send(op, …):  0 call(id, namespace, name, json)   1 log(text)   2 start timer(id, ms)   3 stop timer(id)
//                              4 returned(json?)                    5 failed(kind, head, stack)   6 returned too much
// Here to realm, deliver(op, …): 0 declare(json, outputBytes)   1 run(function)   2 reply(id, ok, json)   3 timer is due(id)   4 floated(reason)
//
// Host to here:  ['start', code, declarations, log, outputBytes, computeMs]   ['replies', id, ok, json, id, ok, json, …]
// Here to host:  ['ready']   ['calls', id, namespace, name, json, …]   ['done', json | null, unsettled ids]
//                ['failed', kind, head, stack]   ['full']
import { parentPort, workerData } from 'node:worker_threads';
import { realm } from './realm/realm.js';

/**
 * @typedef {object} Engine
 * @property {(op: number, a?: unknown, b?: unknown, c?: unknown) => void} deliver
 * @property {(code: string, computeMs: number) => void} run Compiles the program and hands it to the realm. May throw.
 */

const now = Promise.resolve();
/** Milliseconds after which it is looked whether the program waits for nothing that could happen. */
const CHECK_AFTER_MS = 5;

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
/** Calls that the host has and has not answered; further ones wait here, so that a program cannot flood it. */
const MAX_IN_FLIGHT = 1_024;
/** Calls that wait here. */
const MAX_WAITING = 100_000;

/** @type {Engine} */
let engine;
/** @type {Log | undefined} */
let log;
let isOver = false;

/** @param {unknown[]} message */
const post = (message) => {
  port.postMessage(message);
};

/** JSON strings and commas in shared memory, so that the host has what was printed even when this thread is gone. */
class Log {
  #memory;
  #bytes;
  #length;
  #used = 0;
  /** Bytes that logs and value may have together, as JSON. */
  #cap;
  isFull = false;

  /** @param {SharedArrayBuffer} memory @param {number} cap */
  constructor(memory, cap) {
    this.#memory = memory;
    this.#cap = cap;
    this.#length = new Int32Array(memory, 0, 1);
    this.#bytes = new Uint8Array(memory, 4);
  }

  /** What the value or the failure may still take: the list's brackets are paid for. */
  get room() {
    return this.#cap - 2 - this.#used;
  }

  /** @param {string} text */
  add(text) {
    if (this.isFull) return;
    const comma = this.#used === 0 ? 0 : 1;
    const room = this.room - comma;
    let json = text.length + 2 > room ? undefined : Buffer.from(JSON.stringify(text));
    if (json === undefined || json.length > room) {
      this.isFull = true;
      json = longestPrefix(text, room);
      if (json === undefined) return;
    }
    const size = json.length + comma;
    this.#reserve(this.#used + size);
    if (comma === 1) this.#bytes[this.#used] = 44;
    this.#bytes.set(json, this.#used + comma);
    this.#used += size;
    Atomics.store(this.#length, 0, this.#used);
  }

  /** @param {number} size */
  #reserve(size) {
    const memory = /** @type {SharedArrayBuffer & { grow(size: number): void }} */ (this.#memory);
    if (size + 4 <= memory.byteLength) return;
    memory.grow(Math.min(this.#cap + 4, Math.max(size + 4, memory.byteLength * 2)));
  }
}

/** JSON of the longest beginning of `text` that fits, cut between code points. @param {string} text @param {number} room */
function longestPrefix(text, room) {
  let low = 0;
  let high = Math.min(text.length, room);
  let best;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const isInsidePair = (text.charCodeAt(middle - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(middle) & 0xfc00) === 0xdc00;
    const json = Buffer.from(JSON.stringify(text.slice(0, isInsidePair ? middle - 1 : middle)));
    if (json.length <= room) {
      low = middle;
      best = json;
    } else high = middle - 1;
  }
  return best;
}

/** A UTF-16 unit is three bytes at most, so long texts that are far from the bound need not be counted. @param {string} text @param {number} room */
function fits(text, room) {
  return text.length <= room && (3 * text.length <= room || Buffer.byteLength(text) <= room);
}

/** @type {Map<number, NodeJS.Timeout>} */
const timers = new Map();
/** Calls that were sent and have no answer yet: id to length. @type {Map<number, number>} */
const unsettled = new Map();
let unsettledChars = 0;
/** Calls that wait for the end of this turn, or for answers to earlier ones. @type {unknown[]} */
let waiting = [];
let waitingChars = 0;
let isFlushing = false;
let isChecking = false;

function flush() {
  isFlushing = false;
  if (isOver) return;
  let count = 0;
  for (; count < waiting.length; count += 4) {
    const { length } = /** @type {string} */ (waiting[count + 3]);
    const isTooMuch = unsettled.size >= MAX_IN_FLIGHT || unsettledChars + length > 4 * workerData.maxChars;
    if (isTooMuch && unsettled.size > 0) break;
    unsettled.set(/** @type {number} */ (waiting[count]), length);
    unsettledChars += length;
    waitingChars -= length;
  }
  if (count === 0) return;
  const batch = count === waiting.length ? waiting : waiting.slice(0, count);
  waiting = waiting.slice(count);
  post(['calls', ...batch]);
}

/** @param {number} id */
function settled(id) {
  unsettledChars -= unsettled.get(id) ?? 0;
  unsettled.delete(id);
}

function flushSoon() {
  if (isFlushing) return;
  isFlushing = true;
  // Nothing in it throws, and queueMicrotask costs several times as much.
  void now.then(flush);
}

/** @param {string} kind @param {string} head @param {string} [stack] */
function fail(kind, head, stack = '') {
  if (isOver) return;
  isOver = true;
  const text = stack === '' ? head : `${head}\n${stack}`;
  // Long before it would have to be copied to the host.
  const isTooLong = log !== undefined && (text.length > log.room || Buffer.byteLength(JSON.stringify(text)) > log.room);
  if (isTooLong) post(['full']);
  else post(['failed', kind, head, stack]);
}

/**
 * @param {number} op
 * @param {any} [a]
 * @param {any} [b]
 * @param {any} [c]
 * @param {any} [d] any: see the table above
 */
function send(op, a, b, c, d) {
  if (isOver) return;
  switch (op) {
    case 0:
      waiting.push(a, b, c, d);
      waitingChars += d.length;
      if (waiting.length > 4 * MAX_WAITING || waitingChars > 4 * workerData.maxChars) {
        fail('exception', 'too many calls were made without waiting for any of them');
        break;
      }
      flushSoon();
      break;
    case 1:
      log?.add(a);
      if (log?.isFull === true) {
        isOver = true;
        post(['full']);
      }
      break;
    case 2:
      timers.set(a, setTimeout(() => {
        timers.delete(a);
        deliver(3, a);
      }, b));
      break;
    case 3:
      clearTimeout(timers.get(a));
      timers.delete(a);
      break;
    case 4: {
      isOver = true;
      const isTooLong = a !== undefined && log !== undefined && !fits(a, log.room);
      if (isTooLong) {
        post(['full']);
        break;
      }
      // Called in this very turn, and not awaited: the host must still hear of them to tell what became of them.
      const left = [...unsettled.keys()];
      if (waiting.length > 0) post(['calls', ...waiting]);
      for (let i = 0; i < waiting.length; i += 4) left.push(/** @type {number} */ (waiting[i]));
      post(['done', a ?? null, left]);
      break;
    }
    case 5:
      fail(a, b, c);
      break;
    case 6:
      isOver = true;
      post(['full']);
      break;
  }
}

/** @param {number} op @param {unknown} [a] @param {unknown} [b] @param {unknown} [c] */
function deliver(op, a, b, c) {
  if (isOver) return;
  try {
    engine.deliver(op, a, b, c);
  } catch (thrown) {
    failed(thrown);
  }
  checkSoon();
}

/** An engine says what went wrong in a way that is safe to read: `{ kind, head }`. Anything else is not looked at. @param {unknown} thrown */
function failed(thrown) {
  if (thrown instanceof EngineFailure) fail(thrown.kind, thrown.message);
  else fail('exception', 'the engine failed');
}

/** What an engine throws when it stopped the program. */
class EngineFailure extends Error {
  /** @param {string} kind @param {string} message */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/**
 * A program that waits for nothing that could still happen would otherwise sit there until its time is up. Looked at now and then:
 * while there is something to wait for, whatever comes of it will have it looked at again.
 */
function checkSoon() {
  if (isChecking) return;
  isChecking = true;
  setTimeout(() => {
    isChecking = false;
    if (isOver || timers.size > 0 || unsettled.size > 0 || waiting.length > 0) return;
    fail('exception', 'the program waits for a promise that nothing can settle any more');
  }, CHECK_AFTER_MS);
}

/** @param {unknown[]} message */
function receive(message) {
  switch (message[0]) {
    case 'start': {
      const [, code, declarations, memory, outputBytes, computeMs] =
        /** @type {[string, string, string, SharedArrayBuffer, number, number]} */ (message);
      log = new Log(memory, outputBytes);
      deliver(0, declarations, outputBytes);
      if (isOver) break;
      try {
        engine.run(code, computeMs);
      } catch (thrown) {
        failed(thrown);
      }
      checkSoon();
      break;
    }
    case 'replies':
      for (let i = 1; i < message.length; i += 3) {
        settled(/** @type {number} */ (message[i]));
        deliver(2, message[i], message[i + 1], message[i + 2]);
      }
      if (waiting.length > 0) flushSoon();
      break;
  }
}

/**
 * Cuts the ways from any object of this thread's own realm to code made of strings, and to hooks. No such object is given to a
 * program; this is for the case that the engine lets one slip, such as the RangeError of a function of this realm that ran out of
 * stack while the program called it.
 */
function harden() {
  for (const each of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    const kind = /** @type {object} */ (Object.getPrototypeOf(each));
    Object.defineProperty(kind, 'constructor', { value: undefined, writable: true });
    Object.freeze(kind);
  }
  Object.defineProperty(Error, 'prepareStackTrace', { get: () => undefined, set() {}, configurable: false });
  for (const kind of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError, Object, Array]) {
    Object.freeze(kind);
    Object.freeze(kind.prototype);
  }
}

const { createEngine } = await import(workerData.engine);
engine = await createEngine({
  source: `(${realm.toString()})`,
  send,
  isLenient: workerData.isLenient,
  maxChars: workerData.maxChars,
  heapMb: workerData.heapMb,
  data: workerData.data,
  EngineFailure,
  floated: (/** @type {unknown} */ reason) => { deliver(4, reason); },
});
harden();
port.on('message', receive);
post(['ready']);
