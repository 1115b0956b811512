import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContextCounts } from '@sluice/core-context';
import type { ToolExecutionResult } from '@sluice/core-tools';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadDeployment, watchDeployment, type Deployment, type ReloadResult } from '../src/index.ts';
import { aDirectory, quiet, SOURCE } from './support.ts';

async function opened(deployment: Promise<Deployment>): Promise<Deployment> {
  const each = await deployment;
  onTestFinished(() => each.close());
  return each;
}

const load = (directory: string): Promise<Deployment> => opened(loadDeployment(join(directory, 'sluice.yml'), { ...SOURCE, logger: quiet }));

const gatePlugin = (word: string, isGate = true): string => `
export default {
  name: 'gate-${word}', gate: ${isGate}, inject: ['tools'],
  config: { type: 'object', properties: { label: { type: 'string', default: 'none' }, slow: { type: 'boolean', default: false } } },
  async apply(ctx, { slow }) {
    if (slow) await new Promise((resolve) => setImmediate(resolve));
    globalThis.sluiceReloadTest.gates += 1;
    ctx.tools.guard((exec) => { globalThis.sluiceReloadTest.judged.add(exec.callId); return exec.arguments.evil ? 'evil' : undefined; });
    return () => { globalThis.sluiceReloadTest.gates -= 1; };
  },
};`;

const worker = `
export default {
  name: 'worker', inject: ['tools'],
  config: { type: 'object', properties: { note: { type: 'string', default: '' } } },
  apply(ctx) {
    ctx.tools.register({
      name: 'work', description: 'Works.', isConcurrencySafe: () => true,
      parameters: { type: 'object', properties: { evil: { type: 'boolean' }, turns: { type: 'integer' } }, additionalProperties: false },
      output: { schema: { type: 'string' }, render: (_args, value) => [{ type: 'text', text: value }] },
      async execute({ turns }, exec) {
        globalThis.sluiceReloadTest.ran.push(exec.callId);
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        return 'done';
      },
    });
  },
};`;

interface Shared { gates: number; judged: Set<string>; ran: string[] }
function shared(): Shared {
  const state = { gates: 0, judged: new Set<string>(), ran: [] };
  vi.stubGlobal('sluiceReloadTest', state);
  return state;
}

const core = '  - "@sluice/core-tools"\n';
const counts = ({ ctx }: Deployment): ContextCounts => ctx.inspect().counts;

