import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../src/index.ts';
import { aFile } from './support.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

describe('a process that is killed', { timeout: 120_000 }, () => {
  let out: string;
  beforeAll(async () => {
    out = mkdtempSync(join(tmpdir(), 'session-out-'));
    await build({
      configFile: false,
      logLevel: 'silent',
      root: here('..'),
      ssr: { noExternal: true, resolve: { conditions: ['@sluice/source', 'node', 'import', 'default'] } },
      build: { ssr: here('fixtures/writer.ts'), outDir: out, target: 'node20', rolldownOptions: { output: { entryFileNames: 'main.mjs' } } },
    });
  }, 60_000);
  afterAll(() => {
    rmSync(out, { recursive: true, force: true });
  });

  it('loses nothing that it said was kept, and never what ran: the file opens, whatever byte it ends at', async () => {
    const file = aFile();
    let turns = 0;
    for (let round = 0; round < 8; round += 1) {
      const child = spawn(process.execPath, [join(out, 'main.mjs'), file], { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      const enough = 1 + Math.floor(Math.random() * 400);
      child.stdout.on('data', (data: Buffer) => {
        said += data.toString();
        if (said.length >= enough) child.kill('SIGKILL');
      });
      const [, signal] = (await once(child, 'close')) as [number | null, string | null];
      expect(signal).toBe('SIGKILL');
      const numbers = (word: string): number[] => [...said.matchAll(new RegExp(`^${word} (\\d+)$`, 'gm'))].map(([, n]) => Number(n));

      // Some rounds also lose bytes that were written and not synced: everything after the last turn that was kept may go.
      const bytes = readFileSync(file);
      const lastKept = Math.max(0, ...numbers('kept'));
      const safe = lastKept === 0 ? undefined : bytes.indexOf(`"turn/end","data":{"turn":${lastKept},`);
      if (round % 3 === 0 && safe !== undefined) {
        const from = bytes.indexOf('\n', safe) + 1;
        writeFileSync(file, bytes.subarray(0, from + Math.floor(Math.random() * (bytes.length - from + 1))));
      }
      const session = openSession({ file });
      const known = session.events.filter(({ type }) => type === 'tool/call').length;
      session.repair();
      const done = session.events.flatMap(({ type, data }) => (type === 'turn/end' && data.reason === 'done' ? [data.turn] : []));
      expect(done).toEqual(expect.arrayContaining(numbers('kept')));
      const calls = session.events.flatMap(({ type, data }) => (type === 'tool/call' ? [Number(data.callId)] : []));
      if (round % 3 !== 0) expect(calls).toEqual(expect.arrayContaining(numbers('ran')));
      const results = session.events.filter(({ type }) => type === 'tool/result').length;
      expect(results).toBeGreaterThanOrEqual(known);
      expect(session.turn.isOpen).toBe(false);
      expect(session.turn.number).toBeGreaterThanOrEqual(turns);
      turns = lastKept === 0 ? turns : lastKept;
      await session.close();
    }
    expect(turns).toBeGreaterThan(0);
  });
});
