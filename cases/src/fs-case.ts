import type { Context, ToolCallInput, ToolExecutionResult } from '@sluice/core-tools';
import { fsObservationPolicy } from '@sluice/fs-observation-policy';
import { aHost } from '@sluice/testing';
import { toolFs } from '@sluice/tool-fs';
import { toolFsSearch } from '@sluice/tool-fs-search';
import { expect } from 'vitest';
import { listOf, recordOf, type Case, type Json, type JsonRecord, wordOf } from './case.ts';
import { expectAfterwards, expectResult, indexOf, pathsAfter, textOf, type MadeCall } from './fs-expectations.ts';
import { aPlace, bytesOf, filledIn, needsDisk, type FsPlace } from './fs-place.ts';
import { flipping } from './fs-races.ts';
import { watchingHost } from './host-watch.ts';

/** Our names of the neutral tools. */
export const toolNames: Readonly<Record<string, string>> = {
  read: 'read_file', write: 'write_file', edit: 'edit_file', list: 'list_directory', glob: 'glob', grep: 'grep',
};

/** Each is a durable write. All of them, if the environment has CASES_REPEAT=all: 2,000 take most of a minute. */
const MAX_REPEATS = process.env['CASES_REPEAT'] === 'all' ? Infinity : 200;

/** Calls of file tools on a real directory, and, unless the case needs a disk, again in memory. */
export async function runFsCase(input: Case, options: { locks?: boolean } = {}): Promise<void> {
  await runIn('disk', input, options);
  if (!needsDisk(input)) await runIn('memory', input, options);
}

async function runIn(kind: FsPlace['kind'], input: Case, { locks = true }: { locks?: boolean }): Promise<void> {
  const wanted = recordOf(input['expect']);
  const place = aPlace(kind, input);
  const { ctx, dispose } = aHost();
  try {
    place.mount(ctx);
    if (recordOf(input['policy'])['freshness'] === 'on') ctx.plugin(fsObservationPolicy);
    ctx.plugin(toolFs);
    ctx.plugin(toolFsSearch);
    const scope = locks ? ctx : withoutLocks(ctx);
    const before = snapshot(place, wanted);
    const gaps = watchGaps();
    const race = listOf(input['races']).length > 0 ? await flipping(place) : undefined;
    const made = await watchingHost(async (host) => {
      const calls = callsOf(input, place);
      const results = input['schedule'] === 'parallel' ? await together(scope, calls) : await inTurn(scope, calls, place, pathsAfter(wanted));
      expect(host.unhandledRejections).toEqual([]);
      return results;
    }).finally(() => race?.stop());
    const maxGapMs = gaps.stop();
    for (const result of listOf(wanted['results'])) {
      const at = `${kind}, call ${wordOf(result['call'])}`;
      expectResult(made[indexOf(result['call'], made.length)] as MadeCall, result, at);
    }
    if (race !== undefined) expect(race.flips(), 'the race took place').toBeGreaterThan(10);
    expectAfterwards(place, wanted, { before, texts: made.map(({ result }) => (result === undefined ? '' : textOf(result))), maxGapMs });
  } finally {
    await dispose();
    place.remove();
  }
}

/** A call, or what somebody else does meanwhile. */
type Step = { readonly call: ToolCallInput } | { readonly elsewhere: () => void };

function callsOf(input: Case, place: FsPlace): Step[] {
  return listOf(input['calls']).flatMap((call): Step[] => {
    const times = Math.min(Number(call['repeat'] ?? 1), MAX_REPEATS);
    const one = call['repeat'] === undefined ? call : recordOf(call['call']);
    const written = recordOf(call['external_write']);
    if (call['external_write'] !== undefined) return [{ elsewhere: () => { place.put(wordOf(written['path']), bytesOf({ text: written['content'] ?? null })); } }];
    return Array.from({ length: times }, () => ({ call: neutral(one, place) }));
  });
}

function neutral({ tool, args }: JsonRecord, { root }: FsPlace): ToolCallInput {
  const name = toolNames[wordOf(tool)];
  if (name === undefined) throw new TypeError(`no such tool: ${wordOf(tool)}`);
  return { name, arguments: filledIn(args, root) satisfies Json };
}

async function inTurn(ctx: Context, steps: readonly Step[], place: FsPlace, paths: readonly string[]): Promise<MadeCall[]> {
  const made: MadeCall[] = [];
  for (const step of steps) {
    const began = performance.now();
    if ('elsewhere' in step) step.elsewhere();
    const result = 'call' in step ? await ctx.tools.execute(step.call) : undefined;
    made.push({ result, tookMs: performance.now() - began, after: new Map(paths.map((path) => [path, place.bytes(path)])) });
  }
  return made;
}

async function together(ctx: Context, steps: readonly Step[]): Promise<MadeCall[]> {
  const began = performance.now();
  const calls = steps.flatMap((step) => ('call' in step ? [step.call] : []));
  if (calls.length < steps.length) throw new TypeError('what happens elsewhere needs a sequential schedule');
  const results: readonly ToolExecutionResult[] = await ctx.tools.executeAll(calls, { maxParallel: calls.length });
  const tookMs = performance.now() - began;
  return results.map((result) => ({ result, tookMs, after: new Map() }));
}

function snapshot(place: FsPlace, wanted: JsonRecord): Map<string, Uint8Array | undefined> {
  const inside = Object.keys(recordOf(wanted['files'])).map((path) => [path, place.bytes(path)] as const);
  const outside = Object.keys(recordOf(wanted['outside_after'])).map((key) => [`outside ${key}`, place.outside(key)] as const);
  return new Map([...inside, ...outside]);
}

/** The same tools, but nothing makes one wait for another: what a case about lost updates must notice. */
function withoutLocks(ctx: Context): Context {
  const scope = ctx.scope('without-locks');
  for (const name of ['write_file', 'edit_file']) {
    const definition = ctx.tools.get(name);
    if (definition === undefined) throw new TypeError(`no such tool: ${name}`);
    const rest = { ...definition, isConcurrencySafe: () => true };
    delete (rest as { locks?: unknown }).locks;
    scope.tools.register(rest);
  }
  return scope;
}

/** The longest that a timer of the host had to wait. */
function watchGaps(): { stop(): number } {
  let last = performance.now();
  let longest = 0;
  const note = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(note, 5);
  return {
    stop() {
      clearInterval(timer);
      note();
      return longest;
    },
  };
}
