// The files that the tools work on: this repository's own.
import { readdir } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** Absolute path of what a tool was given. Where that may lead is not for a tool to say; see policies.mjs. */
export const absolute = (path) => resolve(root, path);

/** Paths of all TypeScript and Markdown files, relative to the root, in alphabetical order. */
export async function sourceFiles(folder = root) {
  const found = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isOurs = !entry.name.startsWith('.') && entry.name !== 'node_modules' && entry.name !== 'dist';
    if (entry.isDirectory() && isOurs) found.push(...(await sourceFiles(path)));
    else if (entry.isFile() && /\.(ts|md)$/.test(entry.name)) found.push(relative(root, path).split(sep).join('/'));
  }
  return found.sort();
}
