// The program's realm is a context of node:vm with nothing of Node.js in it. See worker.js of @sluice/code-runtime for what goes
// in and out, and for why only primitives do.
import { createContext, runInContext, Script } from 'node:vm';

/**
 * @param {{
 *   source: string,
 *   send: (...parts: any[]) => void,
 *   isLenient: boolean,
 *   maxChars: number,
 *   EngineFailure: new (kind: string, message: string) => Error,
 *   floated: (reason: unknown) => void,
 * }} outside any: primitives of the realm
 */
export function createEngine({ source, send, isLenient, maxChars, EngineFailure, floated }) {
  // Without a prototype: what is looked up on a context's global is looked up on this object too.
  const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  /** @param {any[]} parts */
  const tell = (...parts) => {
    send(...parts);
  };
  Object.setPrototypeOf(tell, null);
  Object.freeze(tell);
  // The program never sees `tell`: a function of the realm calls it, and lets nothing out that this realm might throw.
  const guard = `((tell) => {
    'use strict';
    return (op, a, b, c, d) => {
      let isFailed = true;
      try {
        tell(op, a, b, c, d);
        isFailed = false;
      } catch {}
      if (isFailed) throw new RangeError('Maximum call stack size exceeded');
    };
  })`;
  const inside = { filename: 'sluice:realm' };
  const deliver = runInContext(source, context, inside)(runInContext(guard, context, inside)(tell), isLenient, maxChars);
  process.on('unhandledRejection', floated);

  return {
    deliver,
    /** @param {string} code An expression that gives an async function. */
    run(code) {
      let main;
      try {
        main = new Script(code, { filename: 'program.ts' }).runInContext(context);
      } catch (error) {
        // Of this realm, and about the text only: the text was parsed before, so this is a rare rule of V8.
        throw new EngineFailure('exception', error instanceof Error ? `${error.name}: ${error.message}` : 'the program could not be compiled');
      }
      deliver(1, main);
    },
  };
}
