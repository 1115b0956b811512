import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SluiceError } from '@sluice/core-tools';
import { resolve } from 'import-meta-resolve';
import type { LanguageModel } from './model.ts';

/**
 * Codes of the SluiceErrors that `loadModel` rejects with.
 *
 * | code | meaning |
 * | --- | --- |
 * | `MODEL_SPEC` | the text is not `provider:model` |
 * | `MODEL_PACKAGE_MISSING` | the provider's package is not installed; the message has the command |
 * | `MODEL_PACKAGE_UNUSABLE` | it could not be loaded, or gives no language models |
 * | `MODEL_SETTING_MISSING` | a key or an address is missing; the message names the variable |
 */
export const modelCodes = Object.freeze({
  MODEL_SPEC: 'MODEL_SPEC',
  MODEL_PACKAGE_MISSING: 'MODEL_PACKAGE_MISSING',
  MODEL_PACKAGE_UNUSABLE: 'MODEL_PACKAGE_UNUSABLE',
  MODEL_SETTING_MISSING: 'MODEL_SETTING_MISSING',
});

export interface LoadModelOptions {
  /** Directory (a path or a file URL) from which the provider's package is looked up, as an `import` in a file there would. */
  readonly from: string | URL;
  /** What the provider is created with, such as `{ baseURL, apiKey }`. Default: what it reads from the environment by itself. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface ModelSpec {
  /** Packages to look for, first to last. */
  readonly packages: readonly [string, ...string[]];
  readonly modelId: string;
}

const PACKAGE = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * Takes `provider:model` apart. What follows the first colon is the provider's business, more colons included. The provider is
 * one of the AI SDK (`openai`), or any package that gives such models by its full name (`@openrouter/ai-sdk-provider`).
 *
 * @throws SluiceError `MODEL_SPEC`
 */
export function parseModelSpec(spec: string): ModelSpec {
  const [, provider = '', modelId = ''] = /^\s*([^:\s]*):(.*?)\s*$/s.exec(spec) ?? [];
  if (!PACKAGE.test(provider) || modelId === '') {
    throw new SluiceError(modelCodes.MODEL_SPEC, `core-agent-loop: a model is written provider:model, such as openai:gpt-5 or @openrouter/ai-sdk-provider:some/model; got ${JSON.stringify(spec)}`);
  }
  return { packages: provider.startsWith('@') ? [provider] : [`@ai-sdk/${provider}`, provider], modelId };
}

/**
 * A model by its name, from whatever provider package of the AI SDK is installed. Sends nothing anywhere: whether the provider
 * knows the model, and takes the key, shows at the first request.
 *
 * @throws SluiceError (rejects) with a code of `modelCodes`
 */
export async function loadModel(spec: string, { from, settings }: LoadModelOptions): Promise<LanguageModel> {
  const { packages, modelId } = parseModelSpec(spec);
  const { name, exports } = await load(packages, from);
  const provider = settings === undefined ? (ready(exports) ?? created(name, exports, fromEnvironment(name))) : created(name, exports, settings);
  const model = provider.languageModel(modelId);
  if (typeof (model as Partial<LanguageModel> | undefined)?.doStream !== 'function') throw unusable(name, 'what it gives is no language model');
  await assertKey(model);
  return model;
}

interface Provider {
  languageModel(modelId: string): LanguageModel;
}
type Exports = Readonly<Record<string, unknown>>;

async function load(packages: ModelSpec['packages'], from: string | URL): Promise<{ name: string; exports: Exports }> {
  const directory = typeof from === 'string' ? from : fileURLToPath(from);
  const parent = pathToFileURL(join(directory, 'model.js')).href;
  for (const name of packages) {
    const url = find(name, parent);
    if (url === undefined) continue;
    try {
      return { name, exports: (await import(/* @vite-ignore */ url)) as Exports };
    } catch (error) {
      throw unusable(name, error instanceof Error ? error.message : String(error), error);
    }
  }
  const [name] = packages;
  const older = Number.parseInt(process.versions.node, 10) < 22 ? ` (its newest major may need Node.js 22, and this is ${process.versions.node}: then take the one before)` : '';
  throw new SluiceError(modelCodes.MODEL_PACKAGE_MISSING, `core-agent-loop: ${name} is not installed where ${directory} would find it: npm i ${name}${older}`);
}

function find(name: string, parent: string): string | undefined {
  try {
    return resolve(name, parent);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw unusable(name, error instanceof Error ? error.message : String(error), error);
  }
}

/** The provider that a package exports ready to use, such as `openai`. Factories have no models. */
function ready(exports: Exports): Provider | undefined {
  return Object.values(exports).find(isProvider);
}

function created(name: string, exports: Exports, settings: Readonly<Record<string, unknown>>): Provider {
  const factories = Object.entries(exports).filter(([key, value]) => /^create[A-Z]/.test(key) && typeof value === 'function');
  const wanted = `create${name.replace(/^.*\//, '').replaceAll(/[^a-z0-9]/g, '')}`;
  const factory = (factories.find(([key]) => key.toLowerCase() === wanted) ?? factories[0])?.[1] as ((settings: object) => unknown) | undefined;
  if (factory === undefined) throw unusable(name, 'it exports no provider');
  const provider = factory(settings);
  if (!isProvider(provider)) throw unusable(name, 'what it creates has no languageModel()');
  return provider;
}

function isProvider(value: unknown): value is Provider {
  const isThing = typeof value === 'function' || (typeof value === 'object' && value !== null);
  return isThing && typeof (value as Partial<Provider>).languageModel === 'function';
}

/** For packages that know no address of their own, because they speak to any server of one kind. */
function fromEnvironment(name: string): Readonly<Record<string, unknown>> {
  const short = name.replace(/^.*\//, '');
  const prefix = short.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  const baseURL = process.env[`${prefix}_BASE_URL`];
  const apiKey = process.env[`${prefix}_API_KEY`];
  if (baseURL === undefined || baseURL === '') {
    throw new SluiceError(modelCodes.MODEL_SETTING_MISSING, `core-agent-loop: ${name} has no address of its own: set ${prefix}_BASE_URL (and ${prefix}_API_KEY, if the server wants one)`);
  }
  return { name: short, baseURL, ...(apiKey === undefined || apiKey === '' ? {} : { apiKey }) };
}

/**
 * Provider packages look for the key when they are about to send. This asks one to, with a signal that is aborted already, so
 * that it gets no further than that.
 */
async function assertKey(model: LanguageModel): Promise<void> {
  try {
    const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: '.' }] }], abortSignal: AbortSignal.abort() });
    await stream.getReader().cancel();
  } catch (error) {
    const { name, message } = error as Partial<Error>;
    // Matched by name: every provider package may bring its own copy of the class.
    if (name !== 'AI_LoadAPIKeyError' && name !== 'AI_LoadSettingError') return;
    const variable = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/.exec(message ?? '')?.[0];
    const what = variable === undefined ? '' : `set ${variable}. `;
    throw new SluiceError(modelCodes.MODEL_SETTING_MISSING, `core-agent-loop: ${what}${model.provider} said: ${message ?? ''}`, { cause: error });
  }
}

function unusable(name: string, why: string, cause?: unknown): SluiceError {
  return new SluiceError(modelCodes.MODEL_PACKAGE_UNUSABLE, `core-agent-loop: ${name} cannot be used: ${why}`, { cause });
}
