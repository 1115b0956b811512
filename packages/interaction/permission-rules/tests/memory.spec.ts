import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withFileLock } from '../src/memory/file-lock.ts';
import { permissionRules, type PermissionRulesConfig, type RememberableRule } from '../src/index.ts';
import { allow, aRulesHost, ask, codeOf, deny, type RulesHost } from './support.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rules-'));
  file = join(directory, 'deep', 'rules.json');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const host = (config: Partial<PermissionRulesConfig> = {}): RulesHost => aRulesHost({ file, ...config });
const always = (tool: string, remember: RememberableRule['remember']): RememberableRule => ({ ...allow(tool), remember });

describe('remembering', () => {
  it('holds at once, and after a restart for project and user', async () => {
    {
      await using first = host();
      const stored = ['read', 'write', 'bash'].map((tool, index) => first.ctx.rules.remember(always(tool, (['user', 'project', 'session'] as const)[index]!)));
      expect(['read', 'write', 'bash'].map((toolName) => first.ctx.rules.decide({ toolName }))).toEqual(['allow', 'allow', 'allow']);
      await Promise.all(stored);
    }
    await using second = host();
    expect(['read', 'write', 'bash'].map((toolName) => second.ctx.rules.decide({ toolName }))).toEqual(['allow', 'allow', 'ask']);
    expect(second.ctx.rules.list().map(({ tool, remember, root }) => ({ tool, remember, root }))).toEqual([
      { tool: 'read', remember: 'user', root: undefined },
      { tool: 'write', remember: 'project', root: '/work' },
    ]);
    await using elsewhere = host({ root: '/other' });
    expect(['read', 'write'].map((toolName) => elsewhere.ctx.rules.decide({ toolName }))).toEqual(['allow', 'ask']);
  });

  it('never loosens what the config asks about or denies, and a remembered deny tightens what it allows', async () => {
    await using h = host({ rules: [ask('bash'), deny('write'), allow('read')] });
    for (const tool of ['bash', 'write', '*']) await h.ctx.rules.remember(always(tool, 'user'));
    await h.ctx.rules.remember({ ...deny('read', { path: { path: 'secrets/**' } }), remember: 'user' });
    const { rules } = h.ctx;
    expect([rules.decide({ toolName: 'bash' }), rules.decide({ toolName: 'write' }), rules.decide({ toolName: 'read' }), rules.decide({ toolName: 'read', arguments: { path: 'secrets/a' } })]).toEqual(['ask', 'deny', 'allow', 'deny']);
    expect(rules.explain({ toolName: 'bash' }).rememberable).toBe(false);
  });

  it('lists what holds, in words, and forgets what is revoked at once', async () => {
    await using h = host();
    const { rules } = h.ctx;
    const entry = await rules.remember({ ...rules.ruleFor({ toolName: 'bash', arguments: { command: 'ls' } }, 'project'), reason: 'looking is fine' });
    expect(rules.list()).toEqual([entry]);
    expect(entry).toMatchObject({ tool: 'bash', decision: 'allow', remember: 'project', reason: 'looking is fine', text: 'allow tool "bash" with exactly these arguments: {"command":"ls"}' });
    expect(Object.isFrozen(entry)).toBe(true);
    expect(rules.explain({ toolName: 'bash', arguments: { command: 'ls' } })).toMatchObject({ decision: 'allow', source: 'remembered', rule: { id: entry.id } });
    const revoked = rules.revoke(entry.id);
    expect(rules.decide({ toolName: 'bash', arguments: { command: 'ls' } })).toBe('ask');
    expect(rules.list()).toEqual([]);
    expect(await revoked).toBe(true);
    expect(await rules.revoke(entry.id)).toBe(false);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, rules: [] });
  });

  it('remembers the same rule once, and gives it the same id after it was revoked', async () => {
    await using h = host();
    const { rules } = h.ctx;
    const [a, b] = await Promise.all([rules.remember(always('read', 'user')), rules.remember({ ...always('read', 'user'), reason: 'again' })]);
    expect(a.id).toBe(b.id);
    expect(rules.list()).toHaveLength(1);
    const gone = rules.revoke(a.id);
    const back = rules.remember(always('read', 'user'));
    expect(rules.decide({ toolName: 'read' })).toBe('allow');
    await Promise.all([gone, back]);
    expect(rules.list().map(({ id }) => id)).toEqual([a.id]);
    expect((await rules.remember(always('read', 'session'))).id).not.toBe(a.id);
  });

  it('keeps a rule for one call as long as that call lasts, in its scope, and for the calls nested in it', async () => {
    await using h = host({ rules: [allow('outer')] });
    const seen: string[] = [];
    h.ctx.tools.register({
      name: 'outer', description: '', parameters: {}, output: { schema: {}, render: () => [] },
      async execute(_args, exec) {
        seen.push(codeOf(await exec.execute({ name: 'bash' })));
        await h.ctx.rules.remember(always('bash', 'call'), { callId: exec.rootCallId });
        seen.push(codeOf(await exec.execute({ name: 'bash' })));
        seen.push(codeOf(await h.ctx.scope('other').tools.execute({ name: 'bash', callId: exec.callId })));
        return null;
      },
    });
    await h.ctx.tools.execute({ name: 'outer', callId: 'c1' });
    expect(seen).toEqual(['APPROVAL_UNAVAILABLE', 'ran', 'APPROVAL_UNAVAILABLE']);
    expect(codeOf(await h.ctx.tools.execute({ name: 'bash', callId: 'c1' }))).toBe('APPROVAL_UNAVAILABLE');
    expect(h.ctx.rules.list()).toEqual([]);
    await expect(h.ctx.rules.remember(always('bash', 'call'))).rejects.toThrow('needs the callId');
  });

  it.each<[string, unknown]>([
    ['nothing', undefined], ['no scope', allow('read')], ['an unknown scope', always('read', 'forever' as never)], ['a wrong glob', always('a b', 'user')], ['an unknown member', { ...always('read', 'user'), id: 'x' }],
    ['a pattern that cannot be bounded', { ...allow('read', { a: { matches: '(a)\\1' } }), remember: 'session' }], ['no JSON', { ...always('read', 'user'), reason: () => 'x' }],
    ['more than a person can have read', { ...allow('read', { a: { equals: 'x'.repeat(70_000) } }), remember: 'session' }],
  ])('refuses %s and holds nothing', async (_what, rule) => {
    await using h = host();
    await expect(h.ctx.rules.remember(rule as RememberableRule)).rejects.toMatchObject({ code: 'INVALID_RULE' });
    expect(h.ctx.rules.list()).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });
});

