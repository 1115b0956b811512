// node scripts/check-cli.mjs
// What a newcomer does with the sluice command, with packed packages and npm alone: `sluice init` in an empty directory, then
// `sluice check` and one call. Then a plugin from `sluice new-plugin`, installed, built, tested, and named in the deployment.
// Build first: it packs what is in dist/.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';

const work = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
const win = process.platform === 'win32';
let failed = 0;

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', shell: win && command !== process.execPath, stdio: ['ignore', 'pipe', 'pipe'] });
  if (error) throw error;
  return { status, out: stdout, text: `${stdout}${stderr}`.trim() };
}

/** Runs a command and looks at its exit code and its output. */
function expect(title, [command, ...args], cwd, { status = 0, says = /./s } = {}) {
  const ended = run(command, args, cwd);
  const isRight = ended.status === status && says.test(ended.text);
  if (!isRight) failed += 1;
  console.log(`${isRight ? 'ok    ' : 'FAILED'} ${title}${isRight ? '' : ` (exit ${ended.status}, expected ${status} and ${says})\n${ended.text}`}`);
  return ended;
}

try {
  const packed = join(work, 'packed');
  mkdirSync(packed);
  const { status, text } = run('pnpm', ['-r', '--filter', './packages/**', 'pack', '--pack-destination', packed], root);
  if (status !== 0) throw new Error(`pnpm pack failed:\n${text}`);
  const tarball = (name) => join(packed, readdirSync(packed).find((file) => new RegExp(`^sluice-${name}-\\d`).test(file)));

  /** These packages and all of ours that they need, by name, as dependencies on their packed files. */
  const packedWithNeeds = (names) => {
    const found = new Map();
    const add = (name) => {
      if (found.has(name)) return;
      const file = tarball(name.slice('@sluice/'.length));
      found.set(name, `file:${file}`);
      const { dependencies, peerDependencies } = JSON.parse(run('tar', ['-xzOf', file, 'package/package.json'], work).out);
      Object.keys({ ...dependencies, ...peerDependencies }).filter((each) => each.startsWith('@sluice/')).forEach(add);
    };
    names.forEach(add);
    return Object.fromEntries(found);
  };

  // The command itself has to come from somewhere: a directory of its own, as npx keeps one.
  const npx = join(work, 'npx');
  mkdirSync(npx);
  writeFileSync(join(npx, 'package.json'), JSON.stringify({ private: true, dependencies: packedWithNeeds(['@sluice/cli']) }));
  expect('the command installs alone, with what it depends on', ['npm', 'install', '--no-audit', '--no-fund'], npx);
  const first = join(npx, 'node_modules', '.bin', 'sluice');

  const app = join(work, 'app');
  mkdirSync(app);
  expect('sluice init in an empty directory', [first, 'init', '--from', packed], app, { says: /ready\./ });
  const sluice = join(app, 'node_modules', '.bin', 'sluice');
  expect("sluice call read_file '{\"path\":\"package.json\"}'", [sluice, 'call', 'read_file', '{"path":"package.json"}'], app, { says: /"@sluice\/tool-fs"/ });
  expect('the same by the command that is not installed there', [first, 'call', 'read_file', '{"path":"package.json"}'], app, { says: /"@sluice\/tool-fs"/ });
  expect('a write is asked about, and nobody is there to ask', [sluice, 'call', 'write_file', '{"path":"a.txt","content":"hi"}'], app, { status: 3, says: /APPROVAL_UNAVAILABLE/ });
  expect('sluice check', [sluice, 'check'], app, { says: /9 plugins, 1 scope/ });
  expect('sluice tools --scope reader', [sluice, 'tools', '--scope', 'reader'], app, { says: /read_file\(path/ });
  expect('a schema for editors is there', [process.execPath, '-e', "JSON.parse(require('node:fs').readFileSync('sluice.schema.json', 'utf8'))"], app, { says: /^$/ });

  expect('sluice new-plugin no-secrets', [sluice, 'new-plugin', 'no-secrets'], app);
  const plugin = join(app, 'no-secrets');
  const manifest = JSON.parse(readFileSync(join(plugin, 'package.json'), 'utf8'));
  Object.assign(manifest.devDependencies, packedWithNeeds(Object.keys(manifest.devDependencies).filter((name) => name.startsWith('@sluice/'))));
  writeFileSync(join(plugin, 'package.json'), JSON.stringify(manifest));
  expect('its packages install', ['npm', 'install', '--no-audit', '--no-fund'], plugin);
  expect('its tests pass', ['npm', 'test'], plugin, { says: /passed/ });
  expect('its types are right', ['npm', 'run', 'typecheck'], plugin);
  expect('it builds', ['npm', 'run', 'build'], plugin);
  const file = join(app, 'sluice.yml');
  const starter = readFileSync(file, 'utf8');
  writeFileSync(file, starter.replace('\n  - "@sluice/approval" ', '\n  - { use: ./no-secrets/dist/index.js, config: { tools: [glob] } }\n  - "@sluice/approval" '));
  expect('and works in a deployment', [sluice, 'call', 'glob', '{"pattern":"*"}'], app, { status: 3, says: /DENIED, no-secrets/ });
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`\nsluice command: ${failed === 0 ? 'all is well' : `${failed} failed`}`);
process.exitCode = failed > 0 ? 1 : 0;
