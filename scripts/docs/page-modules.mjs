import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

/** Pages whose `ts` blocks make whole programs, and whose `text` blocks are what these print. */
const FOLDERS = ['docs/concepts', 'docs/cookbook'];

/** Paths of these pages, from the root. */
export function programPages() {
  return FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith('.md'))
    .sort();
}

/**
 * The modules that the `ts` blocks of a page make, by file name, and the lines that it says they print, if it says so.
 *
 * A block is part of `page.ts`, or of the file it names: ```ts file=no-shell.ts. Blocks of one file follow each other as they do
 * in the page, and every line of code has the number that it has there, so that errors lead to it.
 */
export function pageModules(text) {
  const modules = new Map();
  let printed;
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const [, language, file = 'page.ts'] = /^```(\w+)(?: file=(\S+))?\s*$/.exec(lines[at]) ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: this block has no end`);
    const block = lines.slice(at + 1, end);
    if (language === 'text') printed = [...(printed ?? []), ...block];
    if (language === 'ts') {
      const code = modules.get(file) ?? [];
      while (code.length <= at) code.push('');
      modules.set(file, [...code, ...block]);
    }
    at = end;
  }
  return { modules: new Map([...modules].map(([file, code]) => [file, `${code.join('\n')}\nexport {};\n`])), printed };
}

/** `pageModules` of the page at this path. */
export function readPage(path) {
  try {
    return pageModules(readFileSync(join(root, path), 'utf8'));
  } catch (error) {
    throw new Error(`${path}, ${error.message}`, { cause: error });
  }
}

/** Where the modules of a page are put, from the root of a scratch project. */
export const pageFolder = (path) => path.replace(/^docs\//, '').replace(/\.md$/, '');
