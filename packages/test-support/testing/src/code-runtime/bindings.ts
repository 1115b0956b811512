import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { CodeNamespace } from '@sluice/code-runtime';
import { failedWith, refusesRequest, returned, tellsNoPaths, type CodeRuntimeCheck, type Functions } from './world.ts';

/** Rejects with what is no Error, as bindings may. */
function rejecting(reason: unknown): Promise<never> {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is what it is for
  return Promise.reject(reason);
}

const echo: Functions = { echo: (args) => Promise.resolve(args) };

export const bindings: readonly CodeRuntimeCheck[] = [
  {
    name: 'passes arguments and results by value, whatever they are called',
    async run({ run }) {
      const seen: unknown[] = [];
      const functions = Object.assign(Object.create(null) as Record<string, Functions[string]>, {
        note: (args: unknown) => {
          seen.push(args);
          return Promise.resolve(JSON.parse('{"__proto__":{"x":1},"constructor":2}') as never);
        },
      });
      Object.defineProperty(functions, '__proto__', { value: () => Promise.resolve('proto'), enumerable: true });
      Object.defineProperty(functions, 'odd name-1', { value: () => Promise.resolve('odd'), enumerable: true });
      const program = `
        const got = await tools.note(JSON.parse('{"__proto__":[1],"constructor":3}'));
        await tools.note(); await tools.note(undefined, 'ignored'); await tools.note(-0); await tools.note('\\ud800');
        return [Object.keys(got), Object.getPrototypeOf(got) === Object.prototype, await tools.__proto__({}), await tools['odd name-1']({}), Object.keys(tools).sort()];`;
      returned(await run(program, { functions }), [['__proto__', 'constructor'], true, 'proto', 'odd', ['__proto__', 'note', 'odd name-1']]);
      deepStrictEqual(Object.keys(seen[0] as object), ['__proto__', 'constructor']);
      deepStrictEqual(seen.slice(1), [{}, {}, 0, '\ud800']);
    },
  },
  {
    name: 'gives a failure as an error of the namespace, with nothing but what it may show',
    async run({ run }) {
      const secret = Object.assign(new Error('not now'), { code: 'DENIED', other: 'secret', stack: 'at /secret' });
      const program = `
        try { await tools.boom({}); } catch (e) {
          return [e instanceof ToolCallError, e instanceof Error, e.name, e.message, e.toolName, e.code, e.other, String(e), e.stack, Object.keys(e).sort()];
        }`;
      const { value } = await run(program.replace('e.other,', 'typeof e.other,'), { functions: { boom: () => Promise.reject(secret) } });
      const seen = value as unknown[];
      deepStrictEqual(seen.slice(0, 8), [true, true, 'ToolCallError', 'not now', 'boom', 'DENIED', 'undefined', 'ToolCallError: not now']);
      ok(String(seen[8]).includes('program.ts:2'), String(seen[8]));
      tellsNoPaths(String(seen[8]));
      deepStrictEqual(seen[9], ['code', 'toolName']);
      const uncaught = failedWith(await run('\nawait tools.boom({});', { functions: { boom: () => Promise.reject(secret) } }), 'exception', 'ToolCallError: not now', 'program.ts:2');
      ok(!uncaught.includes('secret'));
    },
  },
  {
    name: 'survives bindings that reject with anything, throw at once, or give what is no JSON',
    async run({ run }) {
      const hostile = new Proxy({}, { get() { throw new Error('trap'); } });
      const functions = {
        nothing: () => rejecting(undefined),
        text: () => rejecting('words'),
        proxy: () => rejecting(hostile),
        atOnce: () => { throw new Error('at once'); },
        date: () => Promise.resolve(new Date(0) as never),
        cycle: () => {
          const loop: Record<string, unknown> = {};
          loop['self'] = loop;
          return Promise.resolve(loop as never);
        },
        nan: () => Promise.resolve(NaN),
        missing: () => Promise.resolve(undefined as never),
        thenable: () => ({ then: (done: (value: unknown) => void) => { done(5); done(6); } }) as never,
      } satisfies Functions;
      const program = `
        const seen = {};
        for (const name of Object.keys(tools)) {
          try { seen[name] = ['ok', await tools[name]({})]; } catch (e) { seen[name] = [e.constructor === ToolCallError, e.message.slice(0, 200)]; }
        }
        return seen;`;
      const { value } = await run(program, { functions });
      const seen = value as unknown as Record<'missing' | 'thenable' | 'nothing' | 'text' | 'proxy' | 'atOnce' | 'date' | 'cycle' | 'nan', [unknown, unknown]>;
      deepStrictEqual([seen.missing, seen.thenable], [['ok', null], ['ok', 5]]);
      for (const [name, piece] of [['nothing', 'undefined'], ['text', 'words'], ['proxy', ''], ['atOnce', 'at once'], ['date', 'JSON'], ['cycle', 'JSON'], ['nan', 'JSON']] as const) {
        strictEqual(seen[name][0], true, name);
        ok(String(seen[name][1]).includes(piece), `${name}: ${String(seen[name][1])}`);
      }
    },
  },
  {
    name: 'refuses an argument that is no JSON without calling anybody',
    async run({ run }) {
      let calls = 0;
      const functions = { count: () => { calls += 1; return Promise.resolve(null); } };
      const program = `
        const bad = [{ a: new Date(0) }, NaN, () => 1, 10n, [undefined], new Proxy({}, { ownKeys() { throw new Error('trap'); } })];
        const seen = [];
        for (const each of bad) { try { await tools.count(each); seen.push('called'); } catch (e) { seen.push(e.message); } }
        return seen;`;
      const seen = (await run(program, { functions })).value as string[];
      strictEqual(calls, 0);
      for (const [index, piece] of ['["a"] is a Date', 'NaN', 'function', 'bigint', '[0] is undefined', 'trap'].entries()) ok(seen[index]?.includes(piece), seen[index]);
    },
  },
  {
    name: 'makes calls in order, and as many at once as the program likes',
    async run({ run }) {
      const order: unknown[] = [];
      const functions = { double: async (n: unknown) => { order.push(n); await Promise.resolve(); return (n as number) * 2; } } satisfies Functions;
      const program = 'const all = await Promise.all(Array.from({ length: 3000 }, (_, n) => tools.double(n))); return all.reduce((a, b) => a + b, 0);';
      returned(await run(program, { functions }), 2999 * 3000);
      deepStrictEqual(order, Array.from({ length: 3000 }, (_, n) => n));
      returned(await run('let sum = 0; for (let n = 0; n < 200; n++) sum += await tools.double(n); return sum;', { functions }), 199 * 200);
    },
  },
  {
    name: 'keeps several namespaces apart, with and without an error class',
    async run({ run }) {
      const list: CodeNamespace[] = [
        { global: 'one', functions: echo, errorClass: { name: 'OneError', memberNameProperty: 'member' } },
        { global: 'two', functions: { fail: () => Promise.reject(Object.assign(new Error('two'), { code: 'X' })) } },
      ];
      const program = `
        let error; try { await two.fail(1); } catch (e) { error = e; }
        let frozen = 0; try { one.echo = 1; } catch { frozen++; } try { globalThis.one = 1; } catch { frozen++; }
        return [await one.echo(5), error.constructor === Error, error.message, 'code' in error, new OneError('x').name, frozen];`;
      returned(await run(program, { bindings: list }), [5, true, 'two', false, 'OneError', 2]);
    },
  },
  {
    name: 'starts nothing after the end, and tells of calls that nobody awaited',
    async run({ run }) {
      let started = 0;
      const functions = {
        slow: () => { started += 1; return new Promise<never>(() => undefined); },
        boom: () => Promise.reject(new Error('unseen-7')),
      };
      const { value, logs } = await run('tools.slow({}); tools.boom({}).catch(() => {}); return "done";', { functions });
      strictEqual(value, 'done');
      ok(logs.join('\n').includes('tools.slow'), logs.join('\n'));
      ok(logs.join('\n').includes('unseen-7'), logs.join('\n'));
      const before = started;
      failedWith(await run('await null; for (;;) { tools.slow({}).catch(() => {}); await null; }', { functions, limits: { computeMs: 150 } }), ['timeout', 'exception']);
      const atEnd = started;
      await new Promise((done) => setTimeout(done, 100));
      strictEqual(started, atEnd);
      ok(atEnd - before <= 2_000, `${atEnd - before} calls reached the host at once`);
    },
  },
  {
    name: 'refuses a request that is wrong, before anything runs',
    async run({ run, ctx }) {
      const wrong: readonly [options: object, piece: string][] = [
        [{ bindings: [{ global: 'class', functions: {} }] }, 'class'],
        [{ bindings: [{ global: 'lambda', functions: {} }] }, 'lambda'],
        [{ bindings: [{ global: 'console', functions: {} }] }, 'console'],
        [{ bindings: [{ global: 'ünï', functions: {} }] }, 'identifier'],
        [{ bindings: [{ global: '1a', functions: {} }] }, 'identifier'],
        [{ bindings: [{ global: '$a', functions: {} }] }, 'identifier'],
        [{ bindings: [{ global: 'a', functions: {} }, { global: 'a', functions: {} }] }, 'two'],
        [{ bindings: [{ global: 'a', functions: {}, errorClass: { name: 'a', memberNameProperty: 'm' } }] }, 'two'],
        [{ bindings: [{ global: 'a', functions: {}, errorClass: { name: 'E', memberNameProperty: 'message' } }] }, 'message'],
        [{ bindings: [{ global: 'a', functions: {}, errorClass: { name: 'E', memberNameProperty: 'm', properties: ['__class__'] } }] }, '__class__'],
        [{ bindings: [{ global: 'a', functions: { x: 5 } }] }, 'a.x'],
        [{ bindings: 'none' }, 'list'],
        [{ signal: {} }, 'signal'],
        [{ limits: { computeMs: -1 } }, 'computeMs'],
        [{ limits: { heapMb: 1.5 } }, 'heapMb'],
        [{ limits: { speed: 1 } }, 'speed'],
      ];
      for (const [options, piece] of wrong) await refusesRequest(() => run('return 1;', options), piece);
      await refusesRequest(() => ctx.codeRuntime.run({ program: 5, bindings: [], signal: new AbortController().signal } as never), 'program');
    },
  },
];
