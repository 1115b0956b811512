import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWorkspace, type BuiltWorkspace } from './built.ts';
import { aDirectory as aDirectoryWith, start as startProgram, type Ended, type Started } from './support.ts';

let built: BuiltWorkspace;
beforeAll(async () => {
  built = await buildWorkspace();
}, 60_000);
afterAll(() => { built.remove(); });

type Options = Parameters<typeof startProgram>[3];
const aDirectory = (files: Record<string, string>): string => aDirectoryWith(files, built.nodeModules);
const start = (cwd: string, args: readonly string[], options?: Options): Started => startProgram(built.program, cwd, args, options);
const sluice = (cwd: string, args: readonly string[], options?: Options): Promise<Ended> => start(cwd, args, options).ended;

const YML = `plugins:
  - "@sluice/core-tools"
  - use: "@sluice/permission-rules"
    config:
      defaults: { unmatched: allow, readOnlyHint: allow }
      rules: [{ tool: secret, decision: deny, reason: not for you }]
  - ./tools.js
  - { use: "@sluice/fs-local", config: { root: "\${FILES:-.}" } }
  - "@sluice/tool-fs"
scopes:
  reader: { tools: { allow: ["read_*"] } }
environments:
  ci:
    plugins:
      - { use: "@sluice/permission-rules", config: { defaults: { readOnlyHint: deny } } }
`;

const TOOLS = `
const tool = (name, execute) => ({
  name, description: 'Does ' + name + '. Or not.', execute,
  parameters: { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false },
  output: { schema: {}, render: (_args, value) => [{ type: 'text', text: String(value) }] },
});
export default {
  name: 'my-tools', inject: ['tools'],
  apply(ctx) {
    ctx.tools.register(tool('double', ({ n }) => n * 2));
    ctx.tools.register(tool('broken', () => { throw new Error('out of ink'); }));
    ctx.tools.register(tool('secret', () => 'psst'));
    ctx.tools.register(tool('long', () => 'line\\n'.repeat(200_000)));
    ctx.tools.register(tool('wait', (_args, { signal }) => new Promise((resolve) => { console.error('waiting'); const t = setTimeout(resolve, 60_000); signal.addEventListener('abort', () => { clearTimeout(t); resolve('stopped'); }); })));
  },
};`;

const here = (): string => aDirectory({ 'sluice.yml': YML, 'tools.js': TOOLS, 'five.json': '{"n":5}' });

// Each starts the program several times, on whatever else the machine does.
describe('sluice call', { timeout: 60_000 }, () => {
  it('prints what the model would read, and ends with 0', async () => {
    expect(await sluice(here(), ['call', 'double', '{"n":21}'])).toEqual({ code: 0, out: '42\n', err: '' });
  });

  it('takes arguments from standard input and from a file, and prints JSON when asked', async () => {
    const directory = here();
    expect(await sluice(directory, ['call', 'double', '-'], { input: '{"n":3}' })).toMatchObject({ code: 0, out: '6\n' });
    const { code, out } = await sluice(directory, ['call', 'double', '@five.json', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { isError: false, name: 'double', value: 10 }]);
  });

  it.each([
    ['1 for a tool that ran and failed', ['broken'], 1, /out of ink[^]*TOOL_FAILED/],
    ['2 for arguments that are wrong', ['double', '{"n":"x"}'], 2, /"n" must be an integer[^]*INVALID_ARGS/],
    ['2 for text that is no JSON', ['double', '{n:1}'], 2, /not valid JSON/],
    ['2 for a tool that there is not', ['duoble'], 2, /double[^]*UNKNOWN_TOOL/],
    ['3 for a denial', ['secret'], 3, /not for you[^]*DENIED, permission-rules/],
    ['3 for a denial of an environment', ['read_file', '{"path":"five.json"}', '--env', 'ci'], 3, /DENIED/],
    ['2 for a scope that there is not', ['double', '--scope', 'raeder'], 2, /no scope "raeder"[^]*reader/],
    ['2 for an environment that there is not', ['double', '--env', 'cl'], 2, /no environment "cl"[^]*Did you mean "ci"/],
    ['2 for a tool that the scope does not see', ['double', '{"n":1}', '--scope', 'reader'], 2, /UNKNOWN_TOOL/],
  ])('ends with %s, and says why on standard error', async (_title, args, code, why) => {
    const ended = await sluice(here(), ['call', ...args]);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toMatch(why);
    expect(ended.err, 'no stack').not.toMatch(/\n\s+at /);
  });

  it('is not where a file is: relative paths are those of the deployment', async () => {
    const directory = here();
    expect(await sluice('/', ['call', 'read_file', '{"path":"five.json"}', '--file', join(directory, 'sluice.yml')])).toMatchObject({ code: 0 });
  });

  it('aborts the call on an interrupt, waits for its result, and ends with 130', async () => {
    const { child, ended } = start(here(), ['call', 'wait', '--json']);
    child.stderr.on('data', (text: string) => { if (text.includes('waiting')) child.kill('SIGINT'); });
    const { code, out } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(out)).toMatchObject({ isError: true, error: { info: { code: 'ABORTED', started: true } } });
  });

  it('ends quietly when whoever reads has read enough', async () => {
    const { child, ended } = start(here(), ['call', 'long']);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toMatchObject({ err: '' });
  });
});

