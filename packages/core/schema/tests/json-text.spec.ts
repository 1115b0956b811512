import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonText, type JsonValue, type SchemaIssue, type SnapshotLimits } from '../src/index.ts';

/** The value of text that must be accepted. */
function accepted(text: string, limits?: SnapshotLimits): JsonValue {
  const snapshot = parseJsonText(text, limits);
  if (!snapshot.ok) throw new Error(`refused: ${snapshot.issue.message}`);
  return snapshot.value;
}

/** The issue of text that must be refused. */
function refused(text: string, limits?: SnapshotLimits): SchemaIssue {
  const snapshot = parseJsonText(text, limits);
  if (snapshot.ok) throw new Error('accepted');
  return snapshot.issue;
}

function isDeepFrozen(root: unknown): boolean {
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Object.isFrozen(value)) return false;
    pending.push(...(Object.values(value) as unknown[]));
  }
  return true;
}

/** How many milliseconds of processor time some work takes; unlike wall time, other processes do not count. */
function cpuTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Writes a string with every UTF-16 unit escaped. */
function escaped(text: string): string {
  return `"${text.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
}

/** A value of any JSON kind, without -0, that has gone through text once. */
const jsonValue = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const jsonObject = fc.dictionary(fc.string({ unit: 'binary' }), jsonValue);

describe('JSON text that is accepted', () => {
  it('gives what JSON.parse gives, frozen', () => {
    fc.assert(
      fc.property(jsonValue, fc.constantFrom('', ' ', '\t', '\n  '), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(isDeepStrictEqual(accepted(`${space}${text}${space}`), value)).toBe(true);
        expect(isDeepFrozen(accepted(text))).toBe(true);
      }),
    );
  });

  it('is a subset of what JSON.parse accepts, and nothing is ever thrown', () => {
    const pieces = ['{', '}', '[', ']', ',', ':', '"', '"a"', '"b"', '\\', 'true', 'nul', '1', '-', '0', '.5', 'e9', ' ', '\n', '\u0000', 'é', '\ud83d', '/'];
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
        const snapshot = parseJsonText(text);
        let native: unknown;
        try {
          native = JSON.parse(text);
        } catch {
          if (text.trim() !== '') expect(snapshot.ok).toBe(false);
          return;
        }
        // A number or a repeated key may be refused; the rest is the same value but for the sign of zero.
        if (snapshot.ok) expect(isDeepStrictEqual(snapshot.value, JSON.parse(JSON.stringify(native)))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['', ' ', '\n\t \r\n'])('may be blank (%j), which means no arguments', (text) => {
    expect(isDeepStrictEqual(accepted(text), {})).toBe(true);
    expect(isDeepFrozen(accepted(text))).toBe(true);
  });

  it.each<[string, JsonValue]>([['null', null], ['true', true], ['"x"', 'x'], ['12', 12], [' 0.5 ', 0.5], ['[]', []], ['"\\ud83d"', '\ud83d']])(
    'may be %s, at the root',
    (text, value) => {
      expect(accepted(text)).toEqual(value);
    },
  );

  it('keeps a `__proto__` key as data [167]', () => {
    const value = accepted('{"__proto__":{"admin":true},"a":[{"__proto__":-0}]}');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"a":[{"__proto__":0}]}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { admin?: unknown }).admin).toBeUndefined();
  });

  it('may have colons, quotes and backslashes in its strings and keys', () => {
    const value = { 'a:"b"': 'c:"d":\\', '\\': '\\\\"', ':': [':', '"', { '\\"': '::' }] };
    expect(isDeepStrictEqual(accepted(JSON.stringify(value)), value)).toBe(true);
  });
});

describe('numbers in JSON text', () => {
  it.each(['-0', '-0.0', '-0e5', '-1e-999'])('%s becomes 0, anywhere [W17]', (literal) => {
    expect(Object.is(accepted(literal), 0)).toBe(true);
    const value = accepted(`{"a":[${literal},{"b":${literal}}]}`) as { a: [number, { b: number }] };
    expect(Object.is(value.a[0], 0)).toBe(true);
    expect(Object.is(value.a[1].b, 0)).toBe(true);
  });

  it.each(['9007199254740991', '-9007199254740991', '9007199254740992', '9007199254740994', '1e21', '1.5E+300', '100000000000000000000', '0.1',
    '9007199254740992.0', '90071992547409920e-1', '1.7976931348623157e308', '5e-324'])('%s is what it says, so it is accepted', (literal) => {
    expect(accepted(literal)).toBe(Number(literal));
    expect(accepted(`{"a":[${literal}]}`)).toEqual({ a: [Number(literal)] });
  });

  it.each(['9007199254740993', '-9007199254740993', '12345678901234567890', '9007199254740992.5', '90071992547409930e-1', '1234567890123456789e3'])(
    '%s would change, so it is refused with its path and the way out [W17]',
    (literal) => {
      expect(refused(literal).path).toBe('');
      const issue = refused(`{"ok":1,"rows":[{"id":"${literal}"},{"the id":${literal}}]}`);
      expect(issue.path).toBe('rows[1]["the id"]');
      expect(issue.message).toContain(literal);
      expect(issue.message).toContain('send it as a string');
    },
  );

  it.each(['1e999', '-1e999', '1e309', `1${'0'.repeat(400)}`])('%s is beyond a double, so it is refused with its path [W17]', (literal) => {
    expect(refused(literal).path).toBe('');
    const issue = refused(`{"a":{"b":[0,${literal}]}}`);
    expect(issue).toMatchObject({ path: 'a.b[1]', expected: 'a number within the range of a double' });
    expect(issue.message.length).toBeLessThan(150);
  });

  it('digits in quotes are text, however many', () => {
    expect(accepted('{"id":"9007199254740993","big":"1e999"}')).toEqual({ id: '9007199254740993', big: '1e999' });
  });

  it('an integer is accepted exactly when it is written again digit by digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 69n), max: 2n ** 69n }), fc.nat(20), (integer, zeros) => {
        const rounded = integer / 10n ** BigInt(zeros) * 10n ** BigInt(zeros);
        for (const written of [integer, rounded]) {
          expect(parseJsonText(`{"a":[${written}]}`).ok).toBe(String(Number(written)) === String(written));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a numeral with a hundred thousand zeros inside takes no quadratic time', () => {
    const zeros = '0'.repeat(100_000);
    const time = cpuTime(() => {
      expect(refused(`{"a":9007199254740992.${zeros}1}`).path).toBe('a');
      expect(refused(`{"a":9${zeros}1e-99980}`).path).toBe('a');
      expect(accepted(`{"a":9007199254740992.${zeros}}`)).toEqual({ a: 2 ** 53 });
    });
    expect(time).toBeLessThan(1000);
  });
});

describe('repeated keys', () => {
  it.each([
    ['{"a":1,"a":1}', 'a'], ['{"a":{"b":1,"c":2,"b":3}}', 'a.b'], ['[0,{"x":[{"k":1},{"k":1,"k":2}]}]', '[1].x[1].k'], ['{"":1,"":2}', '[""]'],
    ['{"a":1,"\\u0061":2}', 'a'], ['{"x":{"a/b":1,"a\\/b":2}}', 'x["a/b"]'], ['{"\\n":1,"\\u000a":2}', '["\\n"]'], ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"é":1,"\\u00e9":2}', 'é'], ['{"a":{"a":{"a":1}},"a":1}', 'a'], ['{ "a" : 1 ,\n"b":2, "a" : 3 }', 'a'], ['{"1":0,"1":0}', '["1"]'],
  ])('%s is refused with its path', (text, path) => {
    expect(refused(text)).toMatchObject({ path, received: 'a repeated key' });
  });

  it('are found at any place and depth, in either spelling', () => {
    const steps = fc.array(fc.oneof(fc.nat(3), fc.constantFrom('a', 'b:', '"')), { maxLength: 6 });
    fc.assert(
      fc.property(jsonObject, fc.string({ unit: 'binary' }), steps, fc.boolean(), (members, key, way, isEscaped) => {
        const around = Object.entries({ ...members, [key]: null }).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
        const again = `${isEscaped ? escaped(key) : JSON.stringify(key)}:1`;
        const wrap = (inner: string): string => way.reduceRight<string>(
          (text, step) => (typeof step === 'number' ? `[${'0,'.repeat(step)}${text}]` : `{${JSON.stringify(step)}:${text}}`),
          inner,
        );
        expect(parseJsonText(wrap(`{${around.join(',')}}`)).ok).toBe(true);
        expect(refused(wrap(`{${[...around, again].join(',')}}`)).received).toBe('a repeated key');
      }),
    );
  });

  it('in different objects are no repetition', () => {
    expect(accepted('{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":3}}')).toEqual({ a: { a: [{ a: 1 }, { a: 2 }] }, b: { a: 3 } });
  });
});

describe('text that is no JSON', () => {
  it('is called incomplete when it is cut off, wherever that is, and is never completed', () => {
    fc.assert(
      fc.property(jsonObject, fc.nat(), fc.boolean(), (value, seed, isEscaped) => {
        const plain = JSON.stringify(value, null, isEscaped ? 1 : 0);
        const text = isEscaped ? plain.replace(/"(\w*)"/g, (_match, word: string) => escaped(word)) : plain;
        const prefix = text.slice(0, seed % text.length);
        if (prefix === '') expect(accepted(prefix)).toEqual({});
        else expect(refused(prefix).message).toContain('incomplete');
      }),
      { numRuns: 500 },
    );
  });

  it('is called incomplete at every cut of a text with all there is to JSON', () => {
    const text = ' { "a\\u00e9\\n" : [ -1.5e+3 , true, false, null, "x\\\\\\"" , { } , [ ] ] , "b":12345678901234567000, "c" : { "d" : 1e5 } } ';
    expect(parseJsonText(text).ok).toBe(true);
    for (let length = 0; length < text.trimEnd().length; length++) {
      const snapshot = parseJsonText(text.slice(0, length));
      if (text.slice(0, length).trim() === '') expect(snapshot).toEqual({ ok: true, value: {} });
      else expect(snapshot.ok ? 'accepted' : snapshot.issue.message).toContain(`incomplete JSON: the text is cut off at position ${length}`);
    }
  });

  it('says how far it got when it is cut off, so that a model knows what to send again', () => {
    expect(refused('{"path":"a.txt","content":"once upon').message).toContain('content');
    expect(refused('{"rows":[{"id":1},{"id":').message).toContain('rows[1].id');
  });

  it.each([
    ['{a:1}', 1], ["{'a':1}", 1], ['{"a":1,}', 7], ['[1,]', 3], ['{"a" 1}', 5], ['{"a":01}', 5], ['{"a":+1}', 5], ['{"a":.5}', 5], ['{"a":1.}', 5],
    ['{"a":NaN}', 5], ['{"a":undefined}', 5], ['{"a":"\n"}', 6], ['{"a":"\\x"}', 6], ['{"a":"\\u12g4"}', 6], ['{} {}', 3], ['{}x', 2], ['hello', 0],
    ['[1}', 2], ['{"a":1]', 6], ['{"a":tru}', 5], ['/* c */ {}', 0], ['{"a":1 // c\n}', 7], ['\u00a0{}', 0], ['```json\n{}\n```', 0], ['{,}', 1], ['\ufeff{}', 0],
    ['{"a":1,,"b":2}', 7], ['[1 2]', 3], ['"a" "b"', 4], ['😀', 0],
  ])('%j is refused with the position of the offender', (text, position) => {
    expect(refused(text).message).toMatch(new RegExp(`not valid JSON: unexpected .* at position ${position}$`, 's'));
  });

  it('makes a short message, also when the text is long', () => {
    for (const text of [`{"a":"${'x'.repeat(1e6)}`, `{"${'k'.repeat(1e5)}":@}`, '@'.repeat(1e6), `{"${'k'.repeat(1e5)}":[`]) {
      expect(refused(text).message.length).toBeLessThan(300);
    }
  });
});

