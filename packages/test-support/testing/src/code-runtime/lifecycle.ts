import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { failedWith, returned, type CodeRuntimeCheck, type Functions } from './world.ts';

/** Threads and ports that keep the process alive. */
const held = (): number => process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length;

export function lifecycle(rows: number): readonly CodeRuntimeCheck[] {
  return [
    {
      name: 'runs fifty programs, no more at once than it was told',
      config: { maxConcurrent: 4, spares: 1 },
      async run({ run }) {
        let now = 0;
        let most = 0;
        const functions: Functions = {
          step: async (n) => {
            now += 1;
            most = Math.max(most, now);
            await new Promise((done) => setTimeout(done, 20));
            now -= 1;
            return n;
          },
        };
        const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => run(`return tools.step(${n});`, { functions })));
        deepStrictEqual(outcomes.map(({ value }) => value), Array.from({ length: 50 }, (_, n) => n));
        ok(most <= 4, `${most} at once`);
        ok(most > 1, 'nothing overlapped');
      },
    },
    {
      name: 'lets so many programs wait and no more, and forgets one that is told to stop',
      config: { maxConcurrent: 1, maxQueued: 1 },
      async run({ run }) {
        let release = (): void => undefined;
        const functions: Functions = { wait: () => new Promise((done) => { release = () => { done('over'); }; }) };
        const controller = new AbortController();
        const first = run('return tools.wait({});', { functions });
        await new Promise((done) => setTimeout(done, 20));
        const second = run('return 2;', { signal: controller.signal });
        await new Promise((done) => setTimeout(done, 20));
        failedWith(await run('return 3;'), 'worker-exit', 'waiting');
        controller.abort('changed my mind');
        failedWith(await second, 'abort', 'changed my mind');
        const third = run('return 4;');
        const waiting = setInterval(() => { release(); }, 10);
        returned(await first, 'over');
        returned(await third, 4);
        clearInterval(waiting);
      },
    },
    {
      name: `leaves nothing behind after ${rows} programs in a row, some of them ended by force`,
      config: { spares: 1, maxConcurrent: 4 },
      async run({ run, ctx }) {
        returned(await run('return 1;'), 1);
        const before = process.memoryUsage().heapUsed;
        const functions: Functions = { get: () => Promise.resolve('x'), hang: () => new Promise(() => undefined) };
        const programs = ['return tools.get({});', 'throw new Error("x");', 'tools.hang({}); return 1;', 'console.log(await tools.get({}));'];
        const forced = [
          { program: 'while (true) {}', limits: { computeMs: 20 } },
          { program: 'await tools.hang({});', limits: { wallMs: 30 } },
        ];
        const lane = async (from: number): Promise<void> => {
          for (let n = from; n < rows; n += 4) {
            const ended = n % 10 === 0 ? forced[(n / 10) % 2] : undefined;
            const outcome = await run(ended?.program ?? (programs[n % 4] as string), ended === undefined ? { functions } : { functions, limits: ended.limits });
            strictEqual(outcome.error?.kind, ended === undefined ? (n % 4 === 1 ? 'exception' : undefined) : 'timeout');
          }
        };
        await Promise.all([0, 1, 2, 3].map(lane));
        await ctx.dispose();
        strictEqual(held(), 0);
        const grownMb = (process.memoryUsage().heapUsed - before) / 1_048_576;
        ok(grownMb < 60, `the host's heap grew by ${grownMb} MB`);
      },
    },
    {
      name: 'ends what runs when it is unloaded, and runs nothing afterwards',
      config: { maxConcurrent: 1, spares: 1 },
      async run({ run, ctx }) {
        const { codeRuntime } = ctx;
        const functions: Functions = { hang: () => new Promise(() => undefined) };
        const running = run('await tools.hang({});', { functions });
        await new Promise((done) => setTimeout(done, 20));
        const waiting = run('return 1;');
        await new Promise((done) => setTimeout(done, 20));
        await ctx.dispose();
        failedWith(await running, 'abort', 'unloaded');
        failedWith(await waiting, 'abort', 'unloaded');
        strictEqual(held(), 0);
        await rejects(() => codeRuntime.run({ program: 'return 1;', bindings: [], signal: new AbortController().signal }), /unloaded/);
        deepStrictEqual(ctx.get('codeRuntime'), undefined);
      },
    },
    {
      name: 'says what it contains',
      async run({ ctx }) {
        const { language, isolation, capabilities } = ctx.codeRuntime as unknown as { language: string; isolation: string; capabilities: Record<string, { level: string; how: string }> };
        strictEqual(language, 'typescript');
        ok(isolation.length > 0);
        for (const aspect of ['time', 'heap', 'externalMemory', 'env', 'fs', 'network', 'processes']) {
          ok(['contained', 'approximate', 'open'].includes(capabilities[aspect]?.level ?? ''), aspect);
          ok((capabilities[aspect]?.how.length ?? 0) > 10, aspect);
        }
        ok(['mistakes', 'hostile'].includes(capabilities['fitFor'] as unknown as string));
        return Promise.resolve();
      },
    },
  ];
}
