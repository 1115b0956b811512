import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// Types of the web are not part of this project's.
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };

let compiled: object | undefined;

/** The engine, compiled once for all threads: they share what V8 optimises as it runs. Some 40 ms, the first time. */
export function quickjsModule(): object {
  compiled ??= new WebAssembly.Module(readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')));
  return compiled;
}