describe('hot reload', () => {
  it('under load: 1,000 calls over 100 swaps, none lost, none ungated, nothing left over', async () => {
    const state = shared();
    const directory = aDirectory({ 'gate-a.js': gatePlugin('a'), 'gate-b.js': gatePlugin('b', false), 'worker.js': worker });
    // One of the two does not even say that it is a gate, and starts late. Each state differs from the last in another way: the policy is another plugin, the same with another config, or in another
    // place; the tool's plugin has another config; a slow start every third time.
    const text = (n: number): string => {
      const gate = `  - { use: ./gate-${n % 2 === 0 ? 'a' : 'b'}.js, id: gate, config: { label: "${n}", slow: ${n % 3 === 0} } }\n`;
      const reminder = n % 5 < 2 ? '  - "@sluice/repeat-tool-reminder"\n' : '';
      return `plugins:\n${core}${n % 4 < 2 ? gate + reminder : reminder + gate}  - { use: ./worker.js, config: { note: "${Math.floor(n / 7)}" } }\n`;
    };
    writeFileSync(join(directory, 'sluice.yml'), text(0));
    const deployment = await load(directory);
    const before = counts(deployment);
    const results: Promise<ToolExecutionResult>[] = [];
    let sent = 0;
    const send = (evil: boolean, turns: number): void => void results.push(deployment.ctx.tools.execute({ name: 'work', callId: `c${sent++}`, arguments: { evil, turns } }));

    for (let n = 1; n <= 100; n++) {
      writeFileSync(join(directory, 'sluice.yml'), text(n));
      for (let i = 0; i < 4; i++) send(i === 3, 5 + n);
      const swapping = deployment.reload();
      const over = { is: false };
      void swapping.then(() => (over.is = true));
      // While the swap goes on, and in whatever moment of it.
      for (let i = 0; i < 3; i++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (deployment.ctx.get('tools') !== undefined) send(i === 2, 20);
      }
      while (!over.is) await new Promise((resolve) => setImmediate(resolve));
      expect(await swapping).toMatchObject({ isApplied: true });
      for (let i = 0; i < 3; i++) send(i === 2, 3);
    }
    const settled = await Promise.all(results);
    expect(settled).toHaveLength(sent);
    expect(sent).toBeGreaterThanOrEqual(1_000);

    expect(state.ran.filter((callId) => !state.judged.has(callId)), 'no body ran that no gate had judged').toEqual([]);
    const codes = new Map<string, number>();
    for (const result of settled) {
      const code = result.isError ? result.error.info.code : 'ok';
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (!result.isError) expect(result.value).toBe('done');
    }
    // Denied by the gate, denied because a swap was under way, or gone with the old tool before it was dispatched; never anything else.
    expect([...codes.keys()].filter((code) => !['ok', 'DENIED', 'PIPELINE_FAILED', 'UNKNOWN_TOOL'].includes(code))).toEqual([]);
    expect(codes.get('ok')).toBeGreaterThan(500);

    await deployment.drained();
    writeFileSync(join(directory, 'sluice.yml'), text(0));
    expect(await deployment.reload()).toMatchObject({ isApplied: true });
    await deployment.drained();
    expect(counts(deployment)).toEqual(before);
    expect(state.gates).toBe(1);
    await deployment.close();
    expect(counts(deployment)).toMatchObject({ plugins: 0, listeners: 0, contributions: 0, effects: 0, running: 0 });
    expect(state.gates).toBe(0);
  }, 60_000);

  it('ends, updates and mounts only what changed, each in its place', async () => {
    shared();
    const directory = aDirectory({
      'gate-a.js': gatePlugin('a'),
      'worker.js': worker,
      'sluice.yml': `plugins:\n${core}  - "@sluice/tool-call-timeout-policy"\n  - ./worker.js\n`,
    });
    const deployment = await load(directory);
    writeFileSync(join(directory, 'sluice.yml'), `plugins:\n${core}  - "@sluice/tool-retry-policy"\n  - { use: "@sluice/tool-call-timeout-policy", config: { defaultMs: 5 } }\n  - ./worker.js\nscopes: { one: }\n`);
    expect(await deployment.reload()).toEqual({
      isApplied: true,
      changes: { mounted: ['@sluice/tool-retry-policy'], updated: ['@sluice/tool-call-timeout-policy'], disposed: [], scopesAdded: ['one'], scopesRemoved: [] },
    });
    expect(deployment.ctx.listeners('tools/execute').map(({ plugin }) => plugin)).toEqual(['tool-retry-policy', 'tool-call-timeout-policy']);
    expect(deployment.scope('one').scopePath).toEqual(['one']);

    // The order alone: one of the two moves.
    writeFileSync(join(directory, 'sluice.yml'), `plugins:\n${core}  - { use: "@sluice/tool-call-timeout-policy", config: { defaultMs: 5 } }\n  - "@sluice/tool-retry-policy"\n  - ./worker.js\nscopes: { one: }\n`);
    expect(await deployment.reload()).toMatchObject({ isApplied: true });
    expect(deployment.ctx.listeners('tools/execute').map(({ plugin }) => plugin)).toEqual(['tool-call-timeout-policy', 'tool-retry-policy']);
    expect(await deployment.reload()).toEqual({ isApplied: true, changes: { mounted: [], updated: [], disposed: [], scopesAdded: [], scopesRemoved: [] } });
  });

  it('keeps the composition when the new one is wrong, does not load, or does not start, and says why', async () => {
    const state = shared();
    const good = `plugins:\n${core}  - { use: ./gate-a.js, id: gate, config: { label: good } }\n  - ./worker.js\nscopes: { here: }\n`;
    const directory = aDirectory({
      'gate-a.js': gatePlugin('a'),
      'worker.js': worker,
      'failing.js': "export default { name: 'failing', gate: true, async apply() { await null; throw new Error('not today'); } };",
      'sluice.yml': good,
    });
    const deployment = await load(directory);
    const before = counts(deployment);
    const here = deployment.scope('here');
    const bad: [text: string, why: RegExp][] = [
      [good.replace('label: good', 'lable: good'), /sluice\.yml:3:\d+: \.\/gate-a\.js, config\.lable: is not a known property/],
      [good.replace('scopes', '  - ./nowhere.js\nscopes'), /there is no file/],
      [good.replace('./gate-a.js', './failing.js').replace('{ label: good }', '{}'), /failing\.js: does not start: not today/],
      // The scope is left out, too, and comes to no harm.
      [good.replace(/scopes.*/, '  - "@sluice/tool-fs"'), /waits for the service "fs"/],
      [good.replace('{ here: }', '{ here: , one: { tools: { allow: [wrk] } } }'), /inherits no tool "wrk"[^]*Did you mean "work"\?/],
      ['plugins: [', /a "\]" is missing/],
    ];
    for (const [text, why] of bad) {
      writeFileSync(join(directory, 'sluice.yml'), text);
      const result = await deployment.reload();
      expect(result).toMatchObject({ isApplied: false });
      expect((result as { error: Error }).error.message).toMatch(why);
      await deployment.drained();
      expect(counts(deployment)).toEqual(before);
      expect(deployment.ctx.closedGates()).toEqual([]);
      expect(await deployment.ctx.tools.execute({ name: 'work', arguments: { evil: true, turns: 0 } })).toMatchObject({ isError: true, error: { message: 'evil' } });
      expect(await deployment.ctx.tools.execute({ name: 'work', arguments: { turns: 0 } })).toMatchObject({ isError: false });
    }
    expect(deployment.scope('here')).toBe(here);
    expect(here.signal.aborted).toBe(false);
    expect(state.gates).toBe(1);
    writeFileSync(join(directory, 'sluice.yml'), good);
    expect(await deployment.reload()).toMatchObject({ isApplied: true, changes: { mounted: [], updated: [], disposed: [] } });
  });

  it('lets calls finish in a scope that is taken away, and admits no more', async () => {
    shared();
    const text = `plugins:\n${core}  - ./worker.js\n`;
    const directory = aDirectory({ 'worker.js': worker, 'sluice.yml': `${text}scopes: { outer: , inner: { extends: outer } }\n` });
    const deployment = await load(directory);
    const inner = deployment.scope('inner');
    expect(inner.scopePath).toEqual(['outer', 'inner']);
    const running = inner.tools.execute({ name: 'work', arguments: { turns: 30 } });
    writeFileSync(join(directory, 'sluice.yml'), text);
    expect(await deployment.reload()).toMatchObject({ isApplied: true, changes: { scopesRemoved: ['inner', 'outer'] } });
    expect(await inner.tools.execute({ name: 'work', arguments: { turns: 0 } })).toMatchObject({ isError: true, error: { info: { started: false } } });
    expect(await running).toMatchObject({ isError: false, value: 'done' });
    await deployment.drained();
    expect(() => deployment.scope('inner')).toThrow(/no scope "inner"/);
    expect(counts(deployment).scopes).toBe(0);
  });

  it('follows the files: an edit, an editor that replaces the file, an include, a plugin named by path', async () => {
    shared();
    const directory = aDirectory({
      'base.yml': `plugins:\n${core}`,
      'worker.js': worker,
      'sluice.yml': 'include: base.yml\nplugins: [./worker.js]\n',
    });
    const results: ReloadResult[] = [];
    const deployment = await opened(watchDeployment(join(directory, 'sluice.yml'), { ...SOURCE, logger: quiet, quietMs: 10, onReload: (result) => results.push(result) }));
    const next = (): Promise<ReloadResult> => vi.waitUntil(() => results.shift(), { timeout: 10_000, interval: 10 });

    writeFileSync(join(directory, 'sluice.yml'), 'include: base.yml\nplugins: [./worker.js, "@sluice/tool-retry-policy"]\n');
    expect(await next()).toMatchObject({ isApplied: true, changes: { mounted: ['@sluice/tool-retry-policy'] } });
    writeFileSync(join(directory, 'new.tmp'), 'include: base.yml\nplugins: [./worker.js]\n');
    renameSync(join(directory, 'new.tmp'), join(directory, 'sluice.yml'));
    expect(await next()).toMatchObject({ isApplied: true, changes: { disposed: ['@sluice/tool-retry-policy'] } });
    writeFileSync(join(directory, 'base.yml'), `plugins:\n${core}  - "@sluice/no-such-thing"\n`);
    expect(await next()).toMatchObject({ isApplied: false });
    writeFileSync(join(directory, 'base.yml'), `plugins:\n${core}  - "@sluice/tool-call-timeout-policy"\n`);
    expect(await next()).toMatchObject({ isApplied: true, changes: { mounted: ['@sluice/tool-call-timeout-policy'] } });
    writeFileSync(join(directory, 'worker.js'), worker.replace("return 'done'", "return 'better'"));
    expect(await next()).toMatchObject({ isApplied: true, changes: { mounted: ['./worker.js'], disposed: ['./worker.js'] } });
    expect(await deployment.ctx.tools.execute({ name: 'work', arguments: { turns: 0 } })).toMatchObject({ value: 'better' });
  });
});

