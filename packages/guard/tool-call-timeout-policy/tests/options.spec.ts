import type { ToolExecutionResult } from '@sluice/core-tools';
import { aHost } from '@sluice/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { toolCallTimeoutPolicy, type ToolCallTimeoutPolicyConfig } from '../src/index.ts';
import defaultExport from '../src/index.ts';
import { aSlowTool, call, code, pass, peek, setup } from './support.ts';

/** The limit that a tool of this name and declaration runs under; `none` if it may take a year. */
async function limitOf(config: object, name: string, timeoutMs?: number): Promise<number | 'none'> {
  await using bed = setup(config);
  bed.ctx.tools.register(aSlowTool({ name, listens: true, ...(timeoutMs === undefined ? {} : { timeoutMs }) }));
  const controller = new AbortController();
  const result = call(bed.ctx, name, { signal: controller.signal });
  await pass(31_536_000_000);
  const given: ToolExecutionResult | 'pending' = await peek(result);
  if (given !== 'pending') return given.isError ? (given.error.info.limitMs ?? NaN) : NaN;
  controller.abort();
  await result;
  return 'none';
}

describe('which limit applies', () => {
  const perTool = { web_search: 10, 'web_*': 20, 'web_s*': 30, '*': 40, '*_search': 45 };

  it.each<[string, object, string, number | undefined, number | 'none']>([
    ['none without any', {}, 'tool', undefined, 'none'],
    ['the definition’s', {}, 'tool', 70, 70],
    ['the default for a tool that declares none', { defaultMs: 60 }, 'tool', undefined, 60],
    ['the definition before the default', { defaultMs: 60 }, 'tool', 70, 70],
    ['an exact name before any glob', { perTool }, 'web_search', 70, 10],
    ['the longest glob', { perTool: { 'web_*': 20, 'web_s*': 30 } }, 'web_search', 70, 30],
    ['the longest glob, wherever its * is', { perTool }, 'file_search', 70, 45],
    ['a shorter glob where the longer does not match', { perTool }, 'web_fetch', 70, 20],
    ['any glob before the definition', { perTool }, 'tool', 70, 40],
    ['the alphabetically first of two globs of one length', { perTool: { '*ol': 2, 'to*': 1 } }, 'tool', undefined, 2],
    ['no prototype member', { perTool: { other: 1 } }, 'constructor', undefined, 'none'],
    ['the cap for a tool that has none', { maxMs: 50 }, 'tool', undefined, 50],
    ['the cap over a longer definition', { maxMs: 50 }, 'tool', 70, 50],
    ['the definition under the cap', { maxMs: 50 }, 'tool', 30, 30],
    ['the cap over a longer default', { maxMs: 50, defaultMs: 60 }, 'tool', undefined, 50],
    ['the cap over a longer exact name', { maxMs: 5, perTool }, 'web_search', undefined, 5],
    ['a fraction of a millisecond, rounded up', { defaultMs: 0.5 }, 'tool', undefined, 0.5],
  ])('is %s', async (_what, config, name, timeoutMs, expected) => {
    expect(await limitOf(config, name, timeoutMs)).toBe(expected);
  });
});

describe('long limits', () => {
  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 31 + 5, 2 ** 33 + 0.5])('of %d ms end then and not sooner [T13] [U5]', async (ms) => {
    await using bed = setup({ defaultMs: ms });
    bed.ctx.tools.register(aSlowTool({ listens: true }));
    const result = call(bed.ctx);
    await pass(Math.ceil(ms) - 1);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it('hold also when a definition declares them [T13]', async () => {
    await using bed = setup();
    bed.ctx.tools.register(aSlowTool({ timeoutMs: Number.MAX_VALUE, takesMs: 100 }));
    const result = call(bed.ctx);
    await pass(100);
    expect(code(await result)).toBe('ok');
  });

  it('stand still and go on like short ones', async () => {
    await using bed = setup({ defaultMs: 2 ** 31 + 1_000 });
    const { ctx } = bed;
    ctx.tools.register(aSlowTool({ listens: true }));
    const result = call(ctx);
    await pass(2 ** 31);
    ctx.emit('tools/hold', { callId: 'slow', held: true });
    await pass(2 ** 32);
    ctx.emit('tools/hold', { callId: 'slow', held: false });
    await pass(999);
    expect(await peek(result)).toBe('pending');
    await pass(1);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });
});

