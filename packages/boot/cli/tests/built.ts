import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** Packages that deployments of the tests name, and that plugins of theirs import. */
const PACKAGES = [
  'core/agent-loop', 'core/context', 'core/schema', 'core/session', 'core/tools', 'fs/fs', 'fs/fs-local', 'fs/fs-observation-policy', 'fs/tool-fs', 'fs/tool-fs-search',
  'guard/tool-call-timeout-policy', 'interaction/approval', 'interaction/approval-cli', 'interaction/permission-rules', 'interaction/render-terminal',
];
const packages = join(import.meta.dirname, '..', '..', '..');

export interface BuiltWorkspace {
  readonly program: string;
  readonly nodeModules: string;
  remove(): void;
}

/** Builds the command and these packages from their sources, as they would be installed side by side: each module once. */
export async function buildWorkspace(): Promise<BuiltWorkspace> {
  const out = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-built-')));
  const named = PACKAGES.map((path) => [path.startsWith('core/') ? `core-${basename(path)}` : basename(path), path] as const);
  const entry = (name: string, file = 'index'): string => `node_modules/@sluice/${name}/${file}`;
  await build({
    entryPoints: {
      ...Object.fromEntries(named.map(([name, path]) => [entry(name), join(packages, path, 'src/index.ts')])),
      [entry('core-agent-loop', 'scripted')]: join(packages, 'core/agent-loop/src/scripted.ts'),
      [entry('cli', 'bin')]: join(import.meta.dirname, '..', 'src', 'bin.ts'),
    },
    outdir: out,
    // Beside the program, so that it finds its package.json one level up.
    chunkNames: 'node_modules/@sluice/cli/chunk-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@sluice/source'],
    banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
    logLevel: 'error',
  });
  for (const [name] of named) {
    writeFileSync(join(out, 'node_modules/@sluice', name, 'package.json'), JSON.stringify({ name: `@sluice/${name}`, type: 'module', exports: { '.': './index.js', './*': './*.js' } }));
  }
  const manifest = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
  for (const path of ['node_modules/@sluice/package.json', 'node_modules/@sluice/cli/package.json']) writeFileSync(join(out, path), manifest);
  return { program: join(out, 'node_modules/@sluice/cli/bin.js'), nodeModules: join(out, 'node_modules'), remove: () => rmSync(out, { recursive: true }) };
}
