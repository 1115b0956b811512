// node scripts/example.mjs NAME [ARGUMENT...]
// Runs examples/NAME/main.mjs on what it needs of this workspace, built right before: JavaScript only, all in one process, which
// takes a second. Says nothing when all is well, so that what is seen is the example. `pnpm build` is for releases.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './root.mjs';

const [name, ...args] = process.argv.slice(2);
const example = join(root, 'examples', name);
await Promise.all([...workspaceDependencies(example)].map(buildPackage));
// Ctrl-C is the example's: it ends by itself, and so do we.
process.on('SIGINT', () => undefined);
const { status, error } = spawnSync(process.execPath, [join(example, 'main.mjs'), ...args], { cwd: root, stdio: 'inherit' });
if (error) throw error;
process.exitCode = status ?? 130;

/** Directories of the packages of this workspace that `directory` needs at run time, and theirs. */
function workspaceDependencies(directory, found = new Set()) {
  const { dependencies = {}, peerDependencies = {} } = readJson(join(directory, 'package.json'));
  for (const dependency of Object.keys({ ...dependencies, ...peerDependencies })) {
    if (!dependency.startsWith('@sluice/')) continue;
    const home = join(root, 'packages', ...whereIs(dependency));
    if (found.has(home)) continue;
    found.add(home);
    workspaceDependencies(home, found);
  }
  return found;
}

/** `packages/<group>/<folder>`; in core/ the folder's name lacks the prefix. */
function whereIs(dependency) {
  const folder = dependency.replace('@sluice/', '');
  if (folder.startsWith('core-')) return ['core', folder.slice('core-'.length)];
  const group = readdirSync(join(root, 'packages')).find((each) => existsSync(join(root, 'packages', each, folder, 'package.json')));
  return [group, folder];
}

/** Its entry points, and the files beside them that run in threads of their own. */
function buildPackage(directory) {
  const sources = Object.values(readJson(join(directory, 'package.json')).exports).flatMap((entry) => entry['@sluice/source'] ?? []);
  const threads = readdirSync(join(directory, 'src')).filter((file) => file.endsWith('.js')).map((file) => `src/${file}`);
  return build({
    absWorkingDir: directory,
    entryPoints: [...new Set([...sources, ...threads].map((path) => path.replace('./', '')))],
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    logLevel: 'error',
  });
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
