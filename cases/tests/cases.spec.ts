import { fsMemory } from '@sluice/fs-memory';
import { fsObservationPolicy } from '@sluice/fs-observation-policy';
import { aHost, aTool } from '@sluice/testing';
import { toolCallTimeoutPolicy } from '@sluice/tool-call-timeout-policy';
import { toolFs } from '@sluice/tool-fs';
import { describe, expect, it, vi } from 'vitest';
import { caseIds, listOf, readCase, type Case, wordOf } from '../src/case.ts';
import { settle } from '../src/clock.ts';
import { notYet } from '../src/not-yet.ts';
import { partsNotUnderstood } from '../src/parts.ts';
import type { Run } from '../src/pipeline-case.ts';
import { runCase } from '../src/run-case.ts';

/** What `right` asks for beyond what `expect` can say. */
const also: Readonly<Record<string, (run: Run) => void>> = {
  H069: ({ world }) => {
    expect(world.observed[0]?.content).toEqual([{ type: 'text', text: 'nope-51 (checked)' }]);
  },
  H085: ({ world }) => {
    expect(world.runs.map(({ abortReason }) => (abortReason as Error).message)).toEqual(['the caller gave up']);
  },
  H089: ({ world }) => {
    const last = Math.max(...world.runs.map(({ beganMs }) => beganMs));
    expect(world.runs.every(({ endedMs }) => endedMs !== undefined && endedMs > last)).toBe(true);
  },
  H145: ({ world }) => {
    expect(world.log.messages('error')).toHaveLength(3);
  },
};

describe('cases', () => {
  it.each(caseIds().map((id) => [id, readCase(id).symptom, readCase(id)] as const))('%s: %s', (id, _symptom, input) =>
    runCase(input, also[id]),
    // Durable writes while another process races them.
    60_000,
  );
});

describe('what cases stand for, beyond their inputs', () => {
  it('H025: whoever has read some lines may edit those, and only those, and may not overwrite the rest', async () => {
    await using host = aHost();
    const { ctx } = host;
    ctx.plugin(fsMemory, { files: { 'a.txt': Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`).join('') } });
    ctx.plugin(fsObservationPolicy);
    ctx.plugin(toolFs);
    const call = async (name: string, args: object): Promise<string> => {
      const result = await ctx.tools.execute({ name, arguments: args });
      return result.isError ? result.error.info.code : 'success';
    };
    const said = [
      await call('edit_file', { path: 'a.txt', old: 'line 2\n', new: 'two\n' }),
      await call('read_file', { path: 'a.txt', limit: 10 }),
      await call('edit_file', { path: 'a.txt', old: 'line 2\n', new: 'two\n' }),
      await call('edit_file', { path: 'a.txt', old: 'line 50\n', new: 'fifty\n' }),
      await call('write_file', { path: 'a.txt', content: 'short\n' }),
      await call('read_file', { path: 'a.txt' }),
      await call('write_file', { path: 'a.txt', content: 'short\n' }),
      await call('write_file', { path: 'new.txt', content: 'new\n' }),
      await call('write_file', { path: 'new.txt', content: 'newer\n' }),
    ];
    expect(said).toEqual(['FS_NOT_OBSERVED', 'success', 'success', 'FS_NOT_OBSERVED', 'FS_NOT_OBSERVED', 'success', 'success', 'success', 'success']);
  });

  it('H061: names of Object.prototype mean nothing in classification, timeouts, restrictions and rules either', async () => {
    await using host = aHost();
    const { ctx } = host;
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];
    ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 1_000, perTool: { read: 500 } });
    ctx.tools.register(aTool({ name: 'read', isConcurrencySafe: () => true }));
    const agent = ctx.scope('agent');
    for (const name of names) {
      expect(ctx.tools.get(name)).toBeUndefined();
      expect(ctx.tools.executionMode({ name, arguments: {} })).toBe('exclusive');
      expect(() => agent.tools.restrict({ deny: [name] })).toThrow('does not inherit');
    }
    const batch = await ctx.tools.executeAll(names.map((name) => ({ name })));
    expect(batch.map((result) => result.isError && result.error.info.code)).toEqual(names.map(() => 'UNKNOWN_TOOL'));
    expect(ctx.tools.executionMode({ name: 'read', arguments: {} })).toBe('parallel');
  });

  it('H085: the deadline reaches the body of a retried call too, with its reason', async () => {
    vi.useFakeTimers();
    await using host = aHost();
    const { ctx } = host;
    ctx.on('tools/execute', async (_exec, next) => {
      const first = await next();
      return first.isError ? next() : first;
    });
    ctx.plugin(toolCallTimeoutPolicy);
    const reasons: unknown[] = [];
    ctx.tools.register(
      aTool({
        timeoutMs: 5_000,
        execute: (_args, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reasons.push(signal.reason);
              reject(signal.reason as Error);
            });
          }),
      }),
    );
    const result = await settle(ctx.tools.execute({ name: 'echo' }));
    expect(result).toMatchObject({ isError: true, error: { info: { code: 'TOOL_TIMEOUT' } } });
    expect(reasons).toMatchObject([{ code: 'TOOL_TIMEOUT' }, { code: 'TOOL_TIMEOUT' }]);
  });

  it('H145: a final-content hook that throws loses neither the result nor the observers', async () => {
    await using host = aHost();
    const { ctx } = host;
    const seen: boolean[] = [];
    ctx.on('tools/result', (_exec, { isError }) => seen.push(isError));
    ctx.tools.register({
      ...aTool(),
      finalizeContent() {
        throw new Error('cannot redact');
      },
    });
    const result = await ctx.tools.execute({ name: 'echo' });
    expect(result).toMatchObject({ isError: true, error: { info: { code: 'INVALID_TOOL_OUTPUT', started: true } } });
    expect(seen).toEqual([true]);
  });
});

describe('what is skipped', () => {
  it('is exactly what is listed as not yet possible, each with a reason', () => {
    const found = caseIds().flatMap((id) => partsNotUnderstood(readCase(id)).map((part) => `${id} ${part}`));
    expect(found.sort()).toEqual(notYet.map(({ id, part }) => `${id} ${part}`).sort());
    expect(notYet.every(({ reason }) => reason.length > 20)).toBe(true);
  });

  it('is no whole case, and no other call than those of run_code', () => {
    const calls = notYet.filter(({ part }) => /^invoke\.\w+$/.test(part));
    for (const { id, part } of calls) {
      const input: Case = readCase(id);
      const call = listOf(input['invoke']).find(({ call_id: callId }) => part === `invoke.${wordOf(callId)}`);
      expect(call?.['tool']).toBe('run_code');
    }
    expect(notYet.filter(({ part }) => part === 'kind')).toEqual([]);
  });
});
