import { expect, it } from 'vitest';
import { pageModules } from '../docs/page-modules.mjs';

const page = ['# A page', '```ts', 'const a = 1;', '```', 'words', '```ts file=other.ts', 'export const b = 2;', '```', '```ts', 'console.log(a);', '```', '```text', '1', '```', ''].join('\n');

it('puts the blocks of one file together, each line where it is in the page', () => {
  const { modules } = pageModules(page);
  expect([...modules.keys()]).toEqual(['page.ts', 'other.ts']);
  const lines = modules.get('page.ts').split('\n');
  expect([lines[2], lines[9]]).toEqual(['const a = 1;', 'console.log(a);']);
  expect(modules.get('other.ts').split('\n')[6]).toBe('export const b = 2;');
});

it('takes what the page says it prints, also that it prints nothing, and knows when it says nothing', () => {
  expect(pageModules(page).printed).toEqual(['1']);
  expect(pageModules('```text\n```\n').printed).toEqual([]);
  expect(pageModules('```ts\n1;\n```\n').printed).toBeUndefined();
});

it('refuses a block without an end', () => {
  expect(() => pageModules('```ts\n1;\n')).toThrow('line 1: this block has no end');
});
