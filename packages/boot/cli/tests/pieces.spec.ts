import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble } from '../src/file/assemble.ts';
import { fill, interpolate } from '../src/file/interpolate.ts';
import { mergeTrees } from '../src/file/merge.ts';
import { describeProblem } from '../src/file/problem.ts';
import { readText } from '../src/file/read-file.ts';
import { toData, type Tree } from '../src/file/tree.ts';
import { checkConfig, stepsOf } from '../src/plugins/check-config.ts';
import { loadDeployment } from '../src/index.ts';
import { aDirectory, quiet, SOURCE } from './support.ts';

const treeOf = (data: unknown, file: string): Tree => readText(JSON.stringify(data), file).tree!;
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(tie('value'), { maxLength: 3 }), tie('map')),
  map: fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.string({ minLength: 1, maxLength: 4 }).filter((key) => key !== '<<')), tie('value'), { maxKeys: 4 }),
}));

/** Every leaf: its steps, its value, the file that it is from. */
function leaves(tree: Tree, steps = ''): Map<string, { value: unknown; file: string }> {
  if (tree.kind === 'map' && tree.entries.size > 0) return new Map([...tree.entries].flatMap(([key, value]) => [...leaves(value, `${steps}/${JSON.stringify(key)}`)]));
  return new Map([[steps, { value: toData(tree), file: tree.at.file }]]);
}

describe('reading', () => {
  it('gives the data of any JSON, each value with its place', () => {
    fc.assert(
      fc.property(json.map, (data) => {
        const { tree, problems } = readText(JSON.stringify(data, null, 2), 'x.json');
        expect(problems).toEqual([]);
        expect(toData(tree!)).toEqual(JSON.parse(JSON.stringify(data)));
      }),
    );
  });

  it('reads anchors, aliases and merge keys, and refuses the ones that blow up or contain themselves', () => {
    expect(toData(readText('base: &b { x: 1, y: 2 }\nmore: { <<: *b, y: 3 }\nagain: *b\n', 'a.yml').tree!)).toEqual({ base: { x: 1, y: 2 }, more: { x: 1, y: 3 }, again: { x: 1, y: 2 } });
    expect(readText('a: &a [*a]\n', 'a.yml').problems[0]?.message).toMatch(/contains it|anchor/);
    const bomb = Array.from({ length: 8 }, (_each, i) => `l${i}: &l${i} [${Array(12).fill(i === 0 ? 'x' : `*l${i - 1}`).join(', ')}]`).join('\n');
    expect(readText(bomb, 'a.yml').problems[0]?.message).toMatch(/more than 100,000 values/);
  });

  it('refuses what JSON does not know', () => {
    expect(readText('a: .inf\n', 'a.yml').problems).toMatchObject([{ at: { line: 1, column: 4 }, message: 'Infinity is nothing that JSON knows' }]);
  });
});

describe('merging', () => {
  const pair = fc.tuple(json.map, json.map);

  it('with nothing, or with itself, changes nothing', () => {
    fc.assert(
      fc.property(json.map, (data) => {
        const tree = treeOf(data, 'a');
        for (const merged of [mergeTrees(tree, treeOf({}, 'b')), mergeTrees(treeOf({}, 'b'), tree), mergeTrees(tree, tree)]) expect(toData(merged)).toEqual(toData(tree));
      }),
    );
  });

  it('takes every leaf of the upper one, keeps those of the lower one that it says nothing about, and each keeps its file', () => {
    fc.assert(
      fc.property(pair, ([below, above]) => {
        const lower = leaves(treeOf(below, 'below'));
        const upper = leaves(treeOf(above, 'above'));
        const merged = leaves(mergeTrees(treeOf(below, 'below'), treeOf(above, 'above')));
        for (const [steps, leaf] of merged) {
          if (leaf.value !== null && typeof leaf.value === 'object' && !Array.isArray(leaf.value)) continue;
          expect(leaf).toEqual(leaf.file === 'above' ? upper.get(steps) : lower.get(steps));
        }
        for (const [steps, leaf] of upper) {
          const isEmptyMap = leaf.value !== null && typeof leaf.value === 'object' && !Array.isArray(leaf.value);
          if (!isEmptyMap) expect(merged.get(steps)).toEqual(leaf);
        }
      }),
    );
  });
});

