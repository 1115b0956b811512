import type { ApprovalRequest } from '@sluice/approval';
import type { JsonValue, ToolCallView } from '@sluice/core-tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Dialog, type DialogOptions } from '../src/dialog.ts';
import { columnsOf } from '../src/rows.ts';

const HARMFUL = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/u;
const always: DialogOptions['always'] = (remember) => ({ rule: { tool: 'edit', decision: 'allow', remember }, text: `allow tool "edit" (${remember})` });

function aDialog(request: Partial<ApprovalRequest> = {}, options: Partial<DialogOptions> = {}): Dialog {
  const toolName = request.toolName ?? 'edit';
  return new Dialog(
    { id: 'q', callId: 'c', toolName, arguments: {}, view: { card: 'generic', title: toolName }, signal: new AbortController().signal, ...request },
    { always: undefined, waiting: 0, ...options },
  );
}

const drawn = (dialog: Dialog, columns = 80, rows = 23): string[] => dialog.frame(columns, rows).map(({ text }) => text);
const textOf = (dialog: Dialog, columns?: number, rows?: number): string => drawn(dialog, columns, rows).join('\n');

/** Where a row was broken to fit. */
const BREAK = /\n(?:┆ |[+ -]┆)/g;

/** Everything, page by page, as a person reads it; rows joined where they were broken. */
function readThrough(dialog: Dialog, columns = 80, rows = 23): string {
  dialog.press('v');
  const pages: string[] = [];
  for (let page = 0; page < 100_000; page += 1) {
    const shown = drawn(dialog, columns, rows);
    const mark = shown.findIndex((row) => row.startsWith('── '));
    if (mark < 0) return shown.slice(1, shown.lastIndexOf('')).join('\n').replace(BREAK, '');
    const [first, last, all] = /(\d+)-(\d+) of (\d+)/.exec(shown[mark]!)!.slice(1).map(Number) as [number, number, number];
    const page = shown.slice(mark - (last - first + 1), mark);
    pages.splice(first - 1, page.length, ...page);
    if (last === all) break;
    dialog.press(' ');
  }
  return pages.join('\n').replace(BREAK, '');
}

describe('keys', () => {
  it.each([
    ['y', { kind: 'allowed-once' }],
    ['n', { kind: 'rejected' }],
    ['enter', { kind: 'rejected' }],
  ])('%s is %j', (key, outcome) => {
    const dialog = aDialog();
    dialog.press(key);
    expect(dialog.outcome).toEqual(outcome);
  });

  it('allows on no other key or sequence of keys than y, or s or p and then y', () => {
    const keys = fc.constantFrom('y', 'Y', 'n', 's', 'p', 'm', 'v', 'q', 'enter', ' ', 'down', 'up', 'pagedown', 'b', 'g', 'G', 'a', '1', 'é', 'home', '__proto__', 'constructor');
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 12 }), (presses) => {
        const dialog = aDialog({ arguments: { text: 'line\n'.repeat(100) } }, { always });
        let last: string | undefined;
        for (const key of presses) {
          if (dialog.outcome !== undefined) break;
          dialog.frame(80, 23);
          dialog.press(key);
          last = key;
        }
        expect(dialog.outcome?.kind.startsWith('allowed') === true && last !== 'y').toBe(false);
      }),
    );
  });

  it.each([['s', 'session'], ['p', 'project']])('%s shows the rule first and takes a y to it, for the %s', (key, remember) => {
    const dialog = aDialog({}, { always });
    dialog.press(key);
    expect(dialog.outcome).toBeUndefined();
    expect(textOf(dialog)).toContain(`allow tool "edit" (${remember})`);
    dialog.press('enter');
    expect(dialog.outcome).toBeUndefined();
    dialog.press('y');
    expect(dialog.outcome).toEqual({ kind: 'allowed-always', rule: { tool: 'edit', decision: 'allow', remember } });
  });

  it('goes back from the rule to the question on n', () => {
    const dialog = aDialog({}, { always });
    dialog.press('p');
    dialog.press('n');
    expect(dialog.outcome).toBeUndefined();
    expect(textOf(dialog)).toContain('y once');
  });

  it('does not offer "always" where nobody would remember it, and says so to who tries', () => {
    const dialog = aDialog();
    expect(textOf(dialog)).not.toContain('always');
    dialog.press('p');
    expect(dialog.outcome).toBeUndefined();
    expect(textOf(dialog)).toContain('Nobody here would remember');
  });

  it('sends a message with a no, and none when it is blank', () => {
    for (const [message, outcome] of [['  use the other file ', { kind: 'rejected', feedback: 'use the other file' }], ['  ', { kind: 'rejected' }]] as const) {
      const dialog = aDialog();
      dialog.press('m');
      expect(dialog.takesText).toBe(true);
      dialog.message = message;
      dialog.press('enter');
      expect(dialog.outcome).toEqual(outcome);
    }
  });

  it('decides nothing by several keys at once, and says so', () => {
    const dialog = aDialog();
    dialog.refuseBurst();
    expect(dialog.outcome).toBeUndefined();
    expect(textOf(dialog)).toContain('Several keys came at once');
  });
});

