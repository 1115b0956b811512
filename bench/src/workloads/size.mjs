// What one `npm install` of each contender puts on disk: in an empty project, from the registry; ours from tarballs.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const shell = process.platform === 'win32';
const quiet = { stdio: ['ignore', 'ignore', 'inherit'], shell };

function bytes(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, entry) => sum + bytes(join(path, entry)), 0);
}

/** The dependencies field that installs a contender: a registry version, or our tarballs. */
function dependencies(contender, directory) {
  if (contender.peer !== undefined) {
    const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    return { [contender.peer]: devDependencies[contender.peer] };
  }
  const core = ['core-schema', 'core-context', 'core-tools'];
  for (const name of core) {
    execFileSync('pnpm', ['--filter', `@sluice/${name}`, 'pack', '--out', join(directory, `${name}.tgz`)], { ...quiet, cwd: root });
  }
  return Object.fromEntries(core.map((name) => [`@sluice/${name}`, `file:${name}.tgz`]));
}

/** @returns {Record<string, { packages: number, bytes: number }>} */
export function run(contenders) {
  const sizes = {};
  for (const contender of contenders) {
    const directory = mkdtempSync(join(tmpdir(), 'size-'));
    try {
      const wanted = dependencies(contender, directory);
      const overrides = Object.fromEntries(Object.entries(wanted).filter(([, range]) => range.startsWith('file:')));
      writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies: wanted, overrides }));
      const flags = ['--engine-strict=false', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
      execFileSync('npm', ['install', ...flags], { ...quiet, cwd: directory });
      const { packages } = JSON.parse(readFileSync(join(directory, 'node_modules', '.package-lock.json'), 'utf8'));
      sizes[contender.name] = { packages: Object.keys(packages).length, bytes: bytes(join(directory, 'node_modules')) };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return sizes;
}
