import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { packages } from '../docs/packages.mjs';
import { root } from '../root.mjs';

it('SECURITY.md says of every package what it promises, and of none that is not there', () => {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const [, table = ''] = /## Package by package\n([^]*?)\n## /.exec(text) ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(packages.map(({ name }) => basename(name)).sort());
});
