// node scripts/check-release.mjs [majors of Node.js …] [--only=<part of a package's name>]
// A release without publishing it. In a clone of the last commit:
//   - versions: `changeset version`, and then each package has a changelog that begins with its version;
//   - packs every package, and holds each tarball to its budget (size-budget.json, bytes packed);
//   - into an empty project per package goes exactly what its README says under "Install" (ours from the tarballs, siblings
//     too), and the first block under "Use" runs to its end there, on this Node.js and on those named.
// Build first: it packs what is in dist/.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { nodeBinary } from './node-binary.mjs';
import { must, packAll, run, tally } from './pack.mjs';
import { root } from './root.mjs';

const majors = process.argv.slice(2).filter((word) => /^\d+$/.test(word));
const only = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length) ?? '';
const nodes = [process.execPath, ...majors.map(nodeBinary)];
const work = mkdtempSync(join(tmpdir(), 'release-'));
const { check, finish } = tally('release');

/** Folders of the packages, `group/name`. */
const folders = readdirSync(join(root, 'packages')).flatMap((group) =>
  readdirSync(join(root, 'packages', group)).map((name) => `${group}/${name}`).filter((each) => existsSync(join(root, 'packages', each, 'package.json'))));

/** A clone in which the next versions are set. */
function versioned() {
  const clone = join(work, 'clone');
  must('git', ['clone', '--quiet', '--no-hardlinks', root, clone]);
  const modules = join(clone, 'node_modules');
  symlinkSync(join(root, 'node_modules'), modules, 'junction');
  must(process.execPath, [join(root, 'node_modules', '@changesets', 'cli', 'bin.js'), 'version'], { cwd: clone });
  unlinkSync(modules);
  must('pnpm', ['install', '--prefer-offline', '--no-frozen-lockfile', '--ignore-scripts'], { cwd: clone });
  for (const each of folders) {
    const dist = join(root, 'packages', each, 'dist');
    if (existsSync(dist)) cpSync(dist, join(clone, 'packages', each, 'dist'), { recursive: true });
  }
  return clone;
}

function checkChangelog(directory) {
  const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const path = join(directory, 'CHANGELOG.md');
  const first = existsSync(path) ? /^## (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined;
  check(`changelog of ${name} ${version}`, { ok: first === version, text: `begins with ${first ?? 'nothing'}; add a changeset (pnpm changeset)` });
}

/** The packages that a README tells its reader to install, and the program that it shows first. */
function readmeOf(directory) {
  const text = readFileSync(join(directory, 'README.md'), 'utf8');
  const install = /^## Install\n[^#]*?```sh\n([^`]*?)```/ms.exec(text)?.[1] ?? '';
  const names = [...install.matchAll(/^npm (?:i|install) (.+)$/gm)].flatMap(([, words]) => words.split('#')[0].trim().split(/\s+/)).filter((word) => !word.startsWith('-'));
  const use = /^## Use\n.*?```(js|ts)\n(.*?)^```/ms.exec(text);
  const program = use === null ? undefined
    : use[1] === 'js' ? use[2]
    : ts.transpileModule(use[2], { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } }).outputText;
  return { names: [...new Set(names)], program };
}

const remove = (path) => { rmSync(path, { recursive: true, force: true, maxRetries: 10 }); };

function inProject(command, args, cwd) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => { text += chunk; });
    const timer = setTimeout(() => { text += '\nstill running after 120 s'; child.kill('SIGKILL'); }, 120_000);
    child.on('close', (code) => { clearTimeout(timer); resolve({ ok: code === 0, text }); });
  });
}

async function checkReadme({ manifest }, directory, tarballs) {
  // check-cli.mjs follows that one: its README is about a command.
  if (manifest.bin !== undefined) return;
  const { names, program } = readmeOf(directory);
  const { name } = manifest;
  if (!names.includes(name) || program === undefined) {
    check(`README of ${name}`, { ok: false, text: 'wants "## Install" with `npm i …` that names the package, and "## Use" with a js or ts block' });
    return;
  }
  const app = join(work, name.replace('@sluice/', 'app-'));
  mkdirSync(app);
  const spec = (each) => {
    const at = each.lastIndexOf('@');
    return at > 0 ? [each.slice(0, at), each.slice(at + 1)] : [each, tarballs[each] ?? 'latest'];
  };
  writeFileSync(join(app, 'package.json'), JSON.stringify({
    private: true, type: 'module', dependencies: Object.fromEntries(names.map(spec)), overrides: tarballs,
  }));
  // A program of tests runs as its reader would run it.
  const isTests = /from 'vitest'/.test(program);
  const file = isTests ? 'use.spec.js' : 'use.mjs';
  const command = isTests ? [join('node_modules', 'vitest', 'vitest.mjs'), 'run'] : [file];
  writeFileSync(join(app, file), program);
  const installed = await inProject('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], app);
  check(`${name} alone: npm i ${names.join(' ')}`, installed);
  if (!installed.ok) return;
  for (const node of nodes) check(`${name}: its README's program, Node.js ${must(node, ['--version'])}`, await inProject(node, command, app));
  remove(app);
}

try {
  const clone = versioned();
  for (const each of folders) checkChangelog(join(clone, 'packages', each));

  const packed = packAll(clone, join(work, 'tgz'));
  const budget = JSON.parse(readFileSync(join(root, 'scripts', 'size-budget.json'), 'utf8'));
  for (const { file, manifest: { name } } of packed) {
    const { size } = statSync(file);
    const inside = run('tar', ['-tzf', file]).text.split('\n');
    const strays = inside.filter((path) => !/^package\/(dist\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/.test(path) || /\.(spec|test)\./.test(path));
    check(`${name}: nothing that does not belong in the tarball`, { ok: strays.length === 0, text: strays.join('\n') });
    check(`${name}: ${size} bytes packed, budget ${budget[name] ?? 'missing'}`, { ok: size <= budget[name], text: 'make it smaller, or say in the commit why it grew (scripts/size-budget.json)' });
  }

  const tarballs = Object.fromEntries(packed.map(({ file, manifest }) => [manifest.name, `file:${file}`]));
  const waiting = packed.filter(({ manifest }) => manifest.name.includes(only));
  const directoryOf = Object.fromEntries(folders.map((each) => [JSON.parse(readFileSync(join(root, 'packages', each, 'package.json'), 'utf8')).name, join(root, 'packages', each)]));
  const next = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) await checkReadme(one, directoryOf[one.manifest.name], tarballs).catch((error) => { check(one.manifest.name, { ok: false, text: String(error) }); });
  };
  // npm mostly waits; more at once would make the programs slow, not the check faster.
  await Promise.all([next(), next()]);
} finally {
  remove(work);
}
finish();
