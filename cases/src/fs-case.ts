import { aHost } from '@sluice/testing';
import { expect, vi } from 'vitest';
import { listOf, recordOf, type Case, wordOf } from './case.ts';
import { settle } from './clock.ts';
import { MemoryFiles } from './memory-files.ts';
import { expectFile } from './pipeline-expectations.ts';

/** Calls of file tools, as one batch or in turn. On files in memory, so only about what the scheduler and locks do to them. */
export async function runFsCase(input: Case, options: { locks?: boolean } = {}): Promise<void> {
  vi.useFakeTimers();
  const { ctx, dispose } = aHost();
  try {
    const files = new MemoryFiles(recordOf(recordOf(input['workspace'])['files']));
    for (const tool of files.tools(options)) ctx.tools.register(tool);
    const calls = listOf(input['calls']).map(({ tool, args }, i) => ({ name: wordOf(tool), arguments: args, callId: wordOf(i) }));
    const maxParallel = input['schedule'] === 'parallel' ? calls.length : 1;
    const results = await settle(ctx.tools.executeAll(calls, { maxParallel }));

    const wanted = recordOf(input['expect']);
    for (const { call, outcome } of listOf(wanted['results'])) {
      if (outcome !== 'any') expect(results[Number(call)]?.isError === false ? 'success' : 'failure', `call ${wordOf(call)}`).toBe(outcome);
    }
    for (const [path, file] of Object.entries(recordOf(wanted['files']))) expectFile(files.text(path), recordOf(file), path);
  } finally {
    await settle(dispose());
    vi.useRealTimers();
  }
}