describe('the file', () => {
  const good = { version: 1, rules: [{ id: 'a', remember: 'user', rememberedAt: '2026-01-01T00:00:00.000Z', tool: 'read', decision: 'allow' }] };
  const put = (content: string | Buffer): void => {
    mkdirSync(join(directory, 'deep'), { recursive: true });
    writeFileSync(file, content);
  };
  const corrupt: [string, string | Buffer][] = [
    ['no JSON', 'nonsense'], ['half of it', JSON.stringify(good).slice(0, 60)], ['nothing in it', ''], ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])], ['a list', '[]'], ['another version', JSON.stringify({ ...good, version: 2 })],
    ['no version', JSON.stringify({ rules: [] })], ['an unknown member', JSON.stringify({ ...good, extra: 1 })], ['a rule with an unknown member', JSON.stringify({ version: 1, rules: [{ ...good.rules[0], when2: {} }] })],
    ['an unknown decision', JSON.stringify({ version: 1, rules: [{ ...good.rules[0], decision: 'yes' }] })], ['a condition that nobody knows', JSON.stringify({ version: 1, rules: [{ ...good.rules[0], when: { a: { is: 1 } } }] })],
    ['a pattern that cannot be bounded', JSON.stringify({ version: 1, rules: [{ ...good.rules[0], when: { a: { matches: '(a)\\1' } } }] })], ['one id twice', JSON.stringify({ version: 1, rules: [good.rules[0], good.rules[0]] })],
    ['a key twice', '{"version":1,"rules":[],"rules":[]}'], ['a project rule of no project', JSON.stringify({ version: 1, rules: [{ ...good.rules[0], remember: 'project' }] })],
  ];

  it.each(corrupt)('with %s closes the gate: a clear error, and no allow', async (_what, content) => {
    put(content);
    await using h = aRulesHost({}, ['read']);
    await h.rules.dispose();
    const handle = h.ctx.plugin(permissionRules, { file, rules: [allow('*')] });
    await expect(handle.ready).rejects.toThrow(file);
    expect(codeOf(await h.run('read'))).toBe('PIPELINE_FAILED');
    expect(h.ran).toEqual([]);
    expect(readFileSync(file)).toEqual(Buffer.from(content));
  });

  it.each(corrupt)('that has %s while in use denies everything until it is repaired', async (_what, content) => {
    put(JSON.stringify(good));
    await using h = host({ rules: [allow('bash')] });
    expect(codeOf(await h.run('read'))).toBe('ran');
    put(content);
    expect(h.ctx.rules.explain({ toolName: 'bash' })).toMatchObject({ decision: 'deny', source: 'memory-file' });
    for (const tool of ['read', 'bash']) expect(await h.run(tool)).toMatchObject({ error: { info: { code: 'DENIED' }, message: expect.not.stringContaining(directory) } });
    await expect(h.ctx.rules.remember(always('write', 'user'))).rejects.toThrow('cannot be used');
    expect(() => h.ctx.rules.list()).toThrow('cannot be used');
    await expect(h.ctx.rules.revoke('a')).rejects.toThrow('cannot be used');
    expect(readFileSync(file)).toEqual(Buffer.from(content));
    rmSync(file);
    expect(codeOf(await h.run('bash'))).toBe('ran');
    expect(h.ctx.rules.decide({ toolName: 'read' })).toBe('ask');
  });

  it('that is a directory is no file to use', async () => {
    mkdirSync(file, { recursive: true });
    await using h = aRulesHost({}, ['read']);
    await h.rules.dispose();
    await expect(h.ctx.plugin(permissionRules, { file }).ready).rejects.toThrow('cannot be used');
  });

  it('is read again when another context has changed it: a rule revoked there is gone here', async () => {
    await using one = host();
    await using other = host();
    const { id } = await one.ctx.rules.remember(always('read', 'user'));
    expect(codeOf(await other.run('read'))).toBe('ran');
    expect(await other.ctx.rules.revoke(id)).toBe(true);
    expect(one.ctx.rules.decide({ toolName: 'read' })).toBe('ask');
  });

  it('loses no rule when contexts write it at once', async () => {
    const hosts = [host(), host(), host()];
    const names = hosts.flatMap((h, at) => Array.from({ length: 8 }, (_, index) => ({ h, tool: `t${at}_${index}` })));
    await Promise.all(names.map(({ h, tool }) => h.ctx.rules.remember(always(tool, 'user'))));
    for (const h of hosts) expect(h.ctx.rules.list().map(({ tool }) => tool).sort()).toEqual(names.map(({ tool }) => tool).sort());
    await Promise.all(hosts.map((h) => h.dispose()));
    expect(readdirSync(join(directory, 'deep'))).toEqual(['rules.json']);
  });

  it('loses no rule when processes write it at once', { timeout: 60_000 }, async () => {
    const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
    const out = join(directory, 'out');
    await build({
      configFile: false, logLevel: 'silent', root: here('..'),
      ssr: { noExternal: true, resolve: { conditions: ['@sluice/source', 'node', 'import', 'default'] } },
      build: { ssr: here('fixtures/remember-many.ts'), outDir: out, target: 'node20', rolldownOptions: { output: { entryFileNames: 'main.mjs' } } },
    });
    const count = 12;
    await Promise.all(['a', 'b', 'c'].map((name) => promisify(execFile)(process.execPath, [join(out, 'main.mjs'), file, name, String(count)])));
    await using h = host();
    const kept = ['a', 'b', 'c'].flatMap((name) => Array.from({ length: count }, (_, index) => `${name}_${index}`).filter((_, index) => index % 2 === 0));
    expect(h.ctx.rules.list().map(({ tool }) => tool).sort()).toEqual(kept.sort());
    expect(readdirSync(join(directory, 'deep'))).toEqual(['rules.json']);
  });

  it('is written for its owner only, and through a link that stays one', async () => {
    mkdirSync(join(directory, 'deep'));
    symlinkSync(join(directory, 'real.json'), file);
    writeFileSync(join(directory, 'real.json'), JSON.stringify(good), { mode: 0o644 });
    await using h = host();
    await h.ctx.rules.remember(always('bash', 'user'));
    expect(JSON.parse(readFileSync(join(directory, 'real.json'), 'utf8'))).toMatchObject({ rules: [{ tool: 'read' }, { tool: 'bash' }] });
    expect(statSync(join(directory, 'real.json')).mode & 0o777).toBe(0o600);
  });

  it('that cannot be written keeps the rule for as long as the plugin lives, and says so', async () => {
    await using h = aRulesHost({ file: join(directory, 'later', 'rules.json') });
    writeFileSync(join(directory, 'later'), '');
    const { rules } = h.ctx;
    // Now the file's place itself cannot be looked at, so nobody knows what it says.
    await expect(rules.remember(always('read', 'user'))).rejects.toMatchObject({ code: 'RULES_FILE' });
    expect(rules.decide({ toolName: 'read' })).toBe('deny');
    rmSync(join(directory, 'later'));
    expect(rules.decide({ toolName: 'read' })).toBe('allow');
    // The next change brings it to the file after all.
    await rules.remember(always('bash', 'user'));
    expect(JSON.parse(readFileSync(join(directory, 'later', 'rules.json'), 'utf8'))).toMatchObject({ rules: [{ tool: 'read' }, { tool: 'bash' }] });
  });

  it('that is not configured makes project and user rules last a session, with a warning', async () => {
    await using h = aRulesHost();
    await h.ctx.rules.remember(always('read', 'project'));
    expect(h.ctx.rules.decide({ toolName: 'read' })).toBe('allow');
    expect(h.log.messages('warn')).toEqual([expect.stringContaining('no file is configured')]);
  });

  it('in the root earns a warning, since tools may write there', async () => {
    await using h = aRulesHost({ root: directory, file: 'rules.json' });
    expect(h.log.messages('warn')).toEqual([expect.stringContaining('inside the root')]);
  });
});

