import { afterEach, describe, expect, it } from 'vitest';
import { createContext, defineTool, tools, ToolError, type Context, type ToolExecutionResult } from '../src/index.ts';

let ctx: Context;
const seen: string[] = [];

function setup(): Context {
  seen.length = 0;
  ctx = createContext({ logger: { debug() {}, info() {}, warn() {}, error() {} } });
  ctx.plugin(tools);
  ctx.tools.register(
    defineTool({
      name: 'echo',
      description: 'Gives the message back.',
      parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      output: { schema: { type: 'string' }, render: (_args, value) => [{ type: 'text', text: value }] },
      execute(args) {
        seen.push('body');
        return args.message;
      },
    }),
  );
  return ctx;
}

afterEach(async () => {
  await ctx.dispose();
  expect(ctx.inspect().counts).toMatchObject({ plugins: 0, services: 0, listeners: 0, contributions: 0 });
});

function code(result: ToolExecutionResult): string {
  return result.isError ? result.error.info.code : 'ok';
}

describe('order', () => {
  it('runs every stage once, in the order of the pipeline', async () => {
    setup();
    ctx.on('tools/call', () => { seen.push('call'); });
    ctx.on('tools/pre-execute', async (_exec, next) => {
      seen.push('pre');
      return next();
    });
    ctx.tools.guard(() => {
      seen.push('guard');
      return undefined;
    });
    ctx.on('tools/execute', async (_exec, next) => {
      seen.push('execute>');
      const result = await next();
      seen.push('<execute');
      return result;
    });
    ctx.on('tools/post-execute', async (_exec, _result, next) => {
      seen.push('post');
      return next();
    });
    ctx.on('tools/result', () => { seen.push('result'); });
    const result = await ctx.tools.execute({ name: 'echo', arguments: { message: 'hi' }, callId: 'c1' });
    expect(result).toEqual({ isError: false, callId: 'c1', name: 'echo', value: 'hi', content: [{ type: 'text', text: 'hi' }] });
    expect(seen).toEqual(['call', 'pre', 'guard', 'execute>', 'body', '<execute', 'post', 'result']);
  });

  it.each<[string, () => void, string, string[]]>([
    ['a denial', () => ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'no' })), 'DENIED', ['post', 'result']],
    ['a throwing pre-execute listener', () => ctx.on('tools/pre-execute', () => { throw new Error('x'); }), 'PIPELINE_FAILED', ['result']],
    ['a guard', () => ctx.tools.guard(() => 'never'), 'DENIED', ['post', 'result']],
    ['a throwing guard', () => ctx.tools.guard(() => { throw new Error('x'); }), 'PIPELINE_FAILED', ['result']],
    ['a throwing wrapper', () => ctx.on('tools/execute', () => { throw new Error('x'); }), 'PIPELINE_FAILED', ['result']],
  ])('ends a call after %s', async (_what, mount, expected, after) => {
    setup();
    mount();
    ctx.on('tools/post-execute', async (_exec, _result, next) => {
      seen.push('post');
      return next();
    });
    ctx.on('tools/result', () => { seen.push('result'); });
    const result = await ctx.tools.execute({ name: 'echo', arguments: { message: 'hi' } });
    expect(code(result)).toBe(expected);
    expect(seen).toEqual(after);
  });
});

describe('bodies', () => {
  it('reports a thrown ToolError with its code and hint', async () => {
    setup();
    ctx.tools.register({
      name: 'fails',
      description: '',
      parameters: { type: 'object' },
      output: { schema: {}, render: () => [] },
      execute() {
        throw new ToolError('no such file', { code: 'FS_NOT_FOUND', hint: 'List the directory first.' });
      },
    });
    const result = await ctx.tools.execute({ name: 'fails' });
    expect(result).toMatchObject({
      isError: true,
      error: { message: 'no such file', hint: 'List the directory first.', info: { code: 'FS_NOT_FOUND', started: true } },
      content: [{ type: 'text', text: 'Error: no such file\nList the directory first.' }],
    });
  });
});
