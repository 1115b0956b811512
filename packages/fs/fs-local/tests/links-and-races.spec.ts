import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { isFsError } from '@sluice/fs';
import { describe, expect, it } from 'vitest';
import { aWorkspace, link, type LocalWorld } from './support.ts';

/** Another process that makes `spot` a link to elsewhere and a directory again, as fast as it can, until it is stopped. */
async function flipping({ root, elsewhere }: LocalWorld, spot: string, work: () => Promise<void>): Promise<void> {
  const script = `
    const fs = require('node:fs');
    const [spot, elsewhere] = process.argv.slice(1);
    process.stdout.write('ready');
    const tried = (step) => { try { step(); } catch {} };
    for (;;) {
      tried(() => fs.renameSync(spot, spot + '.real'));
      tried(() => fs.symlinkSync(elsewhere, spot));
      tried(() => fs.unlinkSync(spot));
      // Somebody may have made a directory in its place.
      tried(() => fs.renameSync(spot + '.real', spot));
      tried(() => fs.existsSync(spot + '.real') && fs.rmSync(spot + '.real', { recursive: true }));
    }`;
  const child = spawn(process.execPath, ['-e', script, join(root, spot), elsewhere], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    await work();
    expect(child.exitCode).toBeNull();
  } finally {
    const exit = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await exit;
    }
  }
}

const CODES = ['FS_OUTSIDE_WORKSPACE', 'FS_BUSY', 'FS_NOT_FOUND', 'FS_STALE', 'FS_NOT_DIRECTORY', 'FS_NOT_REGULAR', 'FS_EXISTS'];

describe('a directory that becomes a link between check and use', { timeout: 60_000 }, () => {
  it('lets no write out, over 2,000 of them [S10.W, H033]', async () => {
    const world = aWorkspace();
    world.put('spot/sub/seed.txt', 's\n');
    mkdirSync(join(world.elsewhere, 'sub'));
    let done = 0;
    let refused = 0;
    await flipping(world, 'spot', async () => {
      for (let i = 0; i < 2_000; i += 1) {
        try {
          await world.fs.write(['spot/w.txt', 'spot/sub/w.txt', `spot/new${i}/w.txt`, `spot/sub/new${i}.txt`][i % 4] as string, 'W');
          done += 1;
        } catch (error) {
          expect(isFsError(error) && CODES.includes(error.code) ? '' : error).toBe('');
          refused += 1;
        }
      }
    });
    expect(done + refused).toBe(2_000);
    expect(Math.min(done, refused)).toBeGreaterThan(0);
    expect(readdirSync(world.elsewhere, { recursive: true }).sort()).toEqual(['canary.txt', 'sub']);
  });

  it('lets nothing be read, listed, moved or removed out there [S10.W]', async () => {
    const world = aWorkspace();
    const { fs, put } = world;
    put('spot/canary.txt', 'inside');
    put('spot/sub/x', 'inside');
    mkdirSync(join(world.elsewhere, 'sub'));
    writeFileSync(join(world.elsewhere, 'sub/secret'), 'CANARY');
    const settle = (error: unknown): undefined => {
      expect(isFsError(error) && CODES.includes(error.code) ? '' : error).toBe('');
      return undefined;
    };
    await flipping(world, 'spot', async () => {
      for (let i = 0; i < 400; i += 1) {
        expect((await fs.readText('spot/canary.txt').catch(settle))?.text ?? 'inside').toBe('inside');
        expect((await fs.list('spot/sub').catch(settle))?.some(({ name }) => name === 'secret') ?? false).toBe(false);
        for await (const { name } of fs.walk('.')) expect(name).not.toBe('secret');
        if (i % 4 === 0) await fs.remove('spot/sub', { recursive: true }).catch(settle);
        if (i % 4 === 1) await fs.mkdir('spot/sub/deep').catch(settle);
        if (i % 4 === 2) await fs.move('spot/sub', 'spot/elsewhere').catch(settle);
        if (i % 4 === 3) await fs.move('spot/elsewhere', 'spot/sub').catch(settle);
      }
    });
    expect(readdirSync(world.elsewhere).sort()).toEqual(['canary.txt', 'sub']);
    expect(readdirSync(join(world.elsewhere, 'sub'))).toEqual(['secret']);
  });
});

