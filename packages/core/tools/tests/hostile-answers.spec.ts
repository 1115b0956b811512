import { aCall, aTool } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import type { Context, ToolExecutionResult, ToolRun } from '../src/index.ts';
import { hostileThrows, hostileValues } from './hostile.ts';
import { codeOf, setup } from './support.ts';

/** A place where foreign code answers, mounted with an answer of the test's choosing. */
interface Place {
  readonly mount: (ctx: Context, answer: () => never) => void;
  /** What may become of a call that meets nonsense, or a throw, here. */
  readonly codes: readonly string[];
}

const tool = (overrides: (answer: () => never) => object): Place['mount'] => (ctx, answer) => {
  ctx.tools.register(aTool({ output: { schema: { type: 'string' }, render: () => [] }, execute: () => 'done', ...overrides(answer) }));
};
const around = (mount: (ctx: Context, answer: () => never) => void): Place['mount'] => (ctx, answer) => {
  ctx.tools.register(aTool());
  mount(ctx, answer);
};
const body = (act: (exec: ToolRun, answer: () => never) => unknown): Place['mount'] =>
  tool((answer) => ({ execute: (_args: unknown, exec: ToolRun) => { act(exec, answer); return 'done'; } }));

const PLACES: Record<string, Place> = {
  'tools/call': { mount: around((ctx, answer) => ctx.on('tools/call', answer)), codes: ['ok'] },
  'tools/pre-execute': { mount: around((ctx, answer) => ctx.on('tools/pre-execute', answer)), codes: ['PIPELINE_FAILED'] },
  'a guard': { mount: around((ctx, answer) => ctx.tools.guard(answer)), codes: ['PIPELINE_FAILED'] },
  'the approval service': {
    mount: around((ctx, answer) => {
      ctx.tools.guard(() => ({ ask: 'sure?' }));
      ctx.provide('approval', { request: answer });
    }),
    codes: ['PIPELINE_FAILED'],
  },
  'tools/execute': { mount: around((ctx, answer) => ctx.on('tools/execute', answer)), codes: ['PIPELINE_FAILED'] },
  'tools/post-execute': { mount: around((ctx, answer) => ctx.on('tools/post-execute', answer)), codes: ['PIPELINE_FAILED'] },
  'tools/post-execute, as content': { mount: around((ctx, answer) => ctx.on('tools/post-execute', () => ({ kind: 'accept', content: answer() }))), codes: ['PIPELINE_FAILED', 'ok'] },
  'tools/post-execute, as a value': { mount: around((ctx, answer) => ctx.on('tools/post-execute', () => ({ kind: 'accept', value: answer() }))), codes: ['PIPELINE_FAILED', 'INVALID_TOOL_OUTPUT', 'ok'] },
  'tools/post-execute, as contexts': { mount: around((ctx, answer) => ctx.on('tools/post-execute', () => ({ kind: 'accept', additionalContexts: answer() }))), codes: ['PIPELINE_FAILED', 'ok'] },
  'tools/post-execute, as feedback': { mount: around((ctx, answer) => ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: answer() }))), codes: ['PIPELINE_FAILED', 'BLOCKED'] },
  'tools/result': { mount: around((ctx, answer) => ctx.on('tools/result', answer)), codes: ['ok'] },
  'the body': { mount: tool((answer) => ({ execute: answer })), codes: ['TOOL_FAILED', 'INVALID_TOOL_OUTPUT'] },
  'exec.content': { mount: body((exec, answer) => { exec.content(answer()); }), codes: ['TOOL_FAILED', 'INVALID_TOOL_OUTPUT', 'ok'] },
  'exec.deferContext': { mount: body((exec, answer) => { exec.deferContext(answer()); }), codes: ['TOOL_FAILED'] },
  'exec.progress': { mount: body((exec, answer) => { exec.progress(answer()); }), codes: ['TOOL_FAILED', 'ok'] },
  'render': { mount: tool((answer) => ({ output: { schema: {}, render: answer } })), codes: ['INVALID_TOOL_OUTPUT', 'ok'] },
  'presentationMeta': { mount: tool((answer) => ({ output: { schema: {}, render: () => [], presentationMeta: answer } })), codes: ['INVALID_TOOL_OUTPUT', 'ok'] },
  'finalizeContent': { mount: tool((answer) => ({ finalizeContent: answer })), codes: ['INVALID_TOOL_OUTPUT', 'ok'] },
  'locks': { mount: tool((answer) => ({ locks: answer })), codes: ['ok'] },
  'isConcurrencySafe': { mount: tool((answer) => ({ isConcurrencySafe: answer })), codes: ['ok'] },
  'presentCall, for the person who is asked': {
    mount: (ctx, answer) => {
      tool(() => ({ presentCall: answer }))(ctx, answer);
      ctx.tools.guard(() => ({ ask: 'sure?' }));
      ctx.provide('approval', { request: async () => ({ kind: 'allowed-once' }) });
    },
    codes: ['ok'],
  },
};

