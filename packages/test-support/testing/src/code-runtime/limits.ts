import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { CodeRunOutcome } from '@sluice/code-runtime';
import { failedWith, returned, type CodeRuntimeCheck, type Functions } from './world.ts';

const never: Functions = { never: () => new Promise(() => undefined) };

/** Longest time that the host's own timers were held up while `work` ran, in milliseconds. */
async function longestGap(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 10);
  await work();
  clearInterval(timer);
  return longest;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

export const limits: readonly CodeRuntimeCheck[] = [
  {
    name: 'ends a program that works too long, however it resists',
    async run({ run }) {
      const resisting = [
        'console.log("before"); void tools.never({}); while (true) {}',
        'console.log("before"); for (;;) { try { while (true) {} } catch {} finally { continue; } }',
        'console.log("before"); for (;;) await null;',
        'console.log("before"); const spin = () => { Promise.resolve().then(spin); spin2(); }; const spin2 = () => { for (let i = 0; i < 1e5; i++); }; spin(); await tools.never({});',
        'console.log("before"); await null; /(a+)+$/.test("a".repeat(60) + "!"); return 1;',
        'console.log("before"); setInterval(() => { for (let i = 0; i < 1e6; i++); }, 0); await tools.never({});',
        'console.log("before"); [1, 2].sort(() => { for (;;); });',
        'console.log("before"); const p = new Proxy({}, { ownKeys() { for (;;); } }); return p;',
      ];
      const gap = await longestGap(async () => {
        for (const program of resisting) {
          const outcome = await run(program, { functions: never, limits: { computeMs: 200, wallMs: 60_000 } });
          failedWith(outcome, 'timeout', '200 ms', 'computeMs');
          deepStrictEqual(outcome.logs, ['before'], program);
        }
      });
      ok(gap < 1_500, `the host was held up for ${gap} ms`);
      returned(await run('return 1;'), 1);
    },
  },
  {
    name: 'ends a program that takes too long on the clock, and counts no work meanwhile',
    async run({ run }) {
      const startedAt = performance.now();
      failedWith(await run('await tools.never({});', { functions: never, limits: { wallMs: 400, computeMs: 300 } }), 'timeout', '400 ms', 'wallMs');
      ok(performance.now() - startedAt >= 395);
    },
  },
  {
    name: 'stops the clock while people are asked',
    async run({ run }) {
      const listeners = new Set<(held: boolean) => void>();
      const tell = (held: boolean): void => { for (const listener of listeners) listener(held); };
      const functions: Functions = {
        ask: async () => {
          tell(true);
          tell(true);
          await new Promise((done) => setTimeout(done, 700));
          tell(false);
          await new Promise((done) => setTimeout(done, 700));
          tell(false);
          return 'yes';
        },
        ...never,
      };
      const onHold = (listener: (held: boolean) => void) => {
        listeners.add(listener);
        return () => { listeners.delete(listener); };
      };
      returned(await run('return tools.ask({});', { functions, onHold, limits: { wallMs: 1_200 } }), 'yes');
      failedWith(await run('await tools.ask({}); await tools.never({});', { functions, onHold, limits: { wallMs: 1_200 } }), 'timeout', 'wallMs');
      strictEqual(listeners.size, 0);
    },
  },
  {
    name: 'ends at once when it is told to, and lets go of the signal',
    async run({ run }) {
      const early = await run('return 1;', { signal: AbortSignal.abort(new Error('too early')) });
      deepStrictEqual(early.logs, []);
      failedWith(early, 'abort', 'too early');
      let calls = 0;
      let atAbort = -1;
      const controller = new AbortController();
      const functions: Functions = {
        step: () => {
          calls += 1;
          if (calls === 3) {
            controller.abort('enough');
            atAbort = calls;
          }
          return Promise.resolve(null);
        },
      };
      const { signal } = controller;
      const added: unknown[] = [];
      const counted = Object.assign(signal, {
        addEventListener: (type: string, listener: () => void) => {
          added.push(listener);
          EventTarget.prototype.addEventListener.call(signal, type, listener);
        },
        removeEventListener: (type: string, listener: () => void) => {
          added.splice(added.indexOf(listener), 1);
          EventTarget.prototype.removeEventListener.call(signal, type, listener);
        },
      });
      failedWith(await run('for (;;) { try { await tools.step({}); } catch {} }', { functions, signal: counted }), 'abort', 'enough');
      await new Promise((done) => setTimeout(done, 50));
      strictEqual(calls, atAbort);
      strictEqual(added.length, 0);
      const spinning = new AbortController();
      setTimeout(() => { spinning.abort(); }, 300);
      failedWith(await run('while (true) {}', { signal: spinning.signal }), 'abort');
    },
  },
  {
    name: 'keeps output within its bytes, to the byte, and the first of what was printed',
    async run({ run }) {
      const limit = (outputBytes: number) => ({ limits: { outputBytes } });
      const full = (outcome: CodeRunOutcome, outputBytes: number): readonly string[] => {
        failedWith(outcome, 'output-limit', `${outputBytes} bytes`);
        ok(bytesOf(outcome.logs) <= outputBytes, `${bytesOf(outcome.logs)} bytes`);
        return outcome.logs;
      };
      // ["ab","ä"] and "xy" are 11 and 4 bytes.
      const program = 'console.log("ab"); console.log("ä"); return "xy";';
      deepStrictEqual(await run(program, limit(15)), { logs: ['ab', 'ä'], value: 'xy' });
      deepStrictEqual(full(await run(program, limit(14)), 14), ['ab', 'ä']);
      deepStrictEqual(full(await run('console.log("ab"); console.log("a😀😀");', limit(15)), 15), ['ab', 'a😀']);
      deepStrictEqual(full(await run('console.log("first"); for (;;) console.log("x".repeat(10_000));', limit(65_536)), 65_536).slice(0, 1), ['first']);
      const flood = full(await run('for (let i = 0; ; i++) console.log(i);', limit(65_536)), 65_536);
      deepStrictEqual(flood.slice(0, 3), ['0', '1', '2']);
      full(await run('return "z".repeat(5e6);', limit(65_536)), 65_536);
      full(await run('throw new Error("e".repeat(5e6));', limit(65_536)), 65_536);
      deepStrictEqual((await run('return "y".repeat(10_000_000);')).value, 'y'.repeat(10_000_000));
    },
  },
  {
    name: 'ends a program that fills its memory, and no other',
    async run({ run }) {
      const bystander = run('for (let i = 0; i < 20; i++) await new Promise((done) => setTimeout(done, 100)); return "unharmed";');
      const { logs, error } = await run('console.log("before"); const all = []; while (true) all.push(new Array(1e5).fill(Math.random()));', {
        limits: { heapMb: 64, computeMs: 30_000 },
      });
      deepStrictEqual([logs, error?.kind], [['before'], 'worker-exit']);
      ok(error?.message.includes('memory'), error?.message);
      returned(await bystander, 'unharmed');
      failedWith(await run('let list = [1.5]; for (;;) { try { list = [...list, ...list]; } catch {} }', { limits: { heapMb: 32, computeMs: 20_000 } }), ['worker-exit', 'timeout']);
      failedWith(await run('const all = []; for (;;) all.push(new Uint8Array(5e6).fill(1));', { limits: { heapMb: 64, computeMs: 20_000 } }), ['worker-exit', 'exception']);
      returned(await run('return 1;'), 1);
    },
  },
  {
    name: 'is not flooded by calls',
    async run({ run }) {
      let calls = 0;
      const functions: Functions = { hang: () => { calls += 1; return new Promise(() => undefined); }, ...never };
      const big = 'const big = "x".repeat(1e6); ';
      for (const program of ['for (;;) tools.hang({});', `${big}for (;;) tools.hang(big);`, `${big}for (;;) { tools.hang(big); await null; }`]) {
        calls = 0;
        failedWith(await run(program, { functions, limits: { computeMs: 3_000, heapMb: 128 } }), ['exception', 'timeout', 'worker-exit']);
        ok(calls <= 1_100, `${calls} calls reached the host`);
      }
    },
  },
];
