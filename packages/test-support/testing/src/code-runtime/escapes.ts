import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { run, toolsNamespace, type CodeRuntimeCheck, type Functions } from './world.ts';

/** In the program: collects what looks like a way to the host in `leaks`. */
const PROBE = `
  const leaks = [];
  const tried = [];
  const isHost = (x) => {
    try { return x !== null && (typeof x === 'object' || typeof x === 'function') && Boolean(x.versions?.node || x.process || x.mainModule || x.binding || x.require || x.execPath); } catch { return false; }
  };
  const report = (label, x) => { if (isHost(x)) leaks.push(label); };
  const seen = new Set();
  /** A value that the realm made itself ends at its own Object.prototype; tries to make code with every constructor on the way. */
  const probe = (label, x, depth = 3) => {
    if (x === null || (typeof x !== 'object' && typeof x !== 'function') || seen.has(x)) return;
    seen.add(x);
    report(label, x);
    let last = x;
    try {
      for (let at = x; at !== null; at = Reflect.getPrototypeOf(at)) last = at;
      if (last !== x && last !== Object.prototype) leaks.push('foreign: ' + label);
    } catch {}
    for (const key of ['constructor', '__proto__', 'caller', 'callee', 'prototype', 'then', 'name', 'valueOf', 'toString']) {
      let next;
      try { next = x[key]; } catch { continue; }
      if (typeof next === 'function' && key === 'constructor') {
        for (const body of ['return process', 'return globalThis', 'return this', 'return import("node:fs")']) {
          try { const made = Reflect.apply(next, undefined, [body])(); report(label + '.' + key, made); if (made !== globalThis && made?.process) leaks.push(label); } catch {}
        }
      }
      if (depth > 0) probe(label + '.' + key, next, depth - 1);
    }
  };
  const attempt = async (label, work) => {
    tried.push(label);
    try { const got = await work(); probe(label, got); } catch (error) { probe(label + ' error', error); }
  };`;

/** Runs out of stack at every depth around a call, and looks at each error that comes of it. */
const overflow = (calls: string): string => `
  const errors = [];
  for (const call of [${calls}]) {
    const dive = (room) => { if (room > 0) dive(room - 1); else call(); };
    const fits = (room) => { try { dive(room); return true; } catch (e) { errors.push(e); return false; } };
    let low = 0;
    let high = 1000;
    while (fits(high) && high < 1e6) { low = high; high *= 2; }
    while (high - low > 1) { const middle = (low + high) >> 1; if (fits(middle)) low = middle; else high = middle; }
    for (let room = Math.max(0, low - 80); room < low + 20; room += 1) fits(room);
  }
  for (const e of new Set(errors)) probe('overflow', e);`;