describe('the other commands', { timeout: 60_000 }, () => {
  it('check tells what is there, and a wrong file with its place and no stack', async () => {
    const directory = here();
    const good = await sluice(directory, ['check']);
    expect(good).toMatchObject({ code: 0, err: '' });
    expect(good.out).toMatch(/^sluice\.yml: 5 plugins, 1 scope, 9 tools/);
    expect(good.out).toMatch(/reader: presents 1 tool natively/);
    const report = JSON.parse((await sluice(directory, ['check', '--json'])).out) as { plugins: { name: string; isGate: boolean; guards: number; needs: string[] }[] };
    expect(report.plugins.find(({ name }) => name === 'permission-rules')).toMatchObject({ isGate: true, guards: 1, needs: ['tools'] });

    const bad = aDirectory({ 'sluice.yml': 'plugins:\n  - "@sluice/core-tols"\n' });
    const refused = await sluice(bad, ['check']);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(/^error: sluice\.yml:2:5: [^]*Did you mean "@sluice\/core-tools"/);
    expect(refused.err).not.toMatch(/\n\s+at /);
  });

  it('check --watch says what an edit comes to, and ends with Ctrl-C', async () => {
    const directory = here();
    const { child, ended } = start(directory, ['check', '--watch']);
    const said = async (words: string): Promise<void> => {
      await new Promise<void>((resolve) => {
        const look = (text: string): void => { if (text.includes(words)) resolve(); };
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
      });
    };
    await said('watching 2 files');
    const file = join(directory, 'sluice.yml');
    const refused = said('not applied');
    writeFileSync(file, YML.replace('reader:', 'reader: { tols: [] }\n  other:'));
    await refused;
    const applied = said('reloaded');
    writeFileSync(file, YML.replace('readOnlyHint: allow', 'readOnlyHint: ask'));
    await applied;
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 0,
      out: expect.stringContaining('reloaded: 0 mounted, 1 updated, 0 ended') as string,
      err: expect.stringMatching(/sluice\.yml:11:13: scope "reader" has no key "tols"[^]*Did you mean "tools"/) as string,
    });
  });

  it('explain runs nothing and says what would act', async () => {
    const { code, out } = await sluice(here(), ['explain', 'secret', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { rules: { decision: 'deny' }, guards: { 'permission-rules': 1 }, closedGates: [] }]);
    expect(await sluice(here(), ['explain', 'double', '{"n":true}'])).toMatchObject({ code: 2, out: expect.stringMatching(/INVALID_ARGS[^]*no policy is asked/) as string });
  });

  it('tools shows what a scope sees, as text, JSON and Markdown', async () => {
    const directory = here();
    expect((await sluice(directory, ['tools'])).out).toMatch(/double\(n\?\)\n {2}Does double\./);
    expect((JSON.parse((await sluice(directory, ['tools', '--scope', 'reader', '--format', 'json'])).out) as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(['read_file']);
    expect((await sluice(directory, ['tools', '--format', 'md'])).out).toMatch(/^# Tools \(native\)\n\n## double\n/);
  });

  it('run has an agent work, keeps the log, and replay draws the same rows again', async () => {
    const directory = here();
    const model = join(directory, 'model.mjs');
    writeFileSync(model, "import { scriptedModel } from '@sluice/core-agent-loop/scripted';\nexport default scriptedModel([{ calls: [{ name: 'double', arguments: { n: 4 } }] }, 'It is 8.']);\n");
    const ran = await sluice(directory, ['run', 'Double four.', '--model', './model.mjs']);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toMatch(/> Double four\.[^]*8[^]*It is 8\./);
    expect(ran.err).toMatch(/2 steps, 1 call; to see it again: {2}sluice replay \.sluice\/sessions\/.*\.jsonl/);
    const [log] = readdirSync(join(directory, '.sluice', 'sessions')).filter((name) => name.endsWith('.jsonl'));
    expect(await sluice(directory, ['replay', `.sluice/sessions/${log!}`])).toMatchObject({ code: 0, out: ran.out });
    expect(await sluice(directory, ['run', 'Hm.'])).toMatchObject({ code: 2, err: expect.stringContaining('--model provider:model') as string });
  });

  it('schema is a JSON Schema with the config of every plugin that the file names', async () => {
    const directory = here();
    const written = await sluice(directory, ['schema', '--output', 'sluice.schema.json']);
    expect(written).toMatchObject({ code: 0, err: expect.stringContaining('yaml-language-server') as string });
    const schema = JSON.parse(readFileSync(join(directory, 'sluice.schema.json'), 'utf8')) as { definitions: { plugin: { allOf: { if: { properties: { use: { const: string } } } }[] } } };
    expect(schema.definitions.plugin.allOf.map((each) => each.if.properties.use.const)).toContain('@sluice/permission-rules');
  });

  it('init writes a starter that check accepts, and overwrites nothing', async () => {
    const directory = aDirectory({});
    expect(await sluice(directory, ['init', '--no-install'])).toMatchObject({ code: 0 });
    expect(readdirSync(directory).sort()).toEqual(['node_modules', 'package.json', 'sluice.yml']);
    expect(await sluice(directory, ['check'])).toMatchObject({ code: 0, err: '' });
    expect(await sluice(directory, ['call', 'read_file', '{"path":"package.json"}'])).toMatchObject({ code: 0, out: expect.stringContaining('"@sluice/tool-fs"') as string });
    expect(await sluice(directory, ['call', 'write_file', '{"path":"a.txt","content":"hi"}'])).toMatchObject({ code: 3, err: expect.stringContaining('APPROVAL_UNAVAILABLE') as string });
    expect(await sluice(directory, ['call', 'write_file', '{"path":"a.txt","content":"hi"}', '--env', 'ci'])).toMatchObject({ code: 3, err: expect.stringContaining('DENIED') as string });
    expect(await sluice(directory, ['init', '--no-install'])).toMatchObject({ code: 2, err: expect.stringContaining('already') as string });
  });

  it('help has examples for every command; a wrong command line is 2 with a suggestion', async () => {
    const directory = aDirectory({});
    const commands = ['call', 'check', 'explain', 'tools', 'run', 'replay', 'init', 'new-plugin', 'schema'];
    const helps = await Promise.all(commands.map((command) => sluice(directory, [command, '--help'])));
    for (const [index, { code, out }] of helps.entries()) expect([commands[index], code, /Examples:\n {2}sluice /.test(out)]).toEqual([commands[index], 0, true]);
    expect(await sluice(directory, ['chek'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean check?') as string });
    expect(await sluice(directory, ['check'])).toMatchObject({ code: 2, err: expect.stringContaining('sluice init') as string });
  });

  it('paints nothing with NO_COLOR or in a pipe, and shows a stack only with --debug', async () => {
    const directory = here();
    // eslint-disable-next-line no-control-regex -- that is what is looked for
    const painted = /\u001b\[/;
    expect((await sluice(directory, ['check'])).out).not.toMatch(painted);
    expect((await sluice(directory, ['check'], { env: { FORCE_COLOR: '1' } })).out).toMatch(painted);
    expect((await sluice(directory, ['check'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).out).not.toMatch(painted);
    expect((await sluice(directory, ['check', '--file', 'no.yml', '--debug'])).err).toMatch(/\n\s+at /);
  });
});
