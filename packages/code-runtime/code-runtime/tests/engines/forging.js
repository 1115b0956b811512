// An engine that has been taken over: it says whatever it likes on the port, and never what it should.
import { parentPort } from 'node:worker_threads';

export function createEngine() {
  const say = (/** @type {unknown} */ message) => parentPort?.postMessage(message);
  return {
    deliver() {
      // Nothing of what it is told matters to it.
    },
    /** @param {string} code */
    run(code) {
      if (code.includes('silent')) {
        setInterval(() => undefined, 1_000);
        return;
      }
      for (const junk of [null, 1, 'x', {}, [], ['dance'], { type: 'done', value: 'forged' }, ['done', 5], ['failed', 'dance', 'x', ''], ['failed', 'abort', 'x', ''], ['failed', 'exception', 5, '']]) say(junk);
      say(['calls', 1, 0, 'constructor', '{}', 2, 0, '__proto__', '{}', 3, 7, 'echo', '{}', 4, 0, 'toString', '{}']);
      say(['calls', 5, 0, 'echo', '{"n":1}', 5, 0, 'echo', '{"n":2}', 4, 0, 'echo', '{"n":3}', -1, 0, 'echo', '{}', 1.5, 0, 'echo', '{}', 'x', 0, 'echo', '{}', NaN, 0, 'echo', '{}']);
      say(['calls', 6, 0, 'echo', 'no json', 7, 0, 'echo']);
      if (code.includes('flood')) for (let i = 0; i < 20_000; i += 1) say(['calls', 'junk', {}]);
      say(code.includes('bad json') ? ['done', '{"a":', []] : code.includes('too long') ? ['done', JSON.stringify('x'.repeat(1e6)), []] : ['done', '"real"', ['x', null, {}, 6]]);
      say(['done', '"second"', []]);
    },
  };
}
