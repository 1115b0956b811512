import { aTool } from '@sluice/testing';
import type { Context, ToolRun } from '@sluice/core-tools';
import { describe, expect, it } from 'vitest';
import { aSlowTool, call, code, pass, peek, setup, text } from './support.ts';

/** A tool that can be made to report progress from outside. */
function talker(ctx: Context, name = 'slow'): { talk(): void } {
  const runs: ToolRun[] = [];
  ctx.tools.register(aSlowTool({ name, timeoutMs: 50, listens: true, onStart: (exec) => runs.push(exec) }));
  return {
    talk: () => {
      for (const run of runs) run.progress({ message: 'still here' });
    },
  };
}

describe('idle deadlines', () => {
  it('start over with every progress', async () => {
    await using bed = setup({ idle: { hardMaxMs: 10_000 } });
    const { ctx } = bed;
    const { talk } = talker(ctx);
    const result = call(ctx);
    for (let i = 0; i < 20; i += 1) {
      await pass(49);
      talk();
    }
    expect(await peek(result)).toBe('pending');
    await pass(50);
    const given = await result;
    expect(code(given)).toBe('TOOL_TIMEOUT');
    expect(text(given)).toContain('timed out after 50ms');
  });

  it('never let an attempt last longer than hardMaxMs', async () => {
    await using bed = setup({ idle: { hardMaxMs: 120 } });
    const { ctx } = bed;
    const { talk } = talker(ctx);
    const result = call(ctx);
    for (let i = 0; i < 5; i += 1) {
      await pass(24);
      talk();
    }
    const given = await result;
    expect(given).toMatchObject({ error: { message: 'tool call timed out after 120ms', info: { code: 'TOOL_TIMEOUT', limitMs: 120 } } });
  });

  it('do not move for malformed progress, which nobody hears', async () => {
    await using bed = setup({ idle: { hardMaxMs: 1_000 } });
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true, onStart: (exec) => setTimeout(() => { exec.progress({ completed: NaN }); }, 30) }));
    const result = call(ctx);
    await pass(50);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('do not move for another call, even one of the same id', async () => {
    await using bed = setup({ idle: { hardMaxMs: 1_000 } });
    const { ctx } = bed;
    const { talk } = talker(ctx, 'talker');
    ctx.tools.register(aSlowTool({ timeoutMs: 50, listens: true }));
    const results = [call(ctx, 'talker', { callId: 'same' }), call(ctx, 'slow', { callId: 'same' })];
    await pass(30);
    talk();
    await pass(20);
    expect(await peek(results[0]!)).toBe('pending');
    expect(code((await results[1])!)).toBe('TOOL_TIMEOUT');
    await pass(30);
    expect(code((await results[0])!)).toBe('TOOL_TIMEOUT');
  });

  it('of the calls around a nested call start over with its progress', async () => {
    await using bed = setup({ idle: { hardMaxMs: 10_000 } });
    const { ctx } = bed;
    const nest = (name: string, inner: string, timeoutMs: number): ReturnType<typeof aTool> =>
      aTool({ name, timeoutMs, execute: async (_args, exec) => code(await exec.execute({ name: inner, callId: inner })) });
    ctx.tools.register(nest('root', 'middle', 30));
    ctx.tools.register(nest('middle', 'below', 31));
    ctx.tools.register(nest('below', 'slow', 32));
    const { talk } = talker(ctx);
    const result = call(ctx, 'root');
    for (let i = 0; i < 10; i += 1) {
      await pass(29);
      talk();
    }
    expect(await peek(result)).toBe('pending');
    await pass(30);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('stand still for a question to a person, and progress meanwhile gives the whole time back', async () => {
    await using bed = setup({ idle: { hardMaxMs: 10_000 } });
    const { ctx } = bed;
    const { talk } = talker(ctx);
    const result = call(ctx);
    await pass(40);
    ctx.emit('tools/hold', { callId: 'slow', held: true });
    await pass(20_000);
    talk();
    await pass(20_000);
    ctx.emit('tools/hold', { callId: 'slow', held: false });
    await pass(49);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('are a way to count, not a deadline: a tool without one has none', async () => {
    await using bed = setup({ idle: { hardMaxMs: 50 } });
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ takesMs: 200 }));
    const result = call(ctx);
    await pass(200);
    expect(code(await result)).toBe('ok');
  });

  it('are off unless asked for: progress changes nothing', async () => {
    await using bed = setup();
    const { ctx } = bed;
    const { talk } = talker(ctx);
    const result = call(ctx);
    await pass(40);
    talk();
    await pass(10);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });
});