/** Ways out that were published for other sandboxes, each as a program of its own would write it. */
const TECHNIQUES: Readonly<Record<string, string>> = {
  'constructor of the global': 'return this?.constructor ?? globalThis.constructor.constructor("return process")();',
  'constructor of every global': 'for (const name of Object.getOwnPropertyNames(globalThis)) { let it; try { it = globalThis[name]; } catch {} probe(name, it); }',
  'constructor of bindings and what they give': 'probe("fn", tools.get); const p = tools.get({}); probe("promise", p); probe("value", await p); probe("inner", (await tools.get({})).list);',
  'constructor of a binding error': 'try { await tools.boom({}); } catch (e) { probe("error", e); for (const key of Reflect.ownKeys(e)) probe("error." + String(key), e[key]); }',
  'function constructor': 'return new Function("return process")();',
  'async function constructor': 'return (async () => {}).constructor("return process")();',
  'generator constructor': 'return (function* () {}).constructor("yield process")().next().value;',
  'async generator constructor': 'return (await (async function* () {}).constructor("yield process")().next()).value;',
  'eval': 'return eval("process") ?? (0, eval)("process");',
  'text as a timer': 'setTimeout("leaks.push(1)", 0);',
  'prepareStackTrace': 'let got; Error.prepareStackTrace = (e, frames) => { got = frames; return frames; }; const s = new Error().stack; probe("stack", s); if (Array.isArray(got)) { leaks.push("frames"); for (const f of got) { probe("frame", f); probe("this", f.getThis?.()); probe("function", f.getFunction?.()); } }',
  'prepareStackTrace of another Error': 'const fake = function () {}; fake.prepareStackTrace = (e, frames) => { probe("frames", frames); leaks.push("called"); return "x"; }; try { globalThis.Error = fake; } catch {} try { Object.defineProperty(globalThis, "Error", { value: fake }); } catch {} try { null.x; } catch (e) { probe("stack", e.stack); }',
  'captureStackTrace': 'const o = {}; Error.captureStackTrace?.(o); Object.setPrototypeOf(o, null); probe("stack", o.stack);',
  'stack overflow in a call out': overflow('() => console.log("x"), () => { void tools.get({}).catch(() => {}); }, () => setTimeout(() => {}, 0), () => { console.log({ a: { b: 1 } }); }'),
  'stack overflow in the formatting of a stack': overflow('() => new Error().stack, () => { console.log(new Error("y")); }'),
  'proxy as an argument': 'const caught = []; const trap = new Proxy(function () {}, { get(t, k, r) { caught.push(t, r); return Reflect.get(t, k); }, apply(t, self, args) { caught.push(self, args); return 1; }, getOwnPropertyDescriptor(t, k) { caught.push(k); return Reflect.getOwnPropertyDescriptor(t, k); }, getPrototypeOf(t) { caught.push(t); return Object.prototype; } }); try { await tools.get({ a: trap }); } catch (e) { caught.push(e); } try { await tools.get(trap); } catch (e) { caught.push(e); } console.log(trap); for (const c of caught) probe("caught", c);',
  'proxy as a prototype of an error': 'const e = new Error("x"); Object.setPrototypeOf(e, new Proxy({}, { get(t, k, r) { probe("receiver", r); return undefined; } })); console.log(e); return e;',
  'custom inspection': 'console.log({ [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) { probe("options", options); probe("inspect", inspect); leaks.push("inspected"); return ""; } });',
  'symbol hooks': 'const hook = { [Symbol.toPrimitive]() { probe("hint", arguments); return 1; }, get [Symbol.toStringTag]() { probe("self", this); return "x"; }, [Symbol.hasInstance](v) { probe("instance", v); return true; }, get [Symbol.species]() { return function () {}; } }; console.log(hook, [hook]); try { await tools.get({ a: hook }); } catch {} Object.defineProperty(Promise, Symbol.species, { value: class extends Promise { constructor(run) { super(run); probe("species", run); } }, configurable: true }); await tools.get({});',
  'promise hooks': 'const { then } = Promise.prototype; const args = []; Promise.prototype.then = function (...a) { args.push(this, ...a); return Reflect.apply(then, this, a); }; await tools.get({}); try { await tools.boom({}); } catch {} Promise.prototype.then = then; for (const a of args) probe("then", a);',
  'thenables': 'await { then(resolve, reject) { probe("resolve", resolve); probe("reject", reject); resolve(1); } }; try { await tools.get({ then(r) { probe("r", r); } }); } catch {}',
  'hooks of Function.prototype': 'const { call, apply, bind } = Function.prototype; const kept = []; Function.prototype.call = function (...a) { kept.push(this, ...a); return Reflect.apply(this, a[0], a.slice(1)); }; Function.prototype.apply = function (a, b) { kept.push(this, a, b); return Reflect.apply(this, a, b ?? []); }; await tools.get({}); console.log("x"); await new Promise((done) => setTimeout(done, 1)); Object.assign(Function.prototype, { call, apply, bind }); for (const k of kept) probe("kept", k);',
  'setters of Object.prototype': 'const names = ["value", "get", "set", "type", "id", "env", "stack", "message", "code", "then", "toJSON", "refused", "text", "error", "0", "1", "2"]; const kept = []; for (const n of names) Object.defineProperty(Object.prototype, n, { set(v) { kept.push(this, v); }, get() { if (kept.length < 1000) kept.push(this); return undefined; }, configurable: true }); try { await tools.get({ a: 1 }); } catch {} try { await tools.boom({}); } catch {} console.log({}); for (const n of names) delete Object.prototype[n]; for (const k of kept) probe("kept", k);',
  'iterators': 'const { [Symbol.iterator]: it } = Array.prototype; const kept = []; Array.prototype[Symbol.iterator] = function () { kept.push(this); return Reflect.apply(it, this, []); }; await tools.get([1]); console.log([1], 2); Array.prototype[Symbol.iterator] = it; for (const k of kept) probe("kept", k);',
  'callers': 'const f = function () { return f.caller; }; probe("caller", f()); try { probe("callee", (function () { return arguments.callee.caller; })()); } catch {}',
  'dynamic import': 'const p = import("node:fs"); p.catch(() => {}); probe("import promise", p); try { probe("module", await p); } catch (e) { probe("import error", e); } for (const s of ["node:process", "fs", "./x.js", "data:text/javascript,export default process", "file:///etc/passwd", "/proc/self/environ"]) { try { probe(s, await import(s)); leaks.push(s); } catch (e) { probe(s + " error", e); } }',
  'import where it hides': 'const hidden = [`${await import("node:fs").catch((e) => { probe("e", e); return "no"; })}`, await (async (x = import("node:os")) => x)().catch((e) => { probe("e", e); }), /* import( */ "import(", /import\\(/.source]; probe("hidden", hidden);',
  'nested worker': 'for (const name of ["Worker", "MessageChannel", "BroadcastChannel", "SharedWorker"]) if (typeof globalThis[name] !== "undefined") leaks.push(name);',
  'shared memory and machine code': 'for (const name of ["SharedArrayBuffer", "Atomics", "WebAssembly"]) if (typeof globalThis[name] !== "undefined") leaks.push(name);',
  'ambient authority': 'for (const name of ["process", "require", "module", "exports", "__filename", "__dirname", "Buffer", "global", "fetch", "XMLHttpRequest", "WebSocket", "EventSource", "navigator", "localStorage", "crypto", "Deno", "Bun", "std", "os", "print", "scriptArgs", "ShadowRealm", "structuredClone", "gc"]) if (globalThis[name] !== undefined) leaks.push(name);',
  'weak callbacks': 'const registry = new FinalizationRegistry((held) => { probe("held", held); }); registry.register({}, {}); probe("registry", registry);',
  'errors of errors': 'try { throw new AggregateError([new Error("x")], "y"); } catch (e) { probe("aggregate", e); } try { decodeURIComponent("%"); } catch (e) { probe("uri", e); } try { new Array(-1); } catch (e) { probe("range", e); } try { null.f(); } catch (e) { probe("type", e); } try { JSON.parse("{"); } catch (e) { probe("syntax", e); } try { BigInt(1.5); } catch (e) { probe("bigint", e); } try { "x".repeat(-1); } catch (e) { probe("repeat", e); } try { new RegExp("("); } catch (e) { probe("regexp", e); }',
};

