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

describe('a program in a worker thread', () => {
  it('says what it contains, and that it is not made for attackers', () => {
    expect(ctx.current.codeRuntime).toMatchObject({
      language: 'typescript',
      isolation: 'worker-thread',
      capabilities: { fitFor: 'mistakes', heap: { level: 'approximate' } },
    });
  });

  it('does not take the process down with one allocation far above its heap', async () => {
    const { error } = await run('const all = []; for (;;) all.push(new Array(1e7).fill(1.5));', { limits: { heapMb: 32 } });
    expect(error?.kind).toBe('worker-exit');
  });

  it('is ended when it fills memory outside the heap', async () => {
    const { error } = await run('const all = []; for (;;) all.push(new Uint8Array(5e6).fill(1));', { limits: { heapMb: 32 } });
    expect(error).toEqual({ kind: 'worker-exit', message: 'the program used more memory than it may (limit heapMb)' });
  });
});
