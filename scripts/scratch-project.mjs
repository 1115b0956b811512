import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/**
 * An empty TypeScript project under node_modules/.cache that finds every package of ours (as source), and whatever any of
 * them uses. Made anew each time; returns its path.
 */
export function scratchProject(name) {
  const work = join(root, 'node_modules', '.cache', name);
  const packages = join(root, 'packages');
  const link = (dependency, target) => {
    const path = join(work, 'node_modules', dependency);
    if (existsSync(path)) return;
    mkdirSync(join(path, '..'), { recursive: true });
    symlinkSync(target, path, 'junction');
  };
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'package.json'), '{"type":"module"}');
  for (const group of readdirSync(packages)) {
    for (const folder of readdirSync(join(packages, group))) {
      const directory = join(packages, group, folder);
      if (!existsSync(join(directory, 'package.json'))) continue;
      const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
      link(manifest.name, directory);
      for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
        const installed = join(directory, 'node_modules', dependency);
        if (!dependency.startsWith('@sluice/') && existsSync(installed)) link(dependency, installed);
      }
    }
  }
  return work;
}
