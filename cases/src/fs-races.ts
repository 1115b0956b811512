import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FsPlace } from './fs-place.ts';

export interface Race {
  flips(): number;
  stop(): Promise<void>;
}

/** What the other process does, again and again: `spot` is a directory, then a link to the outside. */
const program = `
const fs = require('node:fs');
const [spot, real, link] = process.argv.slice(1);
let flips = 0;
let isOver = false;
process.on('message', () => { isOver = true; });
// A write may have made the directory anew in the moment in which it was not there.
const move = (from, to) => {
  for (;;) {
    try { return fs.renameSync(from, to); }
    catch (error) {
      if (error.code === 'ENOENT') throw error;
      try { fs.rmSync(to, { recursive: true, force: true }); } catch { /* something was just put there */ }
    }
  }
};
(function flip() {
  for (let i = 0; i < 20; i += 1) {
    move(spot, real); move(link, spot);
    move(spot, link); move(real, spot);
    flips += 1;
  }
  if (isOver) { process.send({ flips }); process.disconnect(); }
  else setImmediate(flip);
})();
`;

/** Another process flips `spot` until it is stopped; then it is a directory again. */
export async function flipping(place: FsPlace): Promise<Race> {
  const home = join(dirname(place.root), 'flip');
  mkdirSync(home);
  const [spot, real, link] = [join(place.root, 'spot'), join(home, 'real'), join(home, 'link')];
  symlinkSync(join(dirname(place.root), 'outside'), link);
  const child = spawn(process.execPath, ['-e', program, spot, real, link], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'spawn');
  let flips = 0;
  child.on('message', (message: { flips: number }) => {
    ({ flips } = message);
  });
  return {
    flips: () => flips,
    async stop() {
      const ended = once(child, 'exit');
      child.send('stop');
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
