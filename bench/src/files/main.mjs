// npm run bench -- --files: file tools against node:fs doing the same durable work, dsh's file tools, and ripgrep. Time on the
// clock, since most of it is waiting for the disk; contenders take turns within a round. Everything is in a temporary directory.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { median, ratio } from '../stats.mjs';
import { duration, table, times } from '../table.mjs';

const withPeers = !process.argv.includes('--no-peers');
const root = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));

const KIB = 1_024;
const sizes = [
  { title: '1 KB', bytes: KIB, rounds: 41 },
  { title: '1 MB', bytes: KIB * KIB, rounds: 21 },
  { title: '50 MB', bytes: 50 * KIB * KIB, rounds: 7 },
];

/** Lines of source-like text, with one word in the middle that is there once. */
function textOf(bytes, word) {
  const line = (n) => `  const value${n % 1_000} = compute(${n}, "some text on a line of its own");\n`;
  const half = [];
  let length = 0;
  for (let n = 0; length < bytes / 2; n += 1) {
    const next = line(n);
    half.push(next);
    length += next.length;
  }
  const text = half.join('');
  return `${text}// ${word}\n${text}`;
}

const loaders = { 'node:fs': './floor.mjs', Sluice: './sluice.mjs', ...(withPeers ? { 'dsh-tool-fs': './dsh.mjs' } : {}) };
const contenders = [];
for (const [name, file] of Object.entries(loaders)) {
  const directory = join(root, name.replace(/\W/g, '-'));
  mkdirSync(directory);
  try {
    contenders.push({ name, directory, made: await (await import(file)).load(directory) });
  } catch (error) {
    console.error(`… ${name} is left out: ${error.message.split('\n')[0]}`);
  }
}

async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1e6;
}

const operations = ['read', 'write', 'edit'];
const rows = [];
for (const { title, bytes, rounds } of sizes) {
  const contents = ['before', 'after'].map((word) => textOf(bytes, `the word ${word}`));
  for (const operation of operations) {
    console.error(`… ${operation}, ${title}`);
    const samples = Object.fromEntries(contenders.map(({ name }) => [name, []]));
    const out = new Set();
    for (const { directory } of contenders) writeFileSync(join(directory, 'file.txt'), contents[0]);
    // The first rounds warm up.
    for (let round = -3; round < rounds; round += 1) {
      for (let turn = 0; turn < contenders.length; turn += 1) {
        const { name, directory, made } = contenders[(turn + round + 3) % contenders.length];
        if (out.has(name)) continue;
        const path = join(directory, 'file.txt');
        const [from, to] = round % 2 === 0 ? ['before', 'after'] : ['after', 'before'];
        const work = {
          read: () => made.read(path),
          write: () => made.write(path, contents[round & 1]),
          edit: () => made.edit(path, `the word ${from}`, `the word ${to}`),
        }[operation];
        if (operation === 'edit') writeFileSync(path, contents[from === 'before' ? 0 : 1]);
        try {
          const spent = await timed(work);
          if (round >= 0) samples[name].push(spent);
        } catch (error) {
          out.add(name);
          console.error(`… ${name} cannot: ${error.message.slice(0, 120)}`);
        }
      }
    }
    rows.push([
      `${operation} ${title}`,
      ...contenders.map(({ name }) => (out.has(name) ? 'refused' : duration(median(samples[name])))),
      times(ratio(samples['Sluice'], samples['node:fs'])),
      ...(withPeers ? [samples['dsh-tool-fs']?.length > 0 ? times(ratio(samples['dsh-tool-fs'], samples['Sluice'])) : '-'] : []),
    ]);
  }
}
const machine = `Node.js ${process.version}, ${process.platform} ${process.arch}`;
console.log(`### Files, ${machine}\n\n${table(['', ...contenders.map(({ name }) => name), 'Sluice to node:fs', ...(withPeers ? ['dsh to Sluice'] : [])], rows)}\n`);

/** Every one of 10,000 lines changes, and the change is drawn. */
const changed = [];
for (const { name, directory, made } of contenders.filter(({ name }) => name !== 'node:fs')) {
  const path = join(directory, 'many.txt');
  writeFileSync(path, Array.from({ length: 10_000 }, (_, n) => `line ${n} has the old word\n`).join(''));
  let card;
  if (name !== 'Sluice') await made.read(path);
  const spent = await timed(async () => {
    const result = await made.edit(path, 'the old word', 'the new word', true);
    card = made.card?.(path, 'the old word', 'the new word', result);
  });
  changed.push([name, duration(spent), card === undefined ? 'not measured' : card.card]);
}
console.log(`### An edit of 10,000 lines\n\n${table(['', 'time', 'card'], changed)}\n`);

/** 100,000 files in 1,000 directories. */
const tree = join(root, 'tree');
const FILES = 100_000;
console.error('… a tree of 100,000 files');
for (let n = 0; n < FILES; n += 1) {
  const directory = join(tree, `d${Math.floor(n / 10_000)}`, `d${Math.floor(n / 100) % 100}`);
  if (n % 100 === 0) mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `file${n}.${n % 10 === 0 ? 'ts' : 'txt'}`), `first line ${n}\nneedle${n % 500 === 0 ? ' found' : ''}\n`);
}
const { made: searching } = { made: await (await import('./sluice.mjs')).load(tree) };
const rg = process.env.RIPGREP ?? 'rg';
const hasRg = spawnSync(rg, ['--version']).status === 0;
const search = async (ours, args) => {
  const mine = [];
  const theirs = [];
  for (let round = 0; round < 5; round += 1) {
    mine.push(await timed(ours));
    if (hasRg) theirs.push(await timed(async () => spawnSync(rg, args, { cwd: tree, maxBuffer: 1 << 28 })));
  }
  return [duration(median(mine)), hasRg ? duration(median(theirs)) : 'not installed', hasRg ? times(ratio(mine, theirs)) : '-'];
};
console.log(
  `### Search in ${FILES.toLocaleString('en')} files\n\n${table(
    ['', 'Sluice', 'rg', 'ratio'],
    [
      ['glob **/*.ts, newest first', ...(await search(() => searching.glob('**/*.ts'), ['--files', '--sortr', 'modified', '-g', '**/*.ts']))],
      ['grep needle found', ...(await search(() => searching.grep('needle found'), ['needle found']))],
    ],
  )}`,
);
await searching.close();
for (const { made } of contenders) await made.close?.();
