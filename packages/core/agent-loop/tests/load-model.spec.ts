import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { loadModel, parseModelSpec } from '../src/load-model.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-models-'));
afterAll(() => { rmSync(root, { recursive: true, force: true }); });

/** An installed package, whose module is this text. Each has a name of its own: modules are loaded once per process. */
function install(name: string, text: string): void {
  const directory = join(root, 'node_modules', name);
  mkdirSync(directory, { recursive: true });
  // For `import` only, as the newest provider packages are.
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name, type: 'module', exports: { '.': { import: './index.js' } } }));
  writeFileSync(join(directory, 'index.js'), text);
}

const here = dirname(new URL(import.meta.url).pathname);
const model = `(id, more) => ({ specificationVersion: 'v3', provider: 'fake', modelId: id, ...more, async doStream({ abortSignal }) { abortSignal.throwIfAborted(); globalThis.sent(id); } })`;
const refused = (spec: string, from: string | URL = root): Promise<string> => loadModel(spec, { from }).then(() => 'loaded', (error: unknown) => `${(error as { code: string }).code}: ${(error as Error).message}`);

describe('the name of a model', () => {
  it.each([
    ['openai:gpt-5', ['@ai-sdk/openai', 'openai'], 'gpt-5'],
    ['openai-compatible:llama3:8b', ['@ai-sdk/openai-compatible', 'openai-compatible'], 'llama3:8b'],
    ['@openrouter/ai-sdk-provider:some/model', ['@openrouter/ai-sdk-provider'], 'some/model'],
  ])('is a provider and what it calls the model: %s', (spec, packages, modelId) => {
    expect(parseModelSpec(spec)).toEqual({ packages, modelId });
  });

  it.each(['', 'gpt-5', ':gpt-5', 'openai:', 'openai: ', '../evil:x', '@ai-sdk:x', 'a/b:x', 'Open AI:x'])('is refused with how it is written: %j', async (spec) => {
    expect(await refused(spec)).toMatch(/^MODEL_SPEC: .*provider:model, such as openai:gpt-5/);
  });
});

describe('a package of models', () => {
  it('is looked up from the directory that is given, and asked for the model; nothing is sent', async () => {
    const sent = vi.fn();
    vi.stubGlobal('sent', sent);
    install('@ai-sdk/ready', `export const createReady = () => { throw new Error('not asked for'); };\nexport const ready = Object.assign(() => {}, { languageModel: ${model} });`);
    for (const from of [root, pathToFileURL(join(root, 'deeper/'))]) {
      expect(await loadModel('ready:m:1', { from })).toMatchObject({ provider: 'fake', modelId: 'm:1' });
    }
    expect(sent).not.toHaveBeenCalled();
  });

  it('may have any name', async () => {
    install('plain-provider', `export default { languageModel: ${model} };`);
    install('@acme/models', `export const acme = { languageModel: ${model} };`);
    expect((await loadModel('plain-provider:a', { from: root })).modelId).toBe('a');
    expect((await loadModel('@acme/models:b', { from: root })).modelId).toBe('b');
  });

  it('is created with the settings that are given', async () => {
    install('@ai-sdk/made-to-order', `export const createOther = () => { throw new Error('the wrong one'); };\nexport const madeToOrder = { languageModel() {} };\nexport const createMadeToOrder = (settings) => ({ languageModel: (id) => (${model})(id, { settings }) });`);
    expect(await loadModel('made-to-order:m', { from: root, settings: { baseURL: 'http://localhost' } })).toMatchObject({ settings: { baseURL: 'http://localhost' } });
  });

  it('that is not installed is named with the command that installs it', async () => {
    expect(await refused('nowhere:m')).toMatch(/^MODEL_PACKAGE_MISSING: .*@ai-sdk\/nowhere is not installed .*npm i @ai-sdk\/nowhere/);
    expect(await refused('@acme/nowhere:m')).toContain('npm i @acme/nowhere');
  });

  it.each([
    ['throws', `throw new Error('half installed');`, 'half installed'],
    ['gives no provider', 'export const version = 1;', 'exports no provider'],
    ['makes no provider', 'export const createSomething = () => ({});', 'languageModel()'],
    ['gives no model', 'export const x = { languageModel: () => ({}) };', 'no language model'],
  ])('that %s is said to be unusable, and why', async (name, text, why) => {
    const directory = `bad-${name.replaceAll(' ', '-')}`;
    install(directory, text);
    vi.stubEnv(`${directory.toUpperCase().replaceAll('-', '_')}_BASE_URL`, 'http://localhost');
    expect(await refused(`${directory}:m`)).toMatch(new RegExp(`^MODEL_PACKAGE_UNUSABLE: .*${why.replace('()', '\\(\\)')}`));
  });
});

describe('the environment', () => {
  it('names the variable of a key that is missing, before anything is asked', async () => {
    const keyless = `(id) => ({ specificationVersion: 'v3', provider: 'keyed.chat', modelId: id, async doStream() { throw Object.assign(new Error("Keyed API key is missing. Pass it using the 'apiKey' parameter or the KEYED_API_KEY environment variable."), { name: 'AI_LoadAPIKeyError' }); } })`;
    install('@ai-sdk/keyed', `export const keyed = { languageModel: ${keyless} };`);
    expect(await refused('keyed:m')).toMatch(/^MODEL_SETTING_MISSING: core-agent-loop: set KEYED_API_KEY\. keyed\.chat said: Keyed API key is missing/);
  });

  it('has the address of a server that speaks as the real OpenAI-compatible package does', async () => {
    expect(await refused('openai-compatible:m', here)).toMatch(/^MODEL_SETTING_MISSING: .*set OPENAI_COMPATIBLE_BASE_URL \(and OPENAI_COMPATIBLE_API_KEY/);
    vi.stubEnv('OPENAI_COMPATIBLE_BASE_URL', 'http://127.0.0.1:9/v1');
    expect(await loadModel('openai-compatible:llama3:8b', { from: here })).toMatchObject({ modelId: 'llama3:8b', provider: 'openai-compatible.chat', specificationVersion: 'v3' });
  });

  it('gives the real OpenAI package its key', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    expect(await refused('openai:gpt-5', here)).toMatch(/^MODEL_SETTING_MISSING: core-agent-loop: set OPENAI_API_KEY\. openai\.responses said/);
    vi.stubEnv('OPENAI_API_KEY', 'sk-not-a-key');
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1');
    expect(await loadModel('openai:gpt-5', { from: here })).toMatchObject({ modelId: 'gpt-5' });
  });
});
