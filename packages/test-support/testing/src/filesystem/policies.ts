import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { FsObserved } from '@sluice/fs';
import { failsWith, textOf, utf8, type FileSystemCheck } from './world.ts';

export const policies: readonly FileSystemCheck[] = [
  {
    name: 'asks the policies of the scope before every change, and does nothing that is denied',
    async run({ ctx, outside }) {
      await outside.put('a', utf8('one'));
      const agent = ctx.scope('agent');
      const asked: string[] = [];
      agent.on('fs/write-intent', ({ operation, path, current, to, scopePath }) => {
        asked.push(`${operation} ${path}${to === undefined ? '' : ` ${to.path}`} ${current?.type ?? 'none'} ${scopePath.join('/')}`);
        return { kind: 'deny', reason: 'is not to be touched' };
      });
      agent.on('fs/edit-intent', ({ path, spans }) => {
        asked.push(`edit ${path} ${spans.length}`);
        return { kind: 'deny', reason: 'was not read', code: 'FS_NOT_OBSERVED', hint: 'Read it.' };
      });
      const { version } = await agent.fs.readText('a');
      const error = await failsWith('FS_DENIED', () => agent.fs.write('a', 'x'), 'a');
      ok(error.message.includes('is not to be touched'));
      await failsWith('FS_DENIED', () => agent.fs.write('new', 'x'));
      await failsWith('FS_DENIED', () => agent.fs.remove('a'));
      await failsWith('FS_DENIED', () => agent.fs.move('a', 'b'));
      await failsWith('FS_DENIED', () => agent.fs.mkdir('d'));
      const edit = await failsWith('FS_NOT_OBSERVED', () => agent.fs.edit('a', [{ start: 0, end: 1, text: '' }], { ifVersion: version }));
      strictEqual((edit as { hint?: string }).hint, 'Read it.');
      deepStrictEqual(asked, ['write a file agent', 'write new none agent', 'remove a file agent', 'move a b file agent', 'mkdir d none agent', 'edit a 1']);
      deepStrictEqual((await ctx.fs.list('.')).map(({ name }) => name), ['a']);
      strictEqual((await ctx.fs.write('a', 'from the root')).isNew, false);
    },
  },
  {
    name: 'denies when a policy throws or answers what is no decision',
    async run({ ctx, fs, outside }) {
      await outside.put('a', utf8('one'));
      const answers: unknown[] = [undefined, null, true, 'allow', {}, { kind: 'deny' }, { kind: 'deny', reason: '' }, { kind: 'yes' }, { kind: 'allow', ifVersion: 7 }];
      for (const answer of answers) {
        const off = ctx.on('fs/write-intent', () => answer as never);
        await failsWith('FS_DENIED', () => fs.write('a', 'x'), 'a');
        off();
      }
      const off = ctx.on('fs/write-intent', () => { throw new Error('broken'); });
      const error = await failsWith('FS_DENIED', () => fs.write('a', 'x'), 'a');
      ok(!error.message.includes('broken'));
      off();
      strictEqual(textOf(await outside.bytes('a')), 'one');
      strictEqual((await fs.write('a', 'x')).isNew, false);
    },
  },
  {
    name: 'holds a change to the version that a policy allowed it for',
    async run({ ctx, fs, outside }) {
      await outside.put('a', utf8('one'));
      const { version } = await fs.readText('a');
      ctx.on('fs/write-intent', async () => {
        await outside.put('a', utf8('meanwhile'));
        return { kind: 'allow', ifVersion: version };
      });
      await failsWith('FS_STALE', () => fs.write('a', 'x'), 'a');
      await failsWith('FS_STALE', () => fs.write('a', 'x', { ifVersion: null }), 'a');
      strictEqual(textOf(await outside.bytes('a')), 'meanwhile');
    },
  },
  {
    name: 'writes what the policies saw, whatever becomes of the caller\'s bytes',
    async run({ ctx, fs, outside }) {
      const bytes = utf8('shown');
      ctx.on('fs/write-intent', (_intent, next) => {
        bytes.fill(0x58);
        return next();
      });
      await fs.write('a', bytes);
      strictEqual(textOf(await outside.bytes('a')), 'shown');
    },
  },
  {
    name: 'tells observers of every change that was made, in the scope that made it, and of no other',
    async run({ ctx, outside }) {
      await outside.put('a', utf8('one'));
      const agent = ctx.scope('agent');
      const seen: FsObserved[] = [];
      agent.on('fs/observed', (observed) => { seen.push(observed); });
      ctx.on('fs/observed', () => { throw new Error('an observer that fails'); });
      const fs = agent.fs;
      const written = await fs.write('a', 'two');
      const edited = await fs.edit('a', [{ start: 0, end: 3, text: 'three' }], { ifVersion: written.version });
      await failsWith('FS_STALE', () => fs.write('a', 'x', { ifVersion: 'another' }));
      await fs.move('a', 'b');
      await fs.remove('b');
      await ctx.fs.write('c', 'x');
      const shown = await ctx.fs.readText('c');
      fs.observe({ path: shown.path, key: shown.key, version: shown.version, how: 'read', seen: [{ start: 0, end: 1 }] });
      deepStrictEqual(seen.map(({ how, path, scopePath }) => [how, path, scopePath]), [
        ['write', 'a', agent.scopePath], ['edit', 'a', agent.scopePath], ['remove', 'a', agent.scopePath], ['move', 'b', agent.scopePath], ['remove', 'b', agent.scopePath], ['read', 'c', agent.scopePath],
      ]);
      deepStrictEqual([seen[0]?.version, seen[0]?.content, seen[0]?.seen], [written.version, 'two', 'all']);
      deepStrictEqual([seen[1]?.before, seen[1]?.version, seen[1]?.spans], [written.version, edited.version, [{ start: 0, end: 3, text: 'three' }]]);
      strictEqual(seen[2]?.version, undefined);
      ok(seen.every((each) => Object.isFrozen(each) && each.scopePath === agent.scopePath));
    },
  },
  {
    name: 'protects git hooks and configuration, by whatever path or letter case, unless it is told otherwise',
    async run({ fs, outside }) {
      await outside.put('.git/config', utf8('c'));
      await outside.put('.git/hooks/pre-commit', utf8('h'));
      await outside.put('sub/.git/config', utf8('c'));
      await outside.link?.('g', '.git');
      const paths = ['.git/config', '.git/hooks/new', '.git/hooks', '.GIT/hooks/new', 'sub/.git/config', 'x/../.git/config', ...(outside.link === undefined ? [] : ['g/config', 'g/hooks/x'])];
      for (const path of paths) await failsWith('FS_PROTECTED', () => fs.write(path, 'x'), path);
      await failsWith('FS_PROTECTED', () => fs.mkdir('new/.git/hooks'));
      await failsWith('FS_PROTECTED', () => fs.remove('.git', { recursive: true }), '.git');
      await failsWith('FS_PROTECTED', () => fs.remove('sub', { recursive: true }), 'sub');
      await failsWith('FS_PROTECTED', () => fs.move('.git', 'moved'), '.git');
      await fs.write('evil/config', 'x');
      await failsWith('FS_PROTECTED', () => fs.move('evil/config', 'new/.git/config'));
      await failsWith('FS_PROTECTED', () => fs.move('evil', 'new/.git'));
      strictEqual((await fs.readText('.git/config')).text, 'c');
      await fs.write('.git/description', 'fine');
      strictEqual(textOf(await outside.bytes('.git/hooks/pre-commit')), 'h');
    },
  },
];
