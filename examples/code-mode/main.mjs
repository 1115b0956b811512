// A program that a model wrote calls tools through the same gates as the model itself.
// Notice: the rules were written for direct calls and say nothing of programs; the program sees a denial as an error and goes
// on; while a person is asked its clock stands still. The program itself is in program.ts.txt.
import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeRuntimeQuickjs } from '@sluice/code-runtime-quickjs';
import { createContext, definePlugin, tools } from '@sluice/core-tools';
import { fsMemory, MemoryVolume } from '@sluice/fs-memory';
import { permissionRules } from '@sluice/permission-rules';
import { toolFs } from '@sluice/tool-fs';
import { trace } from './trace.mjs';

const files = Object.fromEntries(
  Array.from({ length: 22 }, (_, n) => [`notes/${String(n + 1).padStart(2, '0')}.txt`, `note ${n + 1}: ${n % 3 === 0 ? 'open' : 'done'}\n`]),
);
const volume = new MemoryVolume({ ...files, 'config/app.json': '{}\n' });

/** Whoever answers questions; here a script that takes its time and says yes. */
const scriptedPerson = definePlugin({
  name: 'scripted-person',
  apply(ctx) {
    ctx.provide('approval', {
      async request({ toolName, arguments: { path } }) {
        await sleep(600);
        console.log(`  (a person looks at ${toolName} ${path}, and says yes)`);
        return { kind: 'allowed-once' };
      },
    });
  },
});

const ctx = createContext();
try {
  ctx.plugin(tools, { mode: 'code' });
  ctx.plugin(fsMemory, { volume });
  ctx.plugin(toolFs);
  ctx.plugin(permissionRules, {
    root: volume.rootPath,
    rules: [
      { tool: '{run_code,read_file,list_directory}', decision: 'allow' },
      { tool: 'write_file', when: { path: { path: 'config/**' } }, decision: 'deny', reason: 'People change the configuration.' },
      { tool: 'write_file', decision: 'ask' },
    ],
  });
  ctx.plugin(scriptedPerson);
  ctx.plugin(codeRuntimeQuickjs, { limits: { computeMs: 10_000, wallMs: 20_000, heapMb: 64, outputBytes: 100_000 } });
  ctx.plugin(trace(console.log));
  await ctx.ready();

  const code = readFileSync(new URL('./program.ts.txt', import.meta.url), 'utf8');
  const result = await ctx.tools.execute({ name: 'run_code', callId: 'call-1', arguments: { code, description: 'sum up the open notes' } });
  console.log(`\nWhat the model reads:\n${result.content.map(({ text }) => text).join('\n')}`);

  deepStrictEqual(result.value?.result, { open: 7, outcomes: { 'config/summary.txt': 'DENIED', 'summary.txt': 'written' } });
  deepStrictEqual(Object.keys(volume.files()).filter((path) => path.endsWith('summary.txt')), ['summary.txt']);

  const direct = await ctx.tools.execute({ name: 'read_file', arguments: { path: 'notes/01.txt' } });
  deepStrictEqual(direct.isError && direct.error.info.code, 'UNKNOWN_TOOL');
  console.log(`\nA direct call, past the program: ${direct.content[0].text}`);
} finally {
  await ctx.dispose();
}
