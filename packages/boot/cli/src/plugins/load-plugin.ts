import { existsSync } from 'node:fs';
import { extname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPlugin, type Plugin } from '@sluice/core-context';
import { closestName } from '@sluice/core-schema';
import { meant, type Located } from '../file/body.ts';
import { nearbyFile } from '../file/nearby-file.ts';
import { shownPath, type Problem } from '../file/problem.ts';
import { KNOWN_PLUGINS } from './known.ts';
import { locate, packageDirectory, packageName, parseReference, versioned, type Reference } from './locate.ts';

/** Where plugins are looked for. */
export interface Surroundings {
  /** Packages are resolved from here: the directory of the deployment's own file. */
  readonly directory: string;
  readonly conditions: Set<string>;
}

export interface LoadedPlugin {
  readonly plugin: Plugin<never>;
  /** The file behind a relative path, for a watcher. */
  readonly file?: string;
}

/**
 * Imports the plugin that a file names. A path is seen from the file that says it; a package from the deployment's directory.
 * A file that has changed since is imported anew.
 */
export async function loadPlugin(use: Located, surroundings: Surroundings): Promise<LoadedPlugin | { readonly problem: Problem }> {
  const reference = parseReference(use.value);
  const problem = (message: string, remedy?: string, cause?: unknown): { readonly problem: Problem } => ({
    problem: { at: use.at, plugin: use.value, message, ...(remedy === undefined ? {} : { remedy }), ...(cause === undefined ? {} : { cause }) },
  });
  const base = reference.isPath ? directoryOf(use.at.file) : surroundings.directory;
  let url: string;
  try {
    url = locate(reference.module, base, surroundings.conditions);
    if (reference.isPath) url = versioned(url);
  } catch (error) {
    return problem(...notFound(reference, base, error));
  }
  let exports: Record<string, unknown>;
  try {
    exports = (await import(url)) as Record<string, unknown>;
  } catch (error) {
    return problem(...notLoaded(reference, url, error), error);
  }
  const found = choose(exports, reference);
  if (Array.isArray(found)) return problem(...found);
  return { plugin: found, ...(reference.isPath ? { file: fileURLToPath(url) } : {}) };
}

type Words = [message: string, remedy?: string];

function directoryOf(file: string): string {
  return file.replace(/[^/\\]*$/, '');
}

function notFound({ module, isPath }: Reference, base: string, error: unknown): Words {
  if (isPath) {
    const path = resolve(base, module);
    const compiled = path.replace(/\.[cm]?js$/, (extension) => extension.replace('j', 't'));
    if (compiled !== path && existsSync(compiled)) return [`there is no file ${shownPath(path)}, but there is ${relative(base, compiled)}`, 'Compile it first; sluice loads JavaScript.'];
    for (const extension of ['.js', '.mjs', '/index.js']) {
      if (existsSync(path + extension)) return [`there is no file ${shownPath(path)}`, `Write the whole name: ${module}${extension}.`];
    }
    return [`there is no file ${shownPath(path)}`, nearbyFile(path) ?? 'Paths are seen from the file that they stand in.'];
  }
  const name = packageName(module);
  const { code, message } = error as NodeJS.ErrnoException;
  const directory = packageDirectory(name, base);
  if (directory !== undefined) {
    if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return [`the package ${name} is installed, but does not export ${module === name ? 'anything to import' : `"${module}"`}`, `It is in ${shownPath(directory)}.`];
    return [`the package ${name} is installed, but its file is missing: ${message}`, 'Build it, or install it again.'];
  }
  if (!module.startsWith('@') && /\.[cm]?[jt]s$/.test(module)) return [`"${module}" reads as a package "${name}", which is not installed here`, `If it is a file, begin with "./": ./${module}.`];
  const known = KNOWN_PLUGINS.find((each) => each === name);
  const near = known === undefined ? (KNOWN_PLUGINS.find((each) => each === `@sluice/${name}`) ?? closestName(name, KNOWN_PLUGINS)) : undefined;
  const isInstalled = near !== undefined && packageDirectory(near, base) !== undefined;
  if (near !== undefined) return [`no package "${name}" is installed here`, `Did you mean "${near}"?${isInstalled ? '' : ` Then also: npm install ${near}`}`];
  if (!/^(@[a-z0-9-~][\w.~-]*\/)?[a-z0-9-~][\w.~-]*$/.test(name)) return [`"${module}" is neither the name of a package nor a path`, 'A path begins with "./", "../" or "/".'];
  return [`the package ${name} is not installed where this deployment is`, `Run: npm install ${name}${resolve(base) === process.cwd() ? '' : `   (in ${shownPath(base)})`}`];
}

function notLoaded({ module }: Reference, url: string, error: unknown): Words {
  const { code, message, name } = error as NodeJS.ErrnoException;
  const file = fileURLToPath(url);
  if (/^\.[cm]?tsx?$/.test(extname(file)) && (code === 'ERR_UNKNOWN_FILE_EXTENSION' || name === 'SyntaxError')) {
    return ['this is TypeScript, which Node.js does not run here', `Compile it and name the JavaScript: ${module.replace(/ts(x?)$/, 'js')}.`];
  }
  if (code === 'ERR_MODULE_NOT_FOUND') return [`it imports something that is not there: ${message.split('\n')[0] ?? ''}`, 'Install what it needs, next to it or above.'];
  return [`its module fails when it is loaded: ${name}: ${message.split('\n')[0] ?? ''}`, 'Run again with --debug for the place.'];
}

/** The default export if it is a plugin, else the only export that is one. */
function choose(exports: Record<string, unknown>, { module, exported }: Reference): Plugin<never> | Words {
  const plugins = Object.entries(exports).filter(([, value]) => isPluginLike(value)) as [string, Plugin<never>][];
  const names = [...new Set(plugins.map(([name]) => name))];
  if (exported !== undefined) {
    const named = plugins.find(([name]) => name === exported);
    if (named !== undefined) return named[1];
    const isThere = Object.hasOwn(exports, exported);
    return [isThere ? `its export "${exported}" is no plugin` : `it has no export "${exported}"`, meant(exported, names) ?? whatThereIs(names)];
  }
  const chosen = plugins.find(([name]) => name === 'default') ?? (new Set(plugins.map(([, plugin]) => plugin)).size === 1 ? plugins[0] : undefined);
  if (chosen !== undefined) return chosen[1];
  if (plugins.length > 1) return [`it exports ${plugins.length} plugins and none of them as default`, `Say which: ${names.map((name) => `"${module}#${name}"`).join(' or ')}.`];
  const others = Object.keys(exports).slice(0, 8);
  return [
    `it exports no plugin${others.length === 0 ? '; it exports nothing at all' : `, only ${others.join(', ')}`}`,
    Object.values(exports).some((value) => typeof value === 'function' && /plugin/i.test(value.name)) ? 'Export what definePlugin returns, not a function that makes it.' : 'Export what definePlugin({ name, apply }) returns, as default.',
  ];
}

function whatThereIs(names: readonly string[]): string {
  return names.length === 0 ? 'It exports no plugin.' : `Its plugins are ${names.join(', ')}.`;
}

function isPluginLike(value: unknown): value is Plugin<never> {
  if (isPlugin(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { name, apply } = value as { name?: unknown; apply?: unknown };
  return typeof name === 'string' && typeof apply === 'function';
}