describe('links made at random', { timeout: 60_000 }, () => {
  const name = fc.constantFrom('a', 'b', 'c', '..', '.', 'l1', 'l2', '');
  const PLACES = ['l1', 'l2', 'a', 'b', 'a/l1', 'b/l2', 'a/b/l1', 'b/c'];
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'));
  const step = fc.record({
    kind: fc.constantFrom('link', 'write', 'read', 'list', 'edit', 'remove', 'move', 'mkdir', 'stat'),
    path, other: path, isAbsolute: fc.boolean(), leadsOut: fc.boolean(),
  });

  it('lead nowhere outside, with any paths and operations [S9.9, H037]', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const { fs, root, elsewhere, at, ctx } = aWorkspace();
      const before = readdirSync(join(root, '..')).sort();
      for (const { kind, path: one, other, isAbsolute, leadsOut } of steps) {
        try {
          if (kind === 'link') {
            // Only where the test itself goes through no link.
            const place = at(PLACES[one.length % PLACES.length] as string);
            if (realpathSync(dirname(place)) === dirname(place)) link(place, leadsOut ? (isAbsolute ? elsewhere : '../../elsewhere') : isAbsolute ? join(root, other) : other || '.');
          } else if (kind === 'write') await fs.write(one, 'INSIDE');
          else if (kind === 'read') expect((await fs.readText(one)).text).toBe('INSIDE');
          else if (kind === 'list') expect((await fs.list(one)).some(({ name: each }) => each === 'canary.txt')).toBe(false);
          else if (kind === 'edit') await fs.edit(one, [{ start: 0, end: 0, text: '' }], { ifVersion: (await fs.readText(one)).version });
          else if (kind === 'remove') await fs.remove(one, { recursive: true });
          else if (kind === 'move') await fs.move(one, other, { overwrite: true });
          else if (kind === 'mkdir') await fs.mkdir(one);
          else await fs.stat(one);
        } catch (error) {
          // Making a link where something else is in the way is the test's own failure, and nobody's business.
          if (kind !== 'link' && !isFsError(error)) throw error;
          if (isFsError(error)) expect(error.message).not.toContain(root);
        }
      }
      expect(readdirSync(elsewhere)).toEqual(['canary.txt']);
      expect(readFileSync(join(elsewhere, 'canary.txt'), 'utf8')).toBe('CANARY');
      expect(readdirSync(join(root, '..')).sort()).toEqual(before);
      await ctx.dispose();
      rmSync(root, { recursive: true, force: true });
    }), { numRuns: 150 });
  });
});

describe('links', () => {
  it('with absolute targets, through ".." and through the root itself work while they stay inside [S9.4, H031]', async () => {
    const { fs, put, at, root } = aWorkspace();
    put('real/a.txt', '1\n');
    link(at('abs'), join(root, 'real'));
    link(at('deep/up'), '../real');
    link(at('around'), '../root/real');
    for (const path of ['abs', 'deep/up', 'around']) {
      expect((await fs.readText(`${path}/a.txt`)).text).toBe('1\n');
      expect((await fs.resolve(`${path}/new/x`)).key).toBe('real/new/x');
      await fs.write(`${path}/new-${path.length}/x`, path);
    }
    expect(readdirSync(at('real')).sort()).toEqual(['a.txt', 'new-3', 'new-6', 'new-7']);
  });

  it('that lead through something that only begins like the root lead out [S10.6, H027]', async () => {
    const { fs, root, at } = aWorkspace();
    mkdirSync(`${root}-evil`);
    writeFileSync(`${root}-evil/s.txt`, 'CANARY');
    link(at('evil'), `${root}-evil`);
    link(at('evil2'), '../root-evil/none/x');
    for (const path of ['evil/s.txt', 'evil2', `${root}-evil/s.txt`, '../root-evil/s.txt']) await expect(fs.readText(path)).rejects.toMatchObject({ code: 'FS_OUTSIDE_WORKSPACE' });
  });

  it('in the place of the root itself are not followed', async () => {
    const { fs, root, put, elsewhere } = aWorkspace();
    put('canary.txt', 'inside');
    renameSync(root, `${root}.old`);
    link(root, elsewhere);
    await expect(fs.readText('canary.txt')).rejects.toMatchObject({ code: 'FS_OUTSIDE_WORKSPACE' });
    await expect(fs.write('new', 'x')).rejects.toThrow(/cannot write "new"/);
    await expect(fs.list('.')).rejects.toMatchObject({ code: 'FS_OUTSIDE_WORKSPACE' });
    expect(readdirSync(elsewhere)).toEqual(['canary.txt']);
  });
});
