// node scripts/check-packages.mjs
// Every package.json under packages/ says what a stranger, npm and the build need to know. publint and attw judge
// the packed result (check-tarballs.mjs); this judges what they say nothing about.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { root } from './root.mjs';

const REPOSITORY = 'git+https://github.com/sluice-tools/sluice.git';
/** Until 1.0 a plugin works with every core; see docs/decisions/0002-peer-ranges-and-changesets.md. */
const PEER_RANGE = '>=0.1.0 <1.0.0';

/** The npm name of a folder: its basename, with the prefix `core-` in packages/core. */
const nameOf = (group, folder) => `@sluice/${group === 'core' ? 'core-' : ''}${folder}`;

/** The export map that is published: the same without the condition that points at the source. */
const withoutSource = (exports) =>
  JSON.parse(JSON.stringify(exports, (key, value) => (key === '@sluice/source' ? undefined : value)));

function* entryProblems(path, entry) {
  if (typeof entry === 'string') {
    if (!path.endsWith('.json')) yield `exports["${path}"] must be an object with types`;
    return;
  }
  const order = Object.keys(entry).join(', ');
  if (order !== '@sluice/source, types, default') {
    yield `exports["${path}"] must have @sluice/source, types, default in this order, has ${order}`;
  }
}

function* dependencyProblems(group, manifest) {
  const own = ([name]) => name.startsWith('@sluice/');
  for (const [name, range] of Object.entries(manifest.peerDependencies ?? {}).filter(own)) {
    if (range !== PEER_RANGE) yield `peerDependencies["${name}"] must be "${PEER_RANGE}", is "${range}"`;
    if (manifest.devDependencies?.[name] !== 'workspace:^') yield `peer ${name} must be "workspace:^" in devDependencies`;
  }
  for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
    if (/^(@sinclair\/)?typebox$/.test(name)) yield 'TypeBox must not be a dependency; users bring it';
    if (!name.startsWith('@sluice/')) continue;
    if (range !== 'workspace:^') yield `dependencies["${name}"] must be "workspace:^", is "${range}"`;
    if (name.startsWith('@sluice/core-') && group !== 'core' && group !== 'boot') {
      yield `${name} must be a peer dependency: two cores in one process are a bug`;
    }
  }
}

/** What is wrong with one manifest, as sentences; `has(path)` tells whether its folder holds a file. */
export function* manifestProblems(group, folder, manifest, has) {
  const expected = {
    name: nameOf(group, folder),
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.19' },
    types: './dist/index.d.ts',
    repository: { type: 'git', url: REPOSITORY, directory: `packages/${group}/${folder}` },
  };
  for (const [key, value] of Object.entries(expected)) {
    if (!isDeepStrictEqual(manifest[key], value)) {
      yield `${key} must be ${JSON.stringify(value)}, is ${JSON.stringify(manifest[key])}`;
    }
  }
  if (!/^\d+\.\d+\.\d+/.test(manifest.version ?? '')) yield 'version is missing';
  if ((manifest.description ?? '').length < 20) yield 'description is missing or says nothing';
  if (!(manifest.keywords?.length >= 3)) yield 'keywords: at least three';
  if (!manifest.files?.includes('dist')) yield 'files must list dist';
  if (manifest.private === true) yield 'private: a package under packages/ is published';
  if (manifest.publishConfig?.access !== 'public') yield 'publishConfig.access must be public';
  if (manifest.publishConfig?.provenance !== true) yield 'publishConfig.provenance must be true';
  for (const script of ['build', 'typecheck', 'lint', 'test']) {
    if (manifest.scripts?.[script] === undefined) yield `script "${script}" is missing`;
  }

  const exports = manifest.exports ?? {};
  if (exports['.'] === undefined) yield 'exports["."] is missing';
  if (exports['./package.json'] !== './package.json') yield 'exports["./package.json"] is missing';
  for (const [path, entry] of Object.entries(exports)) {
    yield* entryProblems(path, entry);
    const source = entry['@sluice/source'];
    if (source !== undefined && !has(source)) yield `exports["${path}"]: ${source} does not exist`;
  }
  if (!isDeepStrictEqual(manifest.publishConfig?.exports, withoutSource(exports))) {
    yield 'publishConfig.exports must repeat exports without @sluice/source';
  }

  yield* dependencyProblems(group, manifest);
  for (const file of ['README.md', 'tsconfig.json', 'tests']) if (!has(file)) yield `${file} is missing`;
}

function main() {
  const packages = join(root, 'packages');
  let checked = 0;
  let bad = 0;
  for (const group of readdirSync(packages)) {
    for (const folder of readdirSync(join(packages, group))) {
      const dir = join(packages, group, folder);
      if (!existsSync(join(dir, 'package.json'))) continue;
      const manifest = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
      const problems = [...manifestProblems(group, folder, manifest, (path) => existsSync(join(dir, path)))];
      checked += 1;
      if (problems.length > 0) bad += 1;
      for (const problem of problems) console.log(`packages/${group}/${folder}: ${problem}`);
    }
  }
  console.log(`packages: ${checked} checked, ${bad} with problems`);
  process.exitCode = bad > 0 || checked === 0 ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) main();
