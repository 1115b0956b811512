import type { ToolExecutionResult } from '@sluice/core-tools';
import { expect } from 'vitest';
import { listOf, recordOf, type Json, type JsonRecord, wordOf } from './case.ts';
import { bytesOf, type FsPlace } from './fs-place.ts';

/** One call that was made, and how long it took. */
export interface MadeCall {
  /** Undefined for what was no call. */
  readonly result: ToolExecutionResult | undefined;
  readonly tookMs: number;
  /** The files that somebody wants to know of, as they were right after it. */
  readonly after: ReadonlyMap<string, Uint8Array | undefined>;
}

/** Checks one entry of `expect.results`. */
export function expectResult({ result, tookMs, after }: MadeCall, wanted: JsonRecord, at: string): void {
  if (result === undefined) throw new TypeError(`${at} is no call`);
  const text = textOf(result);
  for (const [word, value] of Object.entries(wanted)) {
    const say = `${at}, ${word}: ${text.slice(0, 400)}`;
    switch (word) {
      case 'call':
        break;
      case 'outcome':
        if (value !== 'any') expect(result.isError ? 'failure' : 'success', say).toBe(value);
        break;
      case 'output_includes':
        for (const piece of value as string[]) expect(text, say).toContain(piece);
        break;
      case 'output_excludes':
        for (const piece of value as string[]) expect(`${text}${JSON.stringify(result.content)}`, say).not.toContain(piece);
        break;
      case 'output_nonempty':
        expect(text.trim() !== '', say).toBe(value);
        break;
      case 'output_max_chars':
        expect(text.length, say).toBeLessThanOrEqual(Number(value));
        break;
      case 'well_formed_unicode':
        expect((text as string & { isWellFormed(): boolean }).isWellFormed(), say).toBe(value);
        break;
      case 'line_total':
        expect(recordOf(valueOf(result))['totalLines'], say).toBe(value);
        expect(text, say).toMatch(new RegExp(`\\b${wordOf(value)} line`));
        break;
      case 'match_count':
        expect(recordOf(valueOf(result))['total'], say).toBe(value);
        break;
      case 'occurrences':
        for (const [piece, times] of Object.entries(recordOf(value))) expect(text.split(piece).length - 1, say).toBe(times);
        break;
      case 'within_ms':
        expect(tookMs, say).toBeLessThanOrEqual(Number(value));
        break;
      case 'file_after':
        for (const [path, file] of Object.entries(recordOf(value))) expectBytes(after.get(path), recordOf(file), path, undefined, [text]);
        break;
      case 'image_block_media_type_in':
        expect(value, say).toContain(result.content.map((block) => (block.type === 'image' ? block.mimeType : undefined)).find((type) => type !== undefined) ?? null);
        break;
      case 'states_skipped':
        expect(/left out.*\d+ entr.*includeIgnored/.test(text), say).toBe(value);
        break;
      case 'one_of':
        expect(listOf(value).some((one) => passes(() => { expectResult({ result, tookMs, after }, one, at); })), say).toBe(true);
        break;
      default:
        throw new TypeError(`no such expectation of a result: ${word}`);
    }
  }
}

/** Checks what a file holds. `before` is what it held at first, `texts` what the calls have told. */
export function expectBytes(bytes: Uint8Array | undefined, wanted: JsonRecord, path: string, before: Uint8Array | undefined, texts: readonly string[]): void {
  const hex = (of: Uint8Array | undefined): string | undefined => (of === undefined ? undefined : Buffer.from(of).toString('hex'));
  if (wanted['one_of'] !== undefined) {
    expect(listOf(wanted['one_of']).some((one) => passes(() => { expectBytes(bytes, one, path, before, texts); })), `${path}: ${String(hex(bytes))}`).toBe(true);
    return;
  }
  if (wanted['absent'] === true) expect(hex(bytes), path).toBeUndefined();
  else if (wanted['unchanged'] === true) expect(hex(bytes), path).toBe(hex(before));
  else expect(hex(bytes), path).toBe(hex(bytesOf(wanted)));
  if (wanted['requires_result_mention'] === 'bom-or-encoding') expect(texts.join('\n'), path).toMatch(/byte order mark|encoding/);
}

/** The rest of `expect`, once all calls are made. */
export function expectAfterwards(place: FsPlace, wanted: JsonRecord, facts: { readonly before: ReadonlyMap<string, Uint8Array | undefined>; readonly texts: readonly string[]; readonly maxGapMs: number }): void {
  for (const [word, value] of Object.entries(wanted)) {
    switch (word) {
      case 'results':
        break;
      case 'files':
        for (const [path, file] of Object.entries(recordOf(value))) expectBytes(place.bytes(path), recordOf(file), path, facts.before.get(path), facts.texts);
        break;
      case 'outside_after':
        for (const [key, file] of Object.entries(recordOf(value))) expectBytes(place.outside(key), recordOf(file), key, facts.before.get(`outside ${key}`), facts.texts);
        break;
      case 'modes_after':
        for (const [path, mode] of Object.entries(recordOf(value))) expect(place.mode(path), path).toBe(mode);
        break;
      case 'links_intact':
        for (const path of value as string[]) expect(place.isLink(path), path).toBe(true);
        break;
      case 'host_max_timer_gap_ms':
        expect(facts.maxGapMs).toBeLessThanOrEqual(Number(value));
        break;
      default:
        throw new TypeError(`no such expectation: ${word}`);
    }
  }
}

export function textOf(result: ToolExecutionResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function valueOf(result: ToolExecutionResult): Json {
  return result.isError ? {} : result.value;
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return false;
  }
}

/** Paths whose bytes right after a call matter, for `file_after`. */
export function pathsAfter(wanted: JsonRecord): string[] {
  return listOf(wanted['results']).flatMap((result) => Object.keys(recordOf(result['file_after'])));
}

/** Named so that a case with a mistyped call fails. @throws TypeError */
export function indexOf(call: Json | undefined, calls: number): number {
  const index = Number(wordOf(call));
  if (!Number.isInteger(index) || index < 0 || index >= calls) throw new TypeError(`no such call: ${String(index)}`);
  return index;
}