describe('variables', () => {
  it('fill in what the environment holds, whatever that is, and look at it no further', () => {
    fc.assert(
      fc.property(fc.string(), fc.string().filter((text) => !text.includes('$')), fc.string().filter((text) => !text.includes('$')), (value, before, after) => {
        expect(fill(`${before}\${X}${after}`, { X: value })).toEqual({ text: before + value + after, isFilled: true, problems: [] });
      }),
    );
  });

  it('leave a text without any as it is', () => {
    fc.assert(fc.property(fc.string().filter((text) => !text.includes('${')), (text) => fill(text, {}).text === text));
  });

  it('have defaults, as in a shell; $${ is a literal ${; what is not set or no name is told', () => {
    const variables = { SET: 'yes', EMPTY: '' };
    expect(fill('${SET:-no} ${UNSET:-no} ${EMPTY:-no} ${EMPTY}| $${SET}', variables).text).toBe('yes no no | ${SET}');
    expect(fill('${UNSET}', variables).problems[0]?.message).toBe('the environment variable UNSET is not set');
    expect(fill('${toString}', {}).problems[0]?.message).toBe('the environment variable toString is not set');
    for (const odd of ['${}', '${a b}', '${X', '${a-b}']) expect(fill(odd, { X: 'x' }).problems[0]?.message).toMatch(/is no variable/);
  });

  it('are filled in only where text is expected, and never into keys', () => {
    const tree = treeOf({ text: '${X}', open: '${X}', other: '${X}', '${X}': 'key' }, 'a');
    const filled = interpolate(tree, { X: 'value' }, (steps) => (steps[0] === 'text' ? 'text' : steps[0] === 'open' ? 'open' : 'other'));
    expect(toData(filled.tree)).toEqual({ text: 'value', open: '${X}', other: '${X}', '${X}': 'key' });
  });

  it('are told by their names where they do not fit: what they hold may be a secret', () => {
    const plugin = { name: 'p', config: { type: 'object', properties: { key: { type: 'string', maxLength: 3 } } }, apply() {} };
    const at = { file: 'a.yml', line: 1, column: 1 };
    const problems = checkConfig({ id: 'p', at, use: { value: 'p', at }, config: treeOf({ key: '${TOKEN}' }, 'a.yml') }, plugin, { TOKEN: 'hunter2' });
    expect(problems).toMatchObject([{ path: 'key', message: expect.stringContaining('${TOKEN}') as string }]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});

describe('places', () => {
  it('are found by the paths that issues have', () => {
    expect(stepsOf('rules[0].when["a.b"].x-y')).toEqual(['rules', 0, 'when', 'a.b', 'x-y']);
    expect(stepsOf('["a\\"]b"][3]')).toEqual(['a"]b', 3]);
  });

  it('are shown in long lines and lines with tabs, with the mark below the place', () => {
    const line = `${'x'.repeat(300)}HERE${'y'.repeat(300)}`;
    const rows = describeProblem({ message: 'm', at: { file: '/a', line: 1, column: 301 } }, new Map([['/a', line]])).split('\n');
    expect(rows[1]!.slice(rows[2]!.indexOf('^')).startsWith('HERE')).toBe(true);
  });
});

describe('putting files together', () => {
  it('lays the file over what it includes, the environment over both, and the file beside it over all', () => {
    const entry = (id: string, config: string): string => `  - { use: "${id}", config: ${config} }\n`;
    const directory = aDirectory({
      'base.yml': `plugins:\n${entry('a', '{ x: base, y: base, z: base, w: base }')}${entry('b', '{}')}environments:\n  ci:\n    plugins:\n${entry('a', '{ y: base-ci }').replaceAll(/^/gm, '  ')}`,
      'sluice.yml': `include: base.yml\nplugins:\n${entry('a', '{ z: file }')}  - { use: c, before: b }\n  - { id: b, disabled: true }\nenvironments:\n  ci:\n    plugins:\n      - { id: a, config: { w: file-ci } }\n`,
      'sluice.ci.yml': `plugins:\n  - { id: a, config: { v: beside } }\n  - { id: b, disabled: false }\n`,
    });
    const file = join(directory, 'sluice.yml');
    const plain = assemble(file, undefined);
    expect(plain.problems).toEqual([]);
    expect(plain.plugins.map(({ id }) => id)).toEqual(['a', 'c']);
    const ci = assemble(file, 'ci');
    expect(ci.problems).toEqual([]);
    expect(ci.plugins.map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    const config = ci.plugins[0]!.config!;
    expect(toData(config)).toEqual({ x: 'base', y: 'base-ci', z: 'file', w: 'file-ci', v: 'beside' });
    expect(ci.files.map((each) => each.slice(directory.length + 1))).toEqual(['sluice.yml', 'base.yml', 'sluice.ci.yml']);
    expect(config.kind === 'map' && config.entries.get('y')!.at).toEqual({ file: join(directory, 'base.yml'), line: 7, column: expect.any(Number) as number });
  });
});

describe('the README', () => {
  it('has an example of the whole file that composes as it says', async () => {
    const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');
    const directory = aDirectory({ 'sluice.yml': /```yaml\n([^]*?)```/.exec(readme)![1]! });
    const options = { ...SOURCE, logger: quiet, variables: { WORKSPACE: directory } };
    const deployment = await loadDeployment(join(directory, 'sluice.yml'), options);
    try {
      expect(deployment.scope('writer').scopePath).toEqual(['reader', 'writer']);
      expect(deployment.scope('writer').tools.schemas().map(({ name }) => name)).toEqual(['read_file', 'list_directory']);
      expect(deployment.current.plugins.map(({ plugin }) => plugin.name)).toEqual(['core-tools', 'permission-rules', 'tool-call-timeout-policy', 'fs-local', 'tool-fs']);
    } finally {
      await deployment.close();
    }
    const ci = await loadDeployment(join(directory, 'sluice.yml'), { ...options, env: 'ci' });
    expect(ci.current.plugins[2]!.config).toEqual({ defaultMs: 5000 });
    await ci.close();
  });
});