/** As when an `await` was forgotten, everywhere at once. */
const forgotten = (): object => {
  const promise = (): Promise<never> => Promise.reject(new Error('nobody awaited this'));
  return { kind: 'deny', reason: promise(), deny: promise(), isError: true, error: promise(), message: promise(), content: promise(), feedback: promise(), read: promise(), card: promise() };
};

const answers: [string, () => never][] = [
  ...hostileValues().map(([what, value]): [string, () => never] => [`answers ${what}`, () => value as never]),
  ...hostileValues().map(([what, value]): [string, () => never] => [`promises ${what}`, (async () => value) as never]),
  ...hostileThrows().map(([what, value]): [string, () => never] => [`throws ${what}`, () => { throw value; }]),
  ...hostileThrows().map(([what, value]): [string, () => never] => [`rejects with ${what}`, (async () => { throw value; }) as never]),
];

describe('foreign code that answers nonsense or throws', () => {
  it.each(Object.entries(PLACES))('at %s gives a coded result, once, and nothing unhandled [W1] [W10]', async (_where, { mount, codes }) => {
    for (const [what, answer] of answers) {
      for (const via of ['execute', 'executeAll'] as const) {
        const { ctx } = setup();
        const published: ToolExecutionResult[] = [];
        ctx.on('tools/result', (_exec, result) => { published.push(result); });
        ctx.on('tools/progress', () => undefined);
        mount(ctx, answer);
        const call = aCall();
        const result = via === 'execute' ? await ctx.tools.execute(call) : (await ctx.tools.executeAll([call]))[0]!;
        expect(codes, what).toContain(codeOf(result));
        expect(published, what).toEqual([result]);
        expect(JSON.parse(JSON.stringify(result)), what).toEqual(result);
      }
    }
    // A rejection that nobody handled fails the run.
    await new Promise((resolve) => setImmediate(resolve));
  });

  const waitedFor = ['tools/pre-execute', 'a guard', 'the approval service', 'tools/execute', 'tools/post-execute', 'the body'];
  const lookedAt = [...waitedFor, ...Object.keys(PLACES).filter((where) => where.includes(', as ') || where.startsWith('exec.')), 'render', 'presentationMeta', 'finalizeContent', 'isConcurrencySafe', 'presentCall, for the person who is asked'];
  it.each(lookedAt)('at %s may have forgotten to await what it put into its answer: refused, and nothing unhandled [W10]', async (where) => {
    const { mount, codes } = PLACES[where]!;
    for (const answer of waitedFor.includes(where) ? [forgotten, async () => forgotten()] : [forgotten]) {
      const { ctx } = setup();
      mount(ctx, answer as never);
      expect(codes).toContain(codeOf(await ctx.tools.execute(aCall())));
    }
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('does not get through a logger that throws either [W10]', async () => {
    const { createContext, tools } = await import('../src/index.ts');
    const broken = (): never => { throw new Error('log disk full'); };
    const ctx = createContext({ logger: { debug: broken, info: broken, warn: broken, error: broken } });
    ctx.plugin(tools);
    ctx.tools.register(aTool({ execute: () => { throw new Error('x'); } }));
    ctx.on('tools/result', () => { throw new Error('y'); });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('TOOL_FAILED');
    ctx.on('tools/pre-execute', () => { throw new Error('z'); });
    expect(codeOf(await ctx.tools.execute(aCall()))).toBe('PIPELINE_FAILED');
    await ctx.dispose();
  });

  it('of a nested call is misuse by the body, which is a failed tool if it lets it out [W10]', async () => {
    for (const input of [undefined, null, 5, {}, { name: 5 }, { name: 'echo', signal: 5 }]) {
      const { ctx } = setup();
      ctx.tools.register(aTool({ execute: (_args, exec) => exec.execute(input as never) }));
      expect(codeOf(await ctx.tools.execute(aCall()))).toBe('TOOL_FAILED');
    }
  });
});
