// The program's realm is a QuickJS in WebAssembly that was given one function, `tell`, and a clock. See worker.js of
// @sluice/code-runtime for what goes in and out.
import { QuickJS } from 'quickjs-wasi';

/** @typedef {import('quickjs-wasi').JSValueHandle} Handle */

/** Rejections that nobody has handled yet, at most; more are a failure by themselves. */
const MAX_FLOATING = 1_000;

/**
 * @param {{
 *   source: string,
 *   send: (...parts: any[]) => void,
 *   isLenient: boolean,
 *   maxChars: number,
 *   heapMb: number,
 *   data: any,
 *   EngineFailure: new (kind: string, message: string) => Error,
 *   floated: (reason: unknown) => void,
 * }} outside any: primitives, and a WebAssembly.Module
 */
export async function createEngine({ source, send, isLenient, maxChars, heapMb, data, EngineFailure, floated }) {
  /** Milliseconds of work that are allowed; none is counted before the program runs. */
  let computeMs = Infinity;
  let usedMs = 0;
  let enteredAt = 0;
  let isInterrupted = false;
  /** Reasons of rejections without a handler, by promise. @type {Map<number, Handle>} */
  const floating = new Map();
  let hasTooManyFloating = false;

  const vm = await QuickJS.create({
    wasm: data,
    memoryLimit: heapMb * 1_048_576,
    maxStackSize: 256 * 1024,
    // Asked every ten thousand instructions or so.
    interruptHandler: () => {
      isInterrupted ||= hasTooManyFloating || usedMs + performance.now() - enteredAt > computeMs;
      return isInterrupted;
    },
    onUnhandledRejection: (/** @type {Handle} */ promise, /** @type {Handle} */ reason, /** @type {boolean} */ isHandled) => {
      const { identity } = promise;
      floating.get(identity)?.dispose();
      floating.delete(identity);
      if (isHandled) return;
      if (floating.size >= MAX_FLOATING) hasTooManyFloating = true;
      else floating.set(identity, reason.dup());
    },
    // What QuickJS itself would write has nowhere to go.
    wasi: () => ({ fd_write: () => 0 }),
  });

  /** @param {Handle} handle */
  const primitiveOf = (handle) => (handle.isString ? handle.toString() : handle.isNumber ? handle.toNumber() : undefined);
  const tell = vm.newFunction('tell', (...parts) => {
    send(...parts.map(primitiveOf));
    return vm.undefined;
  });

  /** @param {unknown} value @returns {Handle} */
  const handleOf = (value) => {
    switch (typeof value) {
      case 'string':
        return vm.newString(value);
      case 'number':
        return vm.newNumber(value);
      case 'boolean':
        return value ? vm.true : vm.false;
      default:
        return value === undefined ? vm.undefined : /** @type {Handle} */ (value);
    }
  };

  const realm = vm.evalCode(source, 'sluice:realm');
  const receive = vm.callFunction(realm, vm.undefined, tell, handleOf(isLenient), handleOf(maxChars));

  /**
   * Calls the realm, and runs everything that follows from it. The handles made here are given back; those that others made, such
   * as reasons, are theirs.
   * @param {number} op @param {readonly (() => unknown)[]} parts
   */
  const enter = (op, ...parts) => {
    enteredAt = performance.now();
    /** @type {Handle[]} */
    const made = [];
    /** @param {Handle} handle */
    const keep = (handle) => {
      made.push(handle);
      return handle;
    };
    try {
      const handles = parts.map((part) => {
        const value = part();
        return typeof value === 'string' || typeof value === 'number' ? keep(handleOf(value)) : handleOf(value);
      });
      keep(vm.callFunction(receive, vm.undefined, keep(handleOf(op)), ...handles));
      vm.executePendingJobs();
    } catch (thrown) {
      throw failureOf(thrown);
    } finally {
      for (const handle of made) handle.dispose();
      usedMs += performance.now() - enteredAt;
    }
    const [first] = floating.values();
    if (first === undefined) return;
    floating.clear();
    floated(first);
  };

  /** @param {unknown} thrown */
  const failureOf = (thrown) => {
    if (hasTooManyFloating) return new EngineFailure('exception', `more than ${MAX_FLOATING} promises were rejected, and nobody handles them`);
    if (isInterrupted) return new EngineFailure('timeout', `the program worked for more than ${computeMs} ms (limit computeMs)`);
    const message = thrown instanceof Error ? thrown.message : '';
    if (message === 'out of memory') return new EngineFailure('worker-exit', `the program ran out of memory: it may use ${heapMb} MB (limit heapMb)`);
    if (thrown instanceof RangeError || (thrown instanceof Error && thrown.name === 'RuntimeError')) {
      return new EngineFailure('exception', 'InternalError: the program recursed too deeply');
    }
    return new EngineFailure('exception', thrown instanceof Error ? `${thrown.name}: ${message}` : 'the engine failed');
  };

  return {
    /** @param {number} op @param {unknown} [a] @param {unknown} [b] @param {unknown} [c] */
    deliver(op, a, b, c) {
      enter(op, () => a, () => b, () => c);
    },
    /** @param {string} code An expression that gives an async function. @param {number} limitMs */
    run(code, limitMs) {
      computeMs = limitMs;
      enter(1, () => vm.evalCode(code, 'program.ts'));
    },
  };
}