describe('the lock', () => {
  const times = { waitMs: 60, staleMs: 10_000 };
  it('is waited for, and given up on with a name', async () => {
    mkdirSync(join(directory, 'deep'));
    writeFileSync(`${file}.lock`, 'somebody');
    await expect(withFileLock(file, async () => 'done', times)).rejects.toMatchObject({ code: 'RULES_LOCKED', message: expect.stringContaining(`${file}.lock`) });
    rmSync(`${file}.lock`);
    expect(await withFileLock(file, async () => 'done', times)).toBe('done');
    expect(readdirSync(join(directory, 'deep'))).toEqual([]);
  });

  it('of a process that died is taken over', async () => {
    mkdirSync(join(directory, 'deep'));
    writeFileSync(`${file}.lock`, 'somebody');
    const old = new Date(Date.now() - 60_000);
    utimesSync(`${file}.lock`, old, old);
    expect(await Promise.all([1, 2, 3].map((value) => withFileLock(file, async (isHeld) => ((await isHeld()) ? value : 0), { waitMs: 2_000, staleMs: 10_000 })))).toEqual([1, 2, 3]);
    expect(readdirSync(join(directory, 'deep'))).toEqual([]);
  });

  it('that was lost is noticed before anything is written, and not taken from whoever has it now', async () => {
    mkdirSync(join(directory, 'deep'));
    await withFileLock(file, async (isHeld) => {
      expect(await isHeld()).toBe(true);
      writeFileSync(`${file}.lock`, 'somebody else');
      expect(await isHeld()).toBe(false);
    });
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('somebody else');
  });

  it('is given back when the work fails', async () => {
    mkdirSync(join(directory, 'deep'));
    await expect(withFileLock(file, async () => { throw new Error('no'); })).rejects.toThrow('no');
    expect(readdirSync(join(directory, 'deep'))).toEqual([]);
  });
});
