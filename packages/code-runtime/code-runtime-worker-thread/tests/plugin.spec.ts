import { createContext, definePlugin, tools, type CodeNamespace, type CodeRunOutcome, type CodeRunRequest, type ToolExecutionResult } from '@sluice/core-tools';
import { aTool, describePlugin } from '@sluice/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import asDefault, { codeRuntimeWorkerThread } from '../src/index.ts';

const bindings: readonly CodeNamespace[] = [];

describePlugin(() => codeRuntimeWorkerThread, {
  config: { spares: 0 },
  proof: async (at) => {
    expect(await at.codeRuntime.run({ program: 'return 1;', bindings, signal: new AbortController().signal })).toEqual({ logs: [], value: 1 });
  },
});

const ctx = { current: createContext() };
beforeEach(() => { ctx.current = createContext(); });
afterEach(() => ctx.current.dispose());

function run(program: string, request: Partial<CodeRunRequest> = {}): Promise<CodeRunOutcome> {
  return ctx.current.codeRuntime.run({ program, bindings, signal: new AbortController().signal, ...request });
}

describe('the plugin', { timeout: 60_000 }, () => {
  it('is the default export too, and provides `codeRuntime` only while it is mounted', async () => {
    expect(asDefault).toBe(codeRuntimeWorkerThread);
    expect(ctx.current.get('codeRuntime')).toBeUndefined();
    const handle = ctx.current.plugin(codeRuntimeWorkerThread, { spares: 0 });
    expect(handle.status).toBe('active');
    expect(ctx.current.codeRuntime.isolation).toBe('worker-thread');
    await handle.dispose();
    expect(ctx.current.get('codeRuntime')).toBeUndefined();
    expect(ctx.current.inspect().counts).toMatchObject({ plugins: 0, services: 0, effects: 0 });
  });

  it('refuses a config that makes no sense [S16.1]', () => {
    for (const config of [{ limits: { computeMs: 0 } }, { limits: { wallMs: 2_147_483_648 } }, { limits: { outputBytes: 3 } }, { limits: { heapMb: 1.5 } }, { spares: -1 }, { speed: 1 }]) {
      expect(() => ctx.current.plugin(codeRuntimeWorkerThread, config as object), JSON.stringify(config)).toThrow();
    }
  });

  it('takes limits that are not in the config from their defaults, and those of a request before its own', async () => {
    ctx.current.plugin(codeRuntimeWorkerThread, { spares: 0, limits: { outputBytes: 10 } as never });
    expect((await run('return "0123456789";')).error?.kind).toBe('output-limit');
    expect((await run('return "0123456789";', { limits: { outputBytes: 14 } })).value).toBe('0123456789');
  });

  it('lets go of dates and of what is undefined when it is lenient, and says so by itself in no other case', async () => {
    ctx.current.plugin(codeRuntimeWorkerThread, { spares: 0, isLenient: true });
    const outcome = await run('return { when: new Date(0), gone: undefined, list: [undefined, NaN] };');
    expect(outcome).toEqual({ logs: [], value: { when: '1970-01-01T00:00:00.000Z', list: [null, null] } });
    expect((await run('return new Map();')).error?.kind).toBe('invalid-output');
  });

  it('refuses an argument longer than it may be, in the program and with its size', async () => {
    ctx.current.plugin(codeRuntimeWorkerThread, { spares: 0, maxValueChars: 1_000 });
    const functions = { get: () => Promise.resolve('y'.repeat(2_000)), put: () => Promise.resolve(null) };
    const program = 'const seen = []; for (const work of [() => t.put("x".repeat(2000)), () => t.get({})]) { try { await work(); } catch (e) { seen.push(e.message); } } return seen;';
    const { value } = await run(program, { bindings: [{ global: 't', functions }] });
    expect(value).toEqual([expect.stringContaining('1000 characters'), expect.stringContaining('1000 characters')]);
  });
});

describe('run_code with it', { timeout: 60_000 }, () => {
  const call = (code: string): Promise<ToolExecutionResult> => ctx.current.tools.execute({ name: 'run_code', arguments: { code, description: 'a test' } });

  beforeEach(() => {
    ctx.current.plugin(tools, { mode: 'code' });
    ctx.current.plugin(codeRuntimeWorkerThread, { spares: 0 });
  });

  it('calls tools through the same gates, and a program sees a denial as an error with its code', async () => {
    ctx.current.tools.register(aTool());
    ctx.current.plugin(definePlugin({
      name: 'no-secrets',
      apply(at) {
        at.on('tools/pre-execute', (exec, next) => (exec.name === 'echo' && JSON.stringify(exec.arguments).includes('secret') ? { kind: 'deny', reason: 'not that' } : next()));
      },
    }));
    const result = await call(`
      const ok: { message: string } = await tools.echo({ message: 'hi' });
      try { await tools.echo({ message: 'secret' }); } catch (e: any) { return [ok.message, e instanceof ToolCallError, e.code, e.toolName, (await tools.$describe('echo')).length > 10]; }`);
    expect(result).toMatchObject({ isError: false, value: { logs: [], result: ['hi', true, 'DENIED', 'echo', true] } });
  });

  it('fails with the program’s own position, and what was printed', async () => {
    const result = await call('console.log("so far");\nthrow new RangeError("too much");');
    expect(result).toMatchObject({ isError: true, error: { info: { code: 'CODE_RUN_FAILED', causeCode: 'exception' } } });
    expect(JSON.stringify(result.content)).toMatch(/RangeError: too much.*program\.ts:2.*so far/);
  });

  it('ends calls that still run when the program does, and a caller’s abort ends the program', async () => {
    let aborted = 0;
    ctx.current.tools.register(
      aTool({
        name: 'hang',
        execute: (_args, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              aborted += 1;
              reject(signal.reason as Error);
            });
          }),
      }),
    );
    const result = await call('void tools.hang({ message: "" }); await new Promise((done) => setTimeout(done, 100)); return 1;');
    expect(result).toMatchObject({ isError: false, value: { result: 1, logs: [expect.stringContaining('tools.hang')] } });
    expect(aborted).toBe(1);
    const controller = new AbortController();
    setTimeout(() => { controller.abort(new Error('enough')); }, 300);
    const ended = await ctx.current.tools.execute({ name: 'run_code', arguments: { code: 'for (;;);', description: 'x' }, signal: controller.signal });
    expect(ended).toMatchObject({ isError: true, error: { info: { code: 'ABORTED' } } });
  });
});
