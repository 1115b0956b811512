import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { moduleResolve } from 'import-meta-resolve';

/** What may stand under `use`: a module, and after `#` the export that is meant. */
export interface Reference {
  readonly module: string;
  readonly exported?: string;
  readonly isPath: boolean;
}

export function parseReference(use: string): Reference {
  const hash = use.indexOf('#', 1);
  const module = hash < 0 ? use : use.slice(0, hash);
  const isPath = /^(\.{1,2}(\/|\\|$)|\/|[A-Za-z]:[\\/]|file:)/.test(module);
  return { module, isPath, ...(hash < 0 ? {} : { exported: use.slice(hash + 1) }) };
}

/** Conditions of export maps that modules are resolved with: those of an import, and those that were given. */
export function conditionsWith(extra: readonly string[]): Set<string> {
  return new Set([...extra, 'node', 'import', 'module-sync', 'default']);
}

/**
 * The URL of a module as a file in this directory would import it.
 * @throws what Node.js would, with its `code`
 */
export function locate(module: string, directory: string, conditions: Set<string>): string {
  return moduleResolve(module, pathToFileURL(join(directory, 'deployment.js')), conditions).href;
}

/** The directory of an installed package, without any regard to what it exports. Undefined when it is not there. */
export function packageDirectory(name: string, directory: string): string | undefined {
  for (let here = directory; ; here = dirname(here)) {
    const candidate = join(here, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (dirname(here) === here) return undefined;
  }
}

/** `@scope/name` or `name` of a module such as `@scope/name/part`. */
export function packageName(module: string): string {
  return module.split('/').slice(0, module.startsWith('@') ? 2 : 1).join('/');
}

/** For a module that is a file: the address to import, which is another one when the file has changed. */
export function versioned(url: string): string {
  const { mtimeMs } = statSync(fileURLToPath(url));
  return `${url}?v=${mtimeMs}`;
}