const functions: Functions = {
  get: () => Promise.resolve({ list: [1], nested: { a: 'b' } }),
  boom: () => Promise.reject(new Error('x')),
};

/**
 * @param documented Techniques that are known to reach an object of another realm, though nothing that it could be used for: such
 * objects are passed over then, and only a way on from them counts.
 */
export const escapes = (documented: readonly string[]): readonly CodeRuntimeCheck[] => [
  ...Object.entries(TECHNIQUES).map(([technique, body]): CodeRuntimeCheck => ({
    name: `has no way out: ${technique}`,
    async run({ run }) {
      const program = `${PROBE}\nawait attempt(${JSON.stringify(technique)}, async () => { ${body} });\nawait new Promise((done) => setTimeout(done, 5));\nreturn { leaks, tried };`;
      const outcome = await run(program, { functions, limits: { computeMs: 20_000 } });
      if (outcome.error === undefined) {
        const { leaks, tried } = outcome.value as unknown as { leaks: string[]; tried: string[] };
        const counted = documented.includes(technique) ? leaks.filter((leak) => !leak.startsWith('foreign: ')) : leaks;
        deepStrictEqual([counted, tried], [[], [technique]]);
      }
      // Some techniques break the program itself; then it must be the program that failed.
      else strictEqual(outcome.error.kind, 'exception', outcome.error.message);
    },
  })),
  {
    name: 'changes nothing in the host, and leaves nothing for the next program',
    async run({ run }) {
      const program = `
        const r = await tools.get({});
        r.__proto__.tainted = 1; r.list.__proto__.tainted = 1; Array.prototype.map = () => 'tainted';
        let e; try { await tools.boom({}); } catch (x) { e = x; }
        e.constructor.prototype.tainted = 1; e.__proto__.__proto__.tainted = 1; Object.prototype.tainted = 1; Function.prototype.tainted = 1;
        tools.get.constructor.prototype.tainted = 1; Promise.prototype.then = undefined;
        return [typeof tools.get.constructor, e instanceof Error];`;
      const { value } = await run(program, { functions });
      deepStrictEqual(value, ['function', true]);
      const clean = (x: object): boolean => !('tainted' in x);
      ok([{}, [], new Error('x'), () => undefined, Promise.resolve()].every(clean));
      strictEqual([1].map((x) => x)[0], 1);
      const next = await run('return [typeof {}.tainted, [1].map((x) => x), await Promise.resolve(2).then((x) => x)];');
      deepStrictEqual(next.value, ['undefined', [1], 2]);
    },
  },
  {
    name: 'does not know the environment of the host',
    async run({ ctx }) {
      process.env['SLUICE_CANARY'] = 'canary-7f3';
      try {
        const program = `
          const seen = [];
          for (const name of Object.getOwnPropertyNames(globalThis)) { try { seen.push(name, String(globalThis[name]), JSON.stringify(globalThis[name])); } catch {} }
          try { seen.push(JSON.stringify(process.env)); } catch (e) { seen.push(e.message, e.stack); }
          console.log(globalThis);
          return seen.filter((x) => typeof x === 'string').join('\\n');`;
        const outcome = await run(ctx, program, { bindings: [toolsNamespace(functions)] });
        strictEqual(outcome.error, undefined);
        const text = JSON.stringify(outcome);
        ok(!text.includes('canary-7f3'));
        ok(!text.includes(process.cwd()));
      } finally {
        delete process.env['SLUICE_CANARY'];
      }
    },
  },
];
