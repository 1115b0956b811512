import type * as Swc from '@swc/wasm-typescript';
import { createRequire } from 'node:module';

let loaded: typeof Swc | undefined;

/** Loads on first use: some 150 ms and 26 MB. */
export function stripper(): typeof Swc {
  if (loaded === undefined) {
    // A new parent each time: Node.js keeps every module that a parent ever loaded.
    const require = createRequire(import.meta.url);
    const path = require.resolve('@swc/wasm-typescript');
    Reflect.deleteProperty(require.cache, path);
    loaded = require(path) as typeof Swc;
  }
  return loaded;
}

/**
 * To be called with what the stripper threw. When it ran out of stack, its WebAssembly keeps the stack that it had claimed, and
 * after a few such programs fails for every program: so that instance is used no more.
 *
 * @returns whether it was such a failure
 */
export function isBroken(thrown: unknown): boolean {
  const isTrap = thrown instanceof Error && (thrown instanceof RangeError || thrown.name === 'RuntimeError');
  if (isTrap) loaded = undefined;
  return isTrap;
}