describe('limits of JSON text', () => {
  it.each([['[', ']'], ['{"a":', '}']])('a hundred thousand levels of %s are an issue, complete or cut off or wrong at the end', (open, close) => {
    const inner = open === '[' ? '' : '1';
    const deep = open.repeat(100_000);
    expect(refused(deep + inner + close.repeat(100_000)).expected).toBe('nested at most 512 levels deep');
    expect(refused(deep).message).toContain('incomplete');
    expect(refused(`${deep}@`).message).toContain(`at position ${deep.length}`);
    expect(refused(deep).message.length).toBeLessThan(300);
  }, 60_000);

  it('allow exactly maxDepth levels and maxNodes values [W16]', () => {
    const limits = { maxDepth: 3, maxNodes: 6 };
    expect(accepted('{"a":[1,{"b":2}]}', limits)).toEqual({ a: [1, { b: 2 }] });
    expect(refused('{"a":[1,{"b":[]}]}', limits)).toMatchObject({ path: 'a[1].b', expected: 'nested at most 3 levels deep' });
    expect(accepted('[1,2,3,4,5]', limits)).toEqual([1, 2, 3, 4, 5]);
    expect(refused('[1,2,3,4,5,6]', limits).expected).toBe('at most 6 values');
  });

  it('are what is complained about, not a -0 that would have been accepted', () => {
    const deep = '['.repeat(600) + ']'.repeat(600);
    for (const text of [`[[-0],${deep}]`, `{"a":{"b":-0},"c":${deep},"d":[-0]}`]) {
      expect(refused(text).expected).toBe('nested at most 512 levels deep');
    }
    expect(refused('[[-0],[1,2,3]]', { maxDepth: 9, maxNodes: 4 }).expected).toBe('at most 4 values');
  });

  it('do not hide a number or a key that is wrong as well', () => {
    expect(refused('[[1e999],[[[]]]]', { maxDepth: 3, maxNodes: 99 })).toMatchObject({ path: '[0][0]', received: 'number 1e999' });
  });

  it('make no quadratic time of quotes, backslashes and braces', () => {
    const texts = ['\\"'.repeat(200_000), '\\\\'.repeat(200_000), ':'.repeat(200_000)].map((body) => `{"a":"${body}"}`);
    const time = cpuTime(() => {
      for (const text of texts) {
        expect(parseJsonText(text).ok).toBe(true);
        expect(parseJsonText(text.slice(0, -2)).ok).toBe(false);
        expect(parseJsonText(`${text.slice(0, -1)},"a":1}`).ok).toBe(false);
      }
    });
    expect(time).toBeLessThan(2000);
  });
});
