// The same durable work by hand: read, decode and split; write beside the file, to the disk, into its place, directory to the disk.
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

const decoder = new TextDecoder('utf-8', { fatal: true });

async function replace(path, text) {
  const staged = `${path}.staged`;
  const file = await open(staged, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(staged, path);
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const read = async (path) => decoder.decode(await readFile(path));

export async function load() {
  return {
    read: async (path) => (await read(path)).split('\n').length,
    write: (path, text) => replace(path, text),
    edit: async (path, old, fresh) => {
      const text = await read(path);
      const at = text.indexOf(old);
      if (at < 0 || text.indexOf(old, at + 1) >= 0) throw new Error('not exactly once');
      await replace(path, text.slice(0, at) + fresh + text.slice(at + old.length));
    },
  };
}
