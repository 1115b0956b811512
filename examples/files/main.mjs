// A throw-away project, edited through the file tools. Once on a disk, drawn; then in memory, which must come to the same.
// Notice: the two compositions differ in one line, the provider of `ctx.fs`. No tool and no step knows which one it is.
import { deepStrictEqual } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createContext, tools } from '@sluice/core-tools';
import { fsLocal } from '@sluice/fs-local';
import { fsMemory, MemoryVolume } from '@sluice/fs-memory';
import { toolFs } from '@sluice/tool-fs';
import { toolFsSearch } from '@sluice/tool-fs-search';
import { draw } from './cards.mjs';
import { afterwards, project } from './project.mjs';
import { steps } from './steps.mjs';

const folder = mkdtempSync(join(tmpdir(), 'sluice-files-'));
const volume = new MemoryVolume(project);
try {
  for (const [path, text] of Object.entries(project)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const onDisk = await edit((ctx) => ctx.plugin(fsLocal, { root: folder }), console.log);
  const inMemory = await edit((ctx) => ctx.plugin(fsMemory, { volume }), () => {});

  for (const [path, text] of Object.entries(afterwards)) {
    deepStrictEqual(readFileSync(join(folder, path), 'utf8'), text, `${path} on the disk`);
    deepStrictEqual(Buffer.from(volume.files()[path]).toString(), text, `${path} in memory`);
  }
  deepStrictEqual(inMemory, onDisk, 'what the model has read');
  console.log(`\n${Object.keys(afterwards).length} files are as they must be, byte for byte, on the disk and in memory; every call told the same in both.`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Makes the calls over whatever `provide` mounts. Resolves with all that a model has read. */
async function edit(provide, print) {
  const ctx = createContext();
  try {
    ctx.plugin(tools);
    provide(ctx);
    ctx.plugin(toolFs);
    ctx.plugin(toolFsSearch);
    await ctx.ready();

    const read = [];
    for (const [title, calls] of steps) {
      print(`\n== ${title}`);
      const results = await ctx.tools.executeAll(calls.map(({ name, arguments: args }) => ({ name, arguments: args })));
      results.forEach((result, i) => {
        const content = result.content.map((block) => block.text).join('\n');
        deepStrictEqual(result.isError, calls[i].isRefused, content);
        const card = draw(ctx.tools.present(calls[i], result), content);
        print(`\n${calls[i].name}\n${card.map((line) => `  | ${line}`).join('\n')}`);
        // Which of several new files is the newest is the clock's affair.
        read.push(calls[i].name === 'glob' ? content.split('\n').sort().join('\n') : content);
      });
    }
    return read;
  } finally {
    await ctx.dispose();
  }
}
