import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

/** Every package of ours, by group and folder: `{ name, path, directory, manifest, plugin }`; `plugin` is what its plugin, if any, is exported as. */
export const packages = readdirSync(join(root, 'packages'))
  .sort()
  .flatMap((group) => readdirSync(join(root, 'packages', group)).sort().map((folder) => ({ group, folder, path: `packages/${group}/${folder}` })))
  .filter(({ path }) => existsSync(join(root, path, 'package.json')))
  .map(({ group, folder, path }) => {
    const directory = join(root, path);
    const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const plugin = folder.replace(/-(.)/g, (_match, letter) => letter.toUpperCase());
    return { name: manifest.name, group, path, directory, manifest, plugin };
  });
