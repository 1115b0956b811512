import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, editedBytes, encodeText, formatToKeep, FsError, lineEndingsOf, replaceSpans, withLineEndings, type FsTextFormat } from '../src/index.ts';

const bytesOf = (...parts: (string | readonly number[])[]): Uint8Array => new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
const formats: readonly FsTextFormat[] = [
  { encoding: 'utf-8', hasBom: false }, { encoding: 'utf-8', hasBom: true }, { encoding: 'utf-16le', hasBom: true }, { encoding: 'utf-16be', hasBom: true },
];
const anyText = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\r\n', '\n', '\r', '\ufeff', '😀', 'é', '\u2028'))).map((parts) => parts.join('').replaceAll('\0', ''));
const code = (work: () => unknown): unknown => {
  try {
    work();
    return 'nothing thrown';
  } catch (error) {
    return (error as FsError).code;
  }
};

describe('text', () => {
  it('comes back from its bytes as it was, in every encoding [property]', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...formats), (text, format) => {
        const sent = text.startsWith('\ufeff') ? `\ufeff${text}` : text;
        const { bytes, format: used } = encodeText(sent, format, 'f');
        expect(decodeText(bytes, 'f')).toEqual({ text: sent.startsWith('\ufeff') ? sent.slice(1) : sent, ...used });
      }),
    );
  });

  it('gives back every byte of what it decodes [property]', () => {
    const pieces = fc.array(fc.oneof(fc.uint8Array({ maxLength: 6 }), fc.string().map((s) => bytesOf(s)), fc.constantFrom(bytesOf([0xef, 0xbb, 0xbf]), bytesOf([0xff, 0xfe]), bytesOf([0xfe, 0xff]))));
    fc.assert(
      fc.property(pieces, (parts) => {
        const bytes = new Uint8Array(Buffer.concat(parts));
        let decoded;
        try {
          decoded = decodeText(bytes, 'f');
        } catch (error) {
          expect(error).toBeInstanceOf(FsError);
          return;
        }
        const { text, ...format } = decoded;
        const again = encodeText(format.hasBom ? `\ufeff${text}` : text, format, 'f');
        expect(Buffer.from(again.bytes).equals(Buffer.from(bytes))).toBe(true);
        expect(again.format).toEqual(format);
      }),
      { numRuns: 500 },
    );
  });

  it('is told from what is none, with words for what that is [S9.10, S9.11, H011, H045]', () => {
    const said = (...parts: (string | readonly number[])[]): string => {
      try {
        return decodeText(bytesOf(...parts), 'f').text;
      } catch (error) {
        return `${(error as FsError).code} ${(error as FsError).message}`;
      }
    };
    expect(said('abc', [0])).toBe('FS_BINARY cannot read "f": it is a binary file of 4 bytes');
    expect(said('a'.repeat(10_000), [0])).toContain('FS_BINARY');
    expect(said([0x6b, 0, 0x65, 0, 0x79, 0])).toContain('looks like UTF-16 without a byte order mark');
    expect(said([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])).toContain('UTF-32');
    expect(said([0x63, 0x61, 0x66, 0xe9])).toContain('is not valid UTF-8');
    expect(said([0xff, 0xfe, 0x61])).toContain('is not valid UTF-16LE');
    expect(said([0xfe, 0xff, 0, 0])).toContain('FS_BINARY');
  });

  it('that cannot be encoded is refused', () => {
    expect([code(() => encodeText('\0', formats[0] as FsTextFormat, 'f')), code(() => encodeText('\ud800x', formats[2] as FsTextFormat, 'f'))]).toEqual(['FS_BAD_TEXT', 'FS_BAD_TEXT']);
  });

  it('in UTF-16 always gets its mark, or it would not be recognised again', () => {
    expect([...encodeText('a', { encoding: 'utf-16le', hasBom: false }, 'f').bytes]).toEqual([0xff, 0xfe, 0x61, 0]);
  });

  it('keeps the format of the file it replaces only if that is text', () => {
    expect(formatToKeep(bytesOf([0xff, 0xfe, 0x61, 0]))).toEqual({ encoding: 'utf-16le', hasBom: true });
    expect(formatToKeep(bytesOf([0xff, 0xfe, 0x61]))).toEqual({ encoding: 'utf-8', hasBom: false });
    expect(formatToKeep(bytesOf([0xef, 0xbb, 0xbf, 0x61]))).toEqual({ encoding: 'utf-8', hasBom: true });
  });
});

