import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Runs a program, collecting what it prints. */
export function run(command, args, { cwd, timeoutMs, env } = {}) {
  const shell = process.platform === 'win32' && command !== process.execPath;
  const r = spawnSync(command, args, { cwd, env, encoding: 'utf8', shell, timeout: timeoutMs, stdio: ['ignore', 'pipe', 'pipe'] });
  if (r.error && r.error.code !== 'ETIMEDOUT') throw r.error;
  const late = r.error ? `\nstill running after ${timeoutMs} ms` : '';
  return { ok: r.status === 0, text: `${r.stdout}${r.stderr}${late}`.trim() };
}

/** The same, for steps without which nothing else makes sense. */
export function must(command, args, options) {
  const r = run(command, args, options);
  if (!r.ok) throw new Error(`${command} ${args.join(' ')} failed:\n${r.text}`);
  return r.text;
}

/**
 * Packs every public package of a checkout as `pnpm publish` would; what is in each dist/ goes in.
 * @returns {{ file: string, manifest: any }[]} file: path of the tarball; manifest: the package.json inside
 */
export function packAll(checkout, into) {
  mkdirSync(into, { recursive: true });
  must('pnpm', ['-r', '--filter', './packages/**', 'pack', '--pack-destination', into], { cwd: checkout });
  return readdirSync(into).map((name) => {
    const file = join(into, name);
    return { file, manifest: JSON.parse(must('tar', ['-xzOf', file, 'package/package.json'])) };
  });
}

/** Prints one line per check, and more when it failed. */
export function tally(title) {
  let passed = 0;
  let failed = 0;
  return {
    check(what, { ok, text = '' }) {
      if (ok) passed += 1;
      else failed += 1;
      console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}${ok || text === '' ? '' : `\n${text}`}`);
    },
    finish() {
      console.log(`\n${title}: ${passed} passed, ${failed} failed`);
      process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
    },
  };
}
