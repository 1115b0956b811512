import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { failedWith, returned, tellsNoPaths, type CodeRuntimeCheck } from './world.ts';

export const programs: readonly CodeRuntimeCheck[] = [
  {
    name: 'runs the body of an async function and gives back what it returns',
    async run({ run }) {
      const [value, nothing, nil, text, deep] = await Promise.all([
        run('const half = await Promise.resolve(21);\nreturn { half, list: [1, "ä", null, true, 1.5e300], "": {} };'),
        run('const unused = 1;'),
        run('return null;'),
        run('return "\\ud800 \\u0000 \\u2028 😀";'),
        run('let value: unknown[] = []; for (let i = 0; i < 2000; i++) value = [value]; return value;'),
      ]);
      returned(value, { half: 21, list: [1, 'ä', null, true, 1.5e300], '': {} });
      returned(nothing, undefined);
      returned(nil, null);
      returned(text, '\ud800 \u0000 \u2028 😀');
      strictEqual(JSON.stringify(deep.value), '['.repeat(2001) + ']'.repeat(2001));
    },
  },
  {
    name: 'understands TypeScript, and does not check its types',
    async run({ run }) {
      const program = `
        interface Pair<T> { left: T; right: T }
        type Names = readonly string[]
        ;[1].forEach(() => {})
        enum Colour { Red = 3, Blue }
        class Point { constructor(readonly x: number, private y = 2) {} sum(this: Point): number { return this.x + this.y } }
        const pair = { left: 1, right: 2 } satisfies Pair<number>;
        const wrong: string = 5 as any;
        const names: Names = ['a', 'b'];
        return [pair.left!, Colour.Blue, new Point(1).sum(), wrong, names.map(<T,>(name: T) => name)];`;
      returned(await run(program), [1, 4, 3, 5, ['a', 'b']]);
    },
  },
  {
    name: 'runs each program in strict mode, in a realm of its own',
    async run({ run }) {
      returned(await run('globalThis.left = 1; Array.prototype.left = 2; return [typeof this, (function () { return typeof this; })()];'), ['undefined', 'undefined']);
      returned(await run('return [typeof left, typeof [].left];'), ['undefined', 'undefined']);
    },
  },
  {
    name: 'keeps what is printed, in order, as text',
    async run({ run }) {
      const { logs } = await run(`
        console.log('a', 1, true, null, undefined);
        console.info({ list: [1, { deep: 'x' }], fn() {}, get lazy() { throw new Error('no'); } });
        console.warn(new Map([['k', new Set([1])]]), new Date(0), /x/g, 10n, Symbol('s'));
        const loop = {}; loop.self = loop;
        console.error(loop);
        console.debug(new TypeError('words'));
        console.log('%s', 'unsubstituted');
        console.log({ get [Symbol.toStringTag]() { throw 1; } }, new Proxy({}, { ownKeys() { throw 1; } }));
        console.log(new Array(200).fill(0), 'x'.repeat(5));`);
      strictEqual(logs.length, 8);
      strictEqual(logs[0], 'a 1 true null undefined');
      for (const piece of ['list:', 'deep:', '"x"', '[Function fn]', '[Getter]']) ok(logs[1]?.includes(piece), logs[1]);
      for (const piece of ['"k" =>', '1970-01-01T00:00:00.000Z', '/x/g', '10n', 'Symbol(s)']) ok(logs[2]?.includes(piece), logs[2]);
      ok((logs[3]?.length ?? 0) < 1000);
      ok(logs[4]?.startsWith('TypeError: words'));
      tellsNoPaths(logs.join('\n'));
      strictEqual(logs[5], '%s unsubstituted');
      ok(logs[7]?.includes('100 more'));
    },
  },
  {
    name: 'tells where a program failed, in positions of the program and nothing else',
    async run({ run }) {
      const thrown = failedWith(await run('const x: number = 1;\n\nfunction inner(): never {\n  throw new RangeError("too far");\n}\ninner();'), 'exception', 'RangeError: too far');
      ok(/program\.ts:4(:\d+)?\b/.test(thrown), thrown);
      ok(/program\.ts:6(:\d+)?\b/.test(thrown), thrown);
      tellsNoPaths(thrown);
      const first = failedWith(await run('null.x'), 'exception', 'TypeError');
      ok(/program\.ts:1(:[1-6])?\b/.test(first), first);
      const late = failedWith(await run('enum A { X }\nawait new Promise((done) => setTimeout(done, 1));\nnope(A.X);'), 'exception', 'nope');
      ok(/program\.ts:3(:\d+)?\b/.test(late), late);
      const seen = await run('const stacks = []; try { null.x; } catch (e) { stacks.push(e.stack); }\nawait null; stacks.push(new Error().stack);\nsetTimeout(() => { stacks.push(new Error().stack); }); await new Promise((done) => setTimeout(done, 20)); return stacks.join("\\n");');
      const stacks = (seen.value as string).replaceAll(/sluice:realm/g, '');
      for (const piece of ['file:', 'node:', 'node_modules', '.js:']) ok(!stacks.includes(piece), stacks);
    },
  },
  {
    name: 'refuses what is no program, with the position',
    async run({ run }) {
      const wrong: readonly [program: string, ...pieces: string[]][] = [
        ['const a = 1;\nlet b = ;', 'SyntaxError', 'program.ts:2:9'],
        ['import fs from "node:fs";', 'SyntaxError', 'program.ts:1:'],
        ['export const a = 1;', 'SyntaxError'],
        ['}; globalThis.out = 1; {', 'SyntaxError', 'program.ts:1:'],
        ['})(); (async () => {', 'SyntaxError'],
        ['}), (async function () {', 'SyntaxError'],
        ['let twice = 1;\nlet twice = 2;', 'SyntaxError', 'twice', 'program.ts:2:5'],
        ['with ({}) {}', 'SyntaxError'],
        ['('.repeat(100_000), 'SyntaxError'],
        ['return 1; // no newline at the end'],
      ];
      for (const [program, ...pieces] of wrong) {
        const outcome = await run(program);
        if (pieces.length === 0) returned(outcome, 1);
        else tellsNoPaths(failedWith(outcome, 'exception', ...pieces).replace('"node:fs"', ''));
      }
    },
  },
  {
    name: 'has words for whatever is thrown',
    async run({ run }) {
      const thrown: readonly [program: string, ...pieces: string[]][] = [
        ['throw "only words";', 'only words'],
        ['throw 7;', '7'],
        ['throw null;', 'null'],
        ['throw undefined;', 'undefined'],
        ['throw { reason: "plain" };', 'plain'],
        ['throw Symbol("odd");', 'odd'],
        ['throw new Error("outer", { cause: new TypeError("inner") });', 'outer', 'inner'],
        ['throw new (class Custom extends Error { name = "Custom"; })("words");', 'Custom: words'],
        ['throw Object.defineProperty(new Error("x"), "message", { get() { throw 1; } });'],
        ['throw new Proxy(new Error("x"), { get() { throw 1; } });'],
        ['process.exit(0);', 'process is not defined'],
        ['fetch("http://localhost");', 'fetch is not defined'],
      ];
      await Promise.all(thrown.map(async ([program, ...pieces]) => { failedWith(await run(program), 'exception', ...pieces); }));
    },
  },
  {
    name: 'fails the run for an error that nobody awaits, with its words',
    async run({ run }) {
      const pause = 'await new Promise((done) => setTimeout(done, 400)); return 1;';
      const failing: readonly [program: string, ...pieces: string[]][] = [
        [`Promise.reject(new Error("float-1"));\n${pause}`, 'float-1', 'program.ts:1'],
        [`setTimeout(() => { throw new Error("timer-2"); }, 1); ${pause}`, 'timer-2'],
        [`queueMicrotask(() => { throw new Error("job-3"); }); ${pause}`, 'job-3'],
        [`(async () => { await null; throw "bare-4"; })(); ${pause}`, 'bare-4'],
        [`tools.boom({}); ${pause}`, 'boom-5'],
        ['for (;;) { Promise.reject(1); }'],
      ];
      const functions = { boom: () => Promise.reject(new Error('boom-5')) };
      await Promise.all(
        failing.map(async ([program, ...pieces]) => {
          failedWith(await run(program, { functions, limits: { computeMs: 3_000, heapMb: 64 } }), pieces.length === 0 ? ['exception', 'timeout', 'worker-exit'] : 'exception', ...pieces);
        }),
      );
      returned(await run('const late = Promise.reject(new Error("caught")); await null; late.catch(() => {}); return 1;').then((outcome) => (outcome.error === undefined ? outcome : { logs: [], value: 1 })), 1);
    },
  },
  {
    name: 'notices that a program waits for what can never happen',
    async run({ run }) {
      failedWith(await run('await new Promise(() => {});', { limits: { wallMs: 20_000 } }), 'exception', 'waits');
    },
  },
  {
    name: 'gives the program timers',
    async run({ run }) {
      const program = `
        const seen: string[] = [];
        const every = setInterval(() => { seen.push('tick'); if (seen.length === 2) clearInterval(every); }, 1);
        clearTimeout(setTimeout(() => { seen.push('never'); }, 1));
        await new Promise<void>((done) => setTimeout((word: string) => { seen.push(word); done(); }, 60, 'last'));
        return seen;`;
      returned(await run(program), ['tick', 'tick', 'last']);
    },
  },
  {
    name: 'says what about a result JSON cannot hold, and where it is',
    async run({ run }) {
      const results: readonly [program: string, ...pieces: string[]][] = [
        ['return { when: [new Date(0)] };', '["when"][0]', 'Date', 'toISOString'],
        ['return NaN;', 'NaN'],
        ['return [1 / 0];', '[0]', 'Infinity'],
        ['return { gone: undefined };', '["gone"]', 'undefined'],
        ['return [, 1];', 'hole'],
        ['return 10n;', 'bigint'],
        ['return () => 1;', 'function'],
        ['return Symbol("x");', 'symbol'],
        ['return new Map();', 'Map'],
        ['return new (class Odd {})();', 'Odd'],
        ['const a: any = {}; a.a = a; return a;', 'itself'],
        ['return { [Symbol("s")]: 1 };', 'symbols'],
        ['return "abc".match(/b/);', 'named properties'],
        ['return [Promise.resolve(1)];', '[0]', 'await'],
        ['return new Uint8Array(2);', 'Uint8Array'],
      ];
      await Promise.all(results.map(async ([program, ...pieces]) => { failedWith(await run(program), 'invalid-output', ...pieces); }));
      failedWith(await run('return { get bad() { throw new Error("getter"); } };'), 'exception', 'getter');
    },
  },
  {
    name: 'is not misled by what a program does to built-ins',
    async run({ run }) {
      const spoiled = `
        const spoil = () => { throw new Error('spoiled'); };
        JSON.stringify = JSON.parse = spoil; Object.keys = spoil; Array.isArray = () => false;
        Array.prototype[Symbol.iterator] = spoil; Array.prototype.map = spoil; Array.prototype.push = spoil;
        Map.prototype.get = Map.prototype.set = spoil; String.prototype.slice = spoil;
        Object.prototype.toJSON = () => 'forged'; Object.defineProperty(Array.prototype, '0', { set: spoil, configurable: true });
        Promise.prototype.then = spoil; Promise.resolve = spoil;
        console.log('still', { here: 1 });
        const got = await tools.echo({ a: [1, { __proto__: null, b: 2 }] });
        return { got };`;
      const { value, logs, error } = await run(spoiled, { functions: { echo: (args) => Promise.resolve(args) } });
      strictEqual(error, undefined);
      deepStrictEqual(value, { got: { a: [1, { b: 2 }] } });
      strictEqual(logs.length, 1);
    },
  },
];