describe('line endings', () => {
  it.each([
    ['', 'none'], ['abc', 'none'], ['\n', 'lf'], ['\r\n', 'crlf'], ['\r', 'cr'], ['a\nb\r\n', 'mixed'], ['a\rb\n', 'mixed'], ['\r\r\n', 'mixed'], ['\n\r', 'mixed'], ['a\r\nb\r\n', 'crlf'], ['a\r\r', 'cr'],
  ])('of %j are %s', (text, expected) => {
    expect(lineEndingsOf(text)).toBe(expected);
    const lazy = withLineEndings({ text });
    expect([lazy.lineEndings, Object.isFrozen(lazy)]).toEqual([expected, true]);
    expect(JSON.parse(JSON.stringify(lazy))).toEqual({ text, lineEndings: expected });
  });
});

describe('edits', () => {
  /** Spans that fit a text, by cutting it at places between characters. */
  const edit = fc.tuple(anyText, fc.array(fc.tuple(fc.nat(), anyText), { minLength: 1, maxLength: 6 }), fc.constantFrom(...formats)).map(([text, cuts, format]) => {
    const characters = Array.from(text);
    const places = cuts.flatMap(([n]) => [n % (characters.length + 1), (n * 7) % (characters.length + 1)]).sort((a, b) => a - b);
    const unit = (place: number): number => characters.slice(0, place).join('').length;
    const spans = cuts.map(([, replacement], i) => ({ start: unit(places[2 * i] as number), end: unit(places[2 * i + 1] as number), text: replacement }));
    return { text, spans, format };
  });

  it('leave every byte outside the spans, in every encoding [property]', () => {
    fc.assert(
      fc.property(edit, ({ text, spans, format }) => {
        const unmarked = text.replace(/^\ufeff+/, '');
        if (unmarked !== text) return;
        const { bytes } = encodeText(text, format, 'f');
        const mark = format.hasBom ? encodeText('', format, 'f').bytes : new Uint8Array();
        // Each piece on its own: its bytes do not depend on what is around it.
        const plain = (piece: string): Buffer =>
          format.encoding === 'utf-8' ? Buffer.from(piece, 'utf8') : format.encoding === 'utf-16le' ? Buffer.from(piece, 'utf16le') : Buffer.from(piece, 'utf16le').swap16();
        const expected: Buffer[] = [Buffer.from(mark)];
        let done = 0;
        for (const span of spans) {
          expected.push(plain(text.slice(done, span.start)), plain(span.text));
          done = span.end;
        }
        expected.push(plain(text.slice(done)));
        const whole = Buffer.concat(expected);
        if (format.encoding === 'utf-8' && !format.hasBom && whole.subarray(0, 3).equals(Buffer.from('\ufeff'))) {
          expect(code(() => editedBytes(bytes, spans, 'f'))).toBe('FS_BAD_EDIT');
        } else {
          expect(Buffer.from(editedBytes(bytes, spans, 'f').bytes).equals(whole)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are literal: nothing in a replacement means anything [H001]', () => {
    expect(replaceSpans('PRICE=old', [{ start: 6, end: 9, text: "$$ $& $1 $` $' $<n>" }], 'f')).toBe("PRICE=$$ $& $1 $` $' $<n>");
  });

  it('never make a byte order mark, which would change what the file is', () => {
    expect(code(() => editedBytes(bytesOf('abc'), [{ start: 0, end: 1, text: '\ufeff' }], 'f'))).toBe('FS_BAD_EDIT');
    expect([...editedBytes(bytesOf([0xef, 0xbb, 0xbf], 'a'), [{ start: 0, end: 0, text: '\ufeff' }], 'f').bytes]).toEqual([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61]);
  });
});
