import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { renderSession } from '../src/index.ts';
import { aLog, presenting } from './a-log.ts';

const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/u;

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom('\x1b', '[', '2', 'J', '\n', '\r', '\t', '\u202e', '\u200b', '\u{e0041}', '漢', '👩‍👩‍👧', '\u0301', '\ud800', ' ', '\\', '\x07', '\x9b'), maxLength: 120 }),
);
const anyContent = anyText.map((words) => [{ type: 'text', text: words }]);
const anyView = fc.oneof(
  fc.record({ card: fc.constant('generic'), title: anyText, rawInput: anyText, content: anyContent, locations: fc.array(fc.record({ path: anyText }), { maxLength: 2 }) }),
  fc.record({ card: fc.constant('terminal'), title: anyText, description: anyText, cwd: anyText, output: anyText, signal: anyText }),
  fc.record({ card: fc.constant('diff'), title: anyText, diffs: fc.array(fc.record({ path: anyText, oldText: fc.option(anyText), newText: anyText }), { maxLength: 2 }) }),
  fc.record({ card: fc.constant('locations'), title: anyText, locations: fc.array(fc.record({ path: anyText }), { maxLength: 2 }) }),
  fc.record({ card: fc.constant('search'), title: anyText, shape: fc.constant('matches'), files: fc.array(fc.record({ path: anyText, matches: fc.array(fc.record({ lineNumber: fc.nat(), line: anyText }), { maxLength: 2 }) }), { maxLength: 2 }), total: fc.nat() }),
  fc.record({ card: fc.constant('read'), title: anyText, path: anyText, offset: fc.nat(), lines: fc.array(fc.record({ number: fc.nat(), text: anyText }), { maxLength: 2 }), totalLines: fc.nat() }),
  fc.record({ card: anyText, title: anyText }),
);

/** A session in which everything that somebody else can say is this. */
const anySession = fc
  .record({ words: anyText, content: anyContent, pending: anyView, completed: anyView, isError: fc.boolean() })
  .map(({ words, content, pending, completed, isError }) => ({
    tools: presenting(pending, completed),
    events: aLog(
      ['turn/start', { turn: 2 }],
      ['user/message', { content }],
      ['assistant/message', { content: [{ type: 'reasoning', text: words }, { type: 'text', text: words }], interrupted: true }],
      ['tool/call', { callId: 'a', name: words, argumentsText: JSON.stringify({ words }) }],
      ['tools/nested-call', { id: 'n', callId: 'b', parentCallId: 'a', name: words, arguments: { words } }],
      ['approval/asked', { id: 'n', callId: 'b', toolName: words, reason: words }],
      ['approval/decided', { id: 'n', callId: 'b', outcome: { kind: 'rejected', feedback: words } }],
      ['tools/nested-result', { id: 'n', callId: 'b', name: words, content, isError, error: { code: words } }],
      ['tool/result', { callId: 'a', callSeq: 4, name: words, content, isError, error: { code: words } }],
      ['context/injected', { source: words, content }],
      ['tool/call', { callId: 'c', name: words, argumentsText: words }],
      ['turn/end', { turn: 2, reason: words, message: words }],
    ),
  }));

it('no row is wider than the width, whatever the text', () => {
  fc.assert(
    fc.property(anySession, fc.integer({ min: 20, max: 130 }), ({ events, tools }, width) => {
      for (const row of renderSession(events, { width, tools }).split('\n')) expect(stringWidth(row)).toBeLessThanOrEqual(width);
    }),
    { numRuns: 300 },
  );
});

it('nothing that a terminal obeys, hides or reorders gets through', () => {
  fc.assert(
    fc.property(anySession, ({ events, tools }) => {
      for (const row of renderSession(events, { width: 40, tools }).split('\n')) expect(row).not.toMatch(UNSEEN);
    }),
    { numRuns: 300 },
  );
});

it('with colours there is one painting around a row, and none within', () => {
  const PAINTING = new RegExp(String.raw`^(\x1b\[\d+m)?[^\x1b]*(\x1b\[0m)?$`);
  fc.assert(
    fc.property(anySession, ({ events, tools }) => {
      const plain = renderSession(events, { tools }).split('\n');
      const rows = renderSession(events, { tools, colors: true }).split('\n');
      for (const row of rows) expect(row).toMatch(PAINTING);
      expect(rows.map((row) => row.replaceAll(new RegExp(String.raw`\x1b\[\d+m`, 'g'), ''))).toEqual(plain);
    }),
  );
});

it('no text draws a row that starts like one of somebody else', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('✓ ', '✗ ', '? ', '= ', '! ', '│ ', '> ', '■ '), (words, mark) => {
      const said = `${words}\n${mark}forged`;
      const reply = renderSession(aLog(['assistant/message', { content: [{ type: 'text', text: said }] }]), { width: 30 });
      for (const row of reply.split('\n')) expect(row).toMatch(/^( {2}|$)/);
      const result = aLog(['tool/result', { name: 'a', content: [{ type: 'text', text: said }], isError: false }]);
      for (const row of renderSession(result, { width: 30 }).split('\n').slice(1)) expect(row).toMatch(/^│( {3}|$)/);
    }),
  );
});

it('whatever a log holds, it is drawn', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ seq: fc.nat(), type: fc.constantFrom('turn/start', 'turn/end', 'user/message', 'assistant/message', 'context/injected', 'tool/call', 'tool/result', 'tools/nested-call', 'tools/nested-result', 'approval/asked', 'approval/decided', 'todo/write'), data: fc.anything() })), (events) => {
      for (const row of renderSession(events, { width: 40 }).split('\n')) expect(row).not.toMatch(UNSEEN);
    }),
  );
});