describe('what is shown', () => {
  const cards: readonly (readonly [string, ToolCallView, readonly string[]])[] = [
    ['a diff', { card: 'diff', title: 'Edit a.ts', diffs: [{ path: 'a.ts', oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' }] }, ['file a.ts', '- two', '+ 2', '  three']],
    ['a diff that is longer than wide', { card: 'diff', title: 'x', diffs: [{ path: 'a', oldText: 'a', newText: 'b'.repeat(200) }] }, ['- a', `+ ${'b'.repeat(78)}`, '+┆bbb']],
    ['a new file', { card: 'diff', title: 'Create a.ts', diffs: [{ path: 'a.ts', oldText: null, newText: 'one\n' }] }, ['new file a.ts', '+ one']],
    ['a change of nothing', { card: 'diff', title: 'x', diffs: [{ path: 'a', oldText: 'a', newText: 'a' }] }, ['no change']],
    ['a missing end of line', { card: 'diff', title: 'x', diffs: [{ path: 'a', oldText: 'a\n', newText: 'a' }] }, ['No newline']],
    ['a command', { card: 'terminal', title: 'make\nmake test', cwd: '/src', description: 'builds' }, ['$ make', '│ make test', 'in: /src', 'about: builds']],
    ['places', { card: 'locations', title: 'Look', locations: [{ path: 'a.ts', line: 3 }, { path: 'b.ts' }] }, ['at: a.ts:3', 'at: b.ts']],
    [
      'a generic card',
      { card: 'generic', title: 'Send', content: [{ type: 'text', text: 'hello\nyou' }, { type: 'image', data: 'AA==', mimeType: 'image/png' }], rawInput: { other: true } },
      ['Send', '│ hello', '│ you', 'attached: image', 'other'],
    ],
    ['a card of a kind it does not know', { card: 'map', title: 'Somewhere' } as never, ['Somewhere']],
  ];

  it.each(cards)('draws %s, and the arguments besides', (_what, view, pieces) => {
    const rows = drawn(aDialog({ view, arguments: { key: 'value' } }), 80, 40);
    for (const piece of [...pieces, 'arguments', 'key: "value"']) expect(rows.some((row) => row.includes(piece)), piece).toBe(true);
  });

  it.each([
    ['a diff without diffs', { card: 'diff', title: 'x' }],
    ['a diff of no text', { card: 'diff', title: 'x', diffs: [{ path: 5, oldText: {}, newText: 7 }] }],
    ['a title that is none', { card: 'generic', title: null }],
    ['content that is none', { card: 'generic', title: 'x', content: 5 }],
  ])('shows the arguments although the card is broken: %s', (_what, view) => {
    const dialog = aDialog({ view: view as never, arguments: { key: 'value' } });
    expect(textOf(dialog)).toContain('key: "value"');
    dialog.cancel();
    expect(dialog.echo(80).text).toContain('cancelled');
  });

  it('shows scope, reason and how many wait', () => {
    const text = textOf(aDialog({ scope: 'planner/helper', reason: 'it deletes things' }, { waiting: 2 }));
    for (const piece of ['scope: planner/helper', 'why: it deletes things', '(2 more waiting)']) expect(text).toContain(piece);
  });

  it('tells strings from other values', () => {
    const text = textOf(aDialog({ arguments: { a: '5', b: 5, c: null, d: [], e: '', f: 'say "no"' } }));
    for (const piece of ['a: "5"', 'b: 5', 'c: null', 'd: []', 'e: ""', 'f:\n│ say "no"']) expect(text).toContain(piece);
  });

  it('shows a call without arguments as one', () => {
    expect(textOf(aDialog())).toContain('no arguments');
  });

  it('follows arguments that are nested deeper than JSON.stringify does', () => {
    let deep: JsonValue = 'bottom';
    for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
    expect(readThrough(aDialog({ arguments: { deep } }))).toContain('bottom');
  });

  it('gives up on the shortest diff of two long texts that share nothing, and shows both', () => {
    const text = (seed: number): string => Array.from({ length: 20_000 }, (_, line) => `${(line * seed) % 10_007}`).join('\n');
    const began = performance.now();
    const dialog = aDialog({ view: { card: 'diff', title: 'x', diffs: [{ path: 'a', oldText: text(7), newText: text(11) }] } });
    expect(textOf(dialog)).toContain('- 0');
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('what does not fit', () => {
  it('is cut openly, part by part, with the keys in sight; all of it can be paged through [H071]', () => {
    const dialog = aDialog({ toolName: 'send', arguments: { to: 'user@example.com', body: `${'L'.repeat(30_000)}TAIL-52`, bcc: 'second@example.com' } });
    const text = textOf(dialog);
    for (const piece of ['user@example.com', 'second@example.com', 'v shows the rest', 'y once', 'v view all']) expect(text).toContain(piece);
    const shown = /L+/g;
    const count = (text.match(shown) ?? []).join('').length;
    expect(text).toContain(`… ${(30_007 - count).toLocaleString('en')} more characters`);
    const all = readThrough(dialog);
    for (const piece of ['user@example.com', 'second@example.com', 'TAIL-52']) expect(all.includes(piece), piece).toBe(true);
    expect((all.match(shown) ?? []).join('')).toHaveLength(30_000 + 1);
  });

  it('says how many lines and characters are left out [H109]', () => {
    const dialog = aDialog({ toolName: 'bash', arguments: { command: `${'echo line\n'.repeat(500)}rm -rf TAIL-56\n` } });
    const rows = drawn(dialog);
    const shown = rows.filter((row) => row === '│ echo line').length;
    expect(rows.some((row) => row === `… ${502 - shown} more lines, ${((500 - shown) * 10 + 15).toLocaleString('en')} characters`), rows.join('\n')).toBe(true);
    expect(readThrough(dialog)).toContain('rm -rf TAIL-56');
  });

  it('counts what is left out to the character, whatever stands before a row', () => {
    const word = fc.integer({ min: 500, max: 5_000 }).map((length) => 'Z'.repeat(length));
    fc.assert(
      fc.property(word, word, fc.integer({ min: 30, max: 100 }), (reason, value, columns) => {
        const args = { key: value };
        const rows = drawn(aDialog({ reason, arguments: args }), columns, 18);
        const shown = (rows.join('').match(/Z/g) ?? []).length;
        const left = rows.flatMap((row) => /^… ([\d,]+) more character/.exec(row)?.[1] ?? []).map((count) => Number(count.replaceAll(',', '')));
        expect(shown + left.reduce((sum, count) => sum + count, 0)).toBe(reason.length + value.length);
      }),
    );
  });

  it('draws a megabyte within a second, on one line or on many [H109]', () => {
    for (const content of ['x'.repeat(1_048_576), `${'x'.repeat(30)}\n`.repeat(35_000), 'é'.repeat(524_288)]) {
      const began = performance.now();
      const dialog = aDialog({ arguments: { path: 'a', content } });
      expect(textOf(dialog)).toContain('v shows the rest');
      dialog.press('v');
      dialog.frame(80, 23);
      dialog.press('G');
      dialog.frame(80, 23);
      expect(performance.now() - began).toBeLessThan(1_000);
    }
  });

  it('has more parts than rows, and says so', () => {
    const args = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, index]));
    const dialog = aDialog({ arguments: args });
    expect(textOf(dialog)).toMatch(/… and \d+ more parts/);
    expect(readThrough(dialog)).toContain('key99: 99');
  });

  it('pages through a rule that is longer than the screen before it can be agreed to in sight of its end', () => {
    const text = `allow ${'x'.repeat(5_000)}THE-END`;
    const dialog = aDialog({}, { always: (remember) => ({ rule: { tool: 'edit', decision: 'allow', remember }, text }) });
    dialog.press('p');
    expect(textOf(dialog)).toMatch(/1-\d+ of \d+/);
    dialog.frame(80, 23);
    dialog.press('G');
    expect(textOf(dialog).replaceAll('\n┆ ', '')).toContain('THE-END');
    expect(textOf(dialog)).toContain('y agree and allow');
  });
});

describe('on any screen', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', '漢', '😀', '\x1b', '\u202e', '\u0301', '\\', 'é'), maxLength: 600 }));
  const view: fc.Arbitrary<ToolCallView> = fc.oneof(
    fc.record({ card: fc.constant('terminal' as const), title: text, cwd: text, description: text }),
    fc.record({ card: fc.constant('diff' as const), title: text, diffs: fc.array(fc.record({ path: text, oldText: fc.option(text), newText: text }), { maxLength: 3 }) }),
    fc.record({ card: fc.constant('locations' as const), title: text, locations: fc.array(fc.record({ path: text, line: fc.nat() }), { maxLength: 3 }) }),
    fc.record({ card: fc.constant('generic' as const), title: text, rawInput: fc.jsonValue() as fc.Arbitrary<JsonValue> }),
  );
  const request = fc.record({ toolName: text, scope: text, reason: text, view, arguments: fc.oneof(fc.jsonValue() as fc.Arbitrary<JsonValue>, fc.dictionary(text, text, { maxKeys: 8 })) });

  it('fits, keeps the keys in sight and shows nothing unseen, whatever a model or a server sends [H099]', () => {
    const presses = fc.array(fc.constantFrom('v', ' ', 'G', 'p', 'm', 'x'), { maxLength: 3 });
    fc.assert(
      fc.property(request, fc.integer({ min: 20, max: 200 }), fc.integer({ min: 16, max: 60 }), presses, text, (asked, columns, rows, keys, message) => {
        const dialog = aDialog(asked, { always: (remember) => ({ rule: { tool: 'x', decision: 'allow', remember }, text: asked.reason }) });
        for (const key of keys) {
          dialog.frame(columns, rows);
          dialog.press(key);
        }
        dialog.message = message;
        dialog.caret = Math.floor(message.length / 2);
        const shown = dialog.frame(columns, rows);
        expect(shown.length).toBeLessThanOrEqual(rows);
        dialog.cancel();
        const all = [...shown, dialog.echo(columns)];
        for (const row of all) {
          expect(row.text).not.toMatch(HARMFUL);
          expect(columnsOf(row.text)).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('shows every character of every argument to who pages through', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', '/', ' '), maxLength: 400 });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('one', 'two', 'three'), word), fc.integer({ min: 20, max: 120 }), (args, columns) => {
        const all = readThrough(aDialog({ arguments: args }), columns);
        for (const value of Object.values(args)) expect(all).toContain(value);
      }),
    );
  });
});

describe('the line that remains', () => {
  it.each([
    ['y', 'edit: allowed once'],
    ['n', 'edit: no'],
  ])('says after %s: %s', (key, line) => {
    const dialog = aDialog();
    dialog.press(key);
    expect(dialog.echo(80).text).toBe(line);
  });

  it('tells what was cancelled from what was withdrawn', () => {
    const [cancelled, withdrawn] = [aDialog(), aDialog()];
    cancelled.cancel();
    withdrawn.withdraw();
    expect([cancelled.echo(80).text, withdrawn.echo(80).text]).toEqual(['edit: cancelled', 'edit: withdrawn']);
    expect(withdrawn.outcome).toEqual({ kind: 'cancelled' });
  });

  it('names what the card is about, in one row of 40 columns', () => {
    const dialog = aDialog({ view: { card: 'generic', title: `Edit ${'long/'.repeat(20)}` } });
    dialog.press('y');
    expect(columnsOf(dialog.echo(40).text)).toBeLessThanOrEqual(40);
    expect(dialog.echo(40).text).toMatch(/^edit \(Edit long.*…: allowed once$/);
  });
});