describe('bad config', () => {
  it.each<[string, object, string]>([
    ['defaultMs 0', { defaultMs: 0 }, 'defaultMs'],
    ['negative defaultMs', { defaultMs: -1 }, 'defaultMs'],
    ['defaultMs as text', { defaultMs: '50' }, 'defaultMs'],
    ['defaultMs NaN', { defaultMs: NaN }, 'defaultMs'],
    ['defaultMs Infinity', { defaultMs: Infinity }, 'defaultMs'],
    ['defaultMs null', { defaultMs: null }, 'defaultMs'],
    ['maxMs 0', { maxMs: 0 }, 'maxMs'],
    ['maxMs Infinity', { maxMs: Infinity }, 'maxMs'],
    ['negative graceMs', { graceMs: -1 }, 'graceMs'],
    ['graceMs Infinity', { graceMs: Infinity }, 'graceMs'],
    ['unknown onIgnored', { onIgnored: 'kill' }, 'onIgnored'],
    ['perTool as a list', { perTool: [['tool', 5]] }, 'perTool'],
    ['perTool 0', { perTool: { tool: 0 } }, 'tool'],
    ['perTool as text', { perTool: { tool: '5s' } }, 'tool'],
    ['a perTool name that no tool can have', { perTool: { 'web.fetch': 5 } }, 'web.fetch'],
    ['an empty perTool name', { perTool: { '': 5 } }, '""'],
    ['idle without hardMaxMs', { idle: {} }, 'hardMaxMs'],
    ['idle true', { idle: true }, 'idle'],
    ['hardMaxMs 0', { idle: { hardMaxMs: 0 } }, 'hardMaxMs'],
    ['an unknown key of idle', { idle: { hardMaxMs: 5, softMs: 1 } }, 'softMs'],
    ['an unknown key', { timeoutMs: 50 }, 'timeoutMs'],
  ])('(%s) fails when the plugin is mounted, naming plugin and place', async (_what, config, place) => {
    await using host = aHost();
    const mount = (): unknown => host.ctx.plugin(toolCallTimeoutPolicy, config);
    expect(mount).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
    expect(mount).toThrow('tool-call-timeout-policy');
    expect(mount).toThrow(place);
  });

  it('in an update leaves the old one in force', async () => {
    await using bed = setup({ defaultMs: 50 });
    await expect(bed.policy.update({ defaultMs: -1 })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    bed.ctx.tools.register(aSlowTool({ listens: true }));
    const result = call(bed.ctx);
    await pass(50);
    expect(code(await result)).toBe('TOOL_TIMEOUT');
  });

  it.each([0, -5, NaN, Infinity])('(timeoutMs %d) of a definition is refused at registration', async (timeoutMs) => {
    await using bed = setup();
    expect(() => bed.ctx.tools.register(aSlowTool({ timeoutMs }))).toThrow('timeoutMs');
  });
});

describe('types', () => {
  it('know the config', async () => {
    await using host = aHost();
    const { ctx } = host;
    ctx.plugin(toolCallTimeoutPolicy);
    ctx.plugin(toolCallTimeoutPolicy, { perTool: { a: 1 }, defaultMs: 1, maxMs: 1, graceMs: 1, onIgnored: 'settle', idle: { hardMaxMs: 1 } });
    // @ts-expect-error -- one of two words
    expect(() => ctx.plugin(toolCallTimeoutPolicy, { onIgnored: 'kill' })).toThrow();
    // @ts-expect-error -- hardMaxMs is required
    expect(() => ctx.plugin(toolCallTimeoutPolicy, { idle: {} })).toThrow();
    // @ts-expect-error -- milliseconds, not text
    expect(() => ctx.plugin(toolCallTimeoutPolicy, { defaultMs: '5s' })).toThrow();
    expectTypeOf<ToolCallTimeoutPolicyConfig['onIgnored']>().toEqualTypeOf<'wait' | 'settle'>();
    expectTypeOf<ToolCallTimeoutPolicyConfig['perTool']>().toEqualTypeOf<Readonly<Record<string, number>> | undefined>();
  });

  it('are the same for the default export, which deployment files use', () => {
    expect(defaultExport).toBe(toolCallTimeoutPolicy);
  });
});
