import { describe, expect, it } from 'vitest';
import { manifestProblems } from '../check-packages.mjs';

const published = { types: './dist/index.d.ts', default: './dist/index.js' };

/** A complete manifest of packages/guard/tool-retry-policy, with changes. */
const manifest = (changes = {}) => ({
  name: '@sluice/tool-retry-policy',
  version: '0.1.0',
  description: 'Tries a failed tool call again when that is safe',
  license: 'MIT',
  keywords: ['llm', 'tools', 'retry'],
  repository: { type: 'git', url: 'git+https://github.com/sluice-tools/sluice.git', directory: 'packages/guard/tool-retry-policy' },
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20.19' },
  files: ['dist'],
  types: './dist/index.d.ts',
  exports: { '.': { '@sluice/source': './src/index.ts', ...published }, './package.json': './package.json' },
  publishConfig: { access: 'public', provenance: true, exports: { '.': published, './package.json': './package.json' } },
  scripts: { build: 'tsup', typecheck: 'tsc', lint: 'eslint .', test: 'vitest run' },
  peerDependencies: { '@sluice/core-tools': '>=0.1.0 <1.0.0' },
  devDependencies: { '@sluice/core-tools': 'workspace:^' },
  ...changes,
});
const problems = (changes, has = () => true) => [...manifestProblems('guard', 'tool-retry-policy', manifest(changes), has)];

describe('package metadata', () => {
  it('accepts a complete package', () => {
    expect(problems()).toEqual([]);
  });

  it('names whatever is missing', () => {
    for (const key of ['version', 'description', 'license', 'keywords', 'repository', 'type', 'sideEffects', 'engines', 'files', 'types']) {
      expect(problems({ [key]: undefined }).join('\n'), key).toContain(key);
    }
    expect(problems({}, (path) => path !== 'README.md')).toEqual(['README.md is missing']);
    expect(problems({ scripts: { build: 'tsup', typecheck: 'tsc', lint: 'eslint .' } })).toEqual(['script "test" is missing']);
  });

  it('takes the name and the directory from the path', () => {
    expect(problems({ name: '@sluice/retry' }).join()).toContain('"@sluice/tool-retry-policy"');
    const repository = { ...manifest().repository, directory: 'packages/guard/other' };
    expect(problems({ repository }).join()).toContain('packages/guard/tool-retry-policy');
  });

  it('wants types before the code, and the same map without the source published', () => {
    const swapped = { '.': { '@sluice/source': './src/index.ts', default: './dist/index.js', types: './dist/index.d.ts' } };
    expect(problems({ exports: { ...manifest().exports, ...swapped } }).join()).toContain('in this order');
    expect(problems({ publishConfig: { access: 'public', provenance: true, exports: manifest().exports } }).join()).toContain('publishConfig.exports');
    expect(problems({}, (path) => path !== './src/index.ts').join()).toContain('does not exist');
  });

  it('wants core as a peer with the range of decision 0002', () => {
    expect(problems({ dependencies: { '@sluice/core-tools': 'workspace:^' } }).join()).toContain('must be a peer');
    expect(problems({ peerDependencies: { '@sluice/core-tools': 'workspace:^' } }).join()).toContain('>=0.1.0 <1.0.0');
    expect(problems({ devDependencies: {} }).join()).toContain('workspace:^');
    expect(problems({ dependencies: { '@sluice/fs': '^0.1.0' } }).join()).toContain('workspace:^');
    expect(problems({ dependencies: { typebox: '^1.4.3' } }).join()).toContain('TypeBox');
  });
});
