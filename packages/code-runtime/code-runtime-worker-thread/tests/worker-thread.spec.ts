import { setFlagsFromString } from 'node:v8';
import { createContext, type CodeRunOutcome, type CodeRunRequest } from '@sluice/core-tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeRuntimeWorkerThread } from '../src/index.ts';

const ctx = { current: createContext() };

beforeEach(() => {
  ctx.current = createContext();
  ctx.current.plugin(codeRuntimeWorkerThread, { spares: 0 });
});
afterEach(() => ctx.current.dispose());

function run(program: string, request: Partial<CodeRunRequest> = {}): Promise<CodeRunOutcome> {
  return ctx.current.codeRuntime.run({ program, bindings: [], signal: new AbortController().signal, ...request });
}

describe('a program in a worker thread', { timeout: 60_000 }, () => {
  it('says what it contains, and that it is not made for attackers', () => {
    expect(ctx.current.codeRuntime).toMatchObject({
      language: 'typescript',
      isolation: 'worker-thread',
      capabilities: { fitFor: 'mistakes', heap: { level: 'approximate' } },
    });
  });

  it('leads nowhere from the one foreign object that a program can get: an error of a stack that overflowed while it was formatted', async () => {
    const program = `
      let foreign;
      const read = () => new Error().stack;
      const dive = (room) => { if (room > 0) dive(room - 1); else read(); };
      const fits = (room) => { try { dive(room); return true; } catch (e) { if (!(e instanceof Error)) foreign = e; return false; } };
      let low = 0;
      let high = 1000;
      while (fits(high) && high < 1e6) { low = high; high *= 2; }
      while (high - low > 1) { const middle = (low + high) >> 1; if (fits(middle)) low = middle; else high = middle; }
      for (let room = Math.max(0, low - 200); room < low + 20 && foreign === undefined; room += 1) fits(room);
      const seen = new Set();
      const open = [foreign];
      const found = [];
      while (open.length > 0 && seen.size < 20_000) {
        const at = open.pop();
        if (at === null || (typeof at !== 'object' && typeof at !== 'function') || seen.has(at)) continue;
        seen.add(at);
        if (typeof at === 'function') {
          try { const made = at('return 1'); if (typeof made === 'function' && made() === 1) found.push('code from strings'); } catch {}
        }
        for (const name of ['process', 'require', 'mainModule', 'env', 'parentPort', 'binding']) { try { if (name in at) found.push(name); } catch {} }
        try { at.tainted = 1; if (at !== foreign && typeof at === 'object' && Object.hasOwn(at, 'tainted') && !(at instanceof Object)) found.push('can be changed: ' + String(at)); } catch {}
        open.push(Object.getPrototypeOf(at));
        for (const { value, get, set } of Object.values(Object.getOwnPropertyDescriptors(at))) open.push(value, get, set);
      }
      return { isForeign: foreign !== undefined, many: seen.size > 20, found };`;
    expect(await run(program)).toEqual({ logs: [], value: { isForeign: true, many: true, found: [] } });
  });

  it('does not take the process down with one allocation far above its heap', async () => {
    const { error } = await run('const all = []; for (;;) all.push(new Array(1e7).fill(1.5));', { limits: { heapMb: 32 } });
    expect(error?.kind).toBe('worker-exit');
  });

  it('runs in a host that was started with --expose-gc, and has no gc', async () => {
    setFlagsFromString('--expose-gc');
    expect(await run('return [typeof gc, "gc" in globalThis && globalThis.gc === undefined];')).toEqual({ logs: [], value: ['undefined', true] });
  });

  it('is ended when it fills memory outside the heap', async () => {
    const { error } = await run('const all = []; for (;;) all.push(new Uint8Array(5e6).fill(1));', { limits: { heapMb: 32 } });
    expect(error).toEqual({ kind: 'worker-exit', message: 'the program used more memory than it may (limit heapMb)' });
  });
});
