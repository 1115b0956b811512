import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DeploymentError, shownPath } from '../file/problem.ts';
import type { Io } from '../terminal/io.ts';
import { exitCodes } from './exit-codes.ts';
import { ownManifest } from './manifests.ts';

const NAME = /^(?:@[a-z0-9][\w.-]*\/)?[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** Writes a package with a plugin, its README and its tests, which pass. Overwrites nothing. @returns the exit code */
export function newPlugin(name: string, options: { readonly directory?: string }, io: Io): number {
  if (!NAME.test(name)) throw new DeploymentError([{ message: `"${name}" cannot be the name of a plugin package`, remedy: 'Use lower-case words joined by "-", such as no-secrets or @acme/no-secrets.' }]);
  const target = resolve(options.directory ?? basename(name));
  if (existsSync(target) && readdirSync(target).length > 0) throw new DeploymentError([{ message: `${shownPath(target)} is not empty`, remedy: 'Nothing was written. Say where with --directory <path>.' }]);
  const files = templates(name, ownManifest().version);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  const near = relative(process.cwd(), target);
  io.err(`wrote ${Object.keys(files).length} files to ${shownPath(target)}`);
  io.err(`next:\n  cd ${near} && npm install && npm test\n  npm run build, then in a sluice.yml:  - use: ${near.startsWith('.') ? '' : './'}${near.split('\\').join('/')}/dist/index.js`);
  return exitCodes.ok;
}

function templates(name: string, version: string): Record<string, string> {
  const short = basename(name);
  const camel = short.replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
  const pascal = camel.charAt(0).toUpperCase() + camel.slice(1);
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  return {
    'package.json': json({
      name,
      version: '0.1.0',
      description: 'Denies calls of the tools that it is told.',
      keywords: ['sluice', 'plugin', 'tools'],
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20.19' },
      files: ['dist'],
      types: './dist/index.d.ts',
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
      scripts: { build: 'tsc -p tsconfig.build.json', typecheck: 'tsc -p tsconfig.json', test: 'vitest run', prepack: 'npm run build' },
      peerDependencies: { '@sluice/core-tools': '>=0.1.0 <1.0.0' },
      devDependencies: {
        '@sluice/code-runtime': `^${version}`,
        '@sluice/core-tools': `^${version}`,
        '@sluice/fs': `^${version}`,
        '@sluice/testing': `^${version}`,
        '@types/node': '^20.19.0',
        typescript: '^6.0.3',
        vitest: '^4.1.12',
      },
    }),
    'tsconfig.json': json({
      compilerOptions: {
        target: 'es2023', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', types: ['node'], strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true,
        verbatimModuleSyntax: true, erasableSyntaxOnly: true, skipLibCheck: true, rewriteRelativeImportExtensions: true, declaration: true, sourceMap: true, noEmit: true,
      },
      include: ['src', 'tests'],
    }),
    'tsconfig.build.json': json({ extends: './tsconfig.json', compilerOptions: { noEmit: false, rootDir: 'src', outDir: 'dist' }, include: ['src'] }),
    '.gitignore': 'node_modules/\ndist/\n',
    'src/index.ts': `import { definePlugin } from '@sluice/core-tools';

export interface ${pascal}Config {
  /** Names of tools that must not run. Default: none. */
  readonly tools: readonly string[];
  /** What the model is told. */
  readonly reason: string;
}

// JSON Schema. Defaults apply, unknown keys are refused, nothing is coerced.
const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tools: { type: 'array', items: { type: 'string', minLength: 1 }, default: [] },
    reason: { type: 'string', minLength: 1, default: 'This tool is switched off here.' },
  },
} as const;

/** Denies calls of some tools. */
export const ${camel} = definePlugin<${pascal}Config>({
  name: '${short}',
  // Waits for the service, and ends with it.
  inject: ['tools'],
  // A policy that must not be missing: while it is not active, nothing runs.
  gate: true,
  config,
  apply(ctx, { tools, reason }) {
    const denied = new Set(tools);
    // A guard can only tighten; other places to stand are ctx.on('tools/pre-execute' | 'tools/execute' | 'tools/post-execute').
    ctx.tools.guard(({ name }) => (denied.has(name) ? reason : undefined));
  },
});
export default ${camel};
`,
    'tests/index.spec.ts': `import { aCall, aHost, aTool, describePlugin } from '@sluice/testing';
import { describe, expect, it } from 'vitest';
import { ${camel} } from '../src/index.ts';

describe('${short}', () => {
  it('denies the tools that it is told, before their bodies run', async () => {
    const host = aHost();
    try {
      let runs = 0;
      host.ctx.plugin(${camel}, { tools: ['shell'], reason: 'No shell here.' });
      host.ctx.tools.register(aTool({ name: 'shell', execute: (args) => { runs += 1; return args; } }));
      const result = await host.ctx.tools.execute(aCall({ name: 'shell' }));
      expect(result).toMatchObject({ isError: true, error: { message: 'No shell here.', info: { code: 'DENIED', started: false } } });
      expect(runs).toBe(0);
    } finally {
      await host.dispose();
    }
  });

  it('leaves the others alone', async () => {
    const host = aHost();
    try {
      host.ctx.plugin(${camel}, { tools: ['shell'] });
      host.ctx.tools.register(aTool());
      expect(await host.ctx.tools.execute(aCall())).toMatchObject({ isError: false });
    } finally {
      await host.dispose();
    }
  });
});

// The contract that every plugin keeps; the proof has to fail without the plugin.
describePlugin(() => ${camel}, {
  config: { tools: ['forbidden'] },
  async proof(ctx) {
    ctx.tools.register(aTool({ name: 'forbidden' }));
    expect(await ctx.tools.execute(aCall({ name: 'forbidden' }))).toMatchObject({ isError: true });
  },
});
`,
    'README.md': `# ${name}

Denies calls of the tools that it is told.

## Install

\`\`\`sh
npm i @sluice/core-tools ${name}
\`\`\`

## Use

\`\`\`yaml
plugins:
  - "@sluice/core-tools"
  - use: "${name}"
    config: { tools: [shell] }
\`\`\`

## Options

| Name | Default | Meaning |
| --- | --- | --- |
| \`tools\` | \`[]\` | names of tools that must not run |
| \`reason\` | a sentence | what the model is told |

## What it does to a call

| Hook | Reads | May return | Never |
| --- | --- | --- | --- |
| guard | name | a denial (\`DENIED\`) | allows what another policy refuses |
`,
  };
}
