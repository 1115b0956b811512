import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema, describeIssues, type JsonValue, type SchemaIssue } from '../src/index.ts';

/** Validates by an own schema for property `a`. */
function issuesAt(schema: unknown, a: JsonValue): readonly SchemaIssue[] {
  return issuesOf({ type: 'object', properties: { a: schema } }, { a });
}

function issuesOf(schema: unknown, value: JsonValue): readonly SchemaIssue[] {
  return compileSchema(schema, { origin: 'own', label: 'tool "sample" parameters' }).validate(value);
}

const messages = (issues: readonly SchemaIssue[]): string[] => issues.map((issue) => issue.message);

describe('a number sent as something else (H059)', () => {
  const schema = { type: 'object', properties: { limit: { type: 'integer' } }, required: ['limit'] };

  it.each<[value: JsonValue, received: string]>([
    ['500', 'string "500"'],
    ['', 'string ""'],
    ['5x', 'string "5x"'],
    ['NaN', 'string "NaN"'],
    ['1e3', 'string "1e3"'],
    [true, 'boolean true'],
    [null, 'null'],
    [1.5, 'number 1.5'],
    [[500], 'an array of 1'],
    [{}, 'an empty object'],
  ])('is not coerced: %j is an issue that names the place, the wish and what came [46]', (limit, received) => {
    const value = Object.freeze({ limit });
    expect(issuesOf(schema, value)).toEqual([
      { path: 'limit', message: `"limit" must be an integer, received ${received}`, expected: 'an integer', received },
    ]);
    expect(value).toEqual({ limit });
  });

  it('is fine when it is one, however it is written [49]', () => {
    for (const limit of [500, 5e2, 0, -1, 2 ** 60]) expect(issuesOf(schema, { limit })).toEqual([]);
  });
});

describe('a valid value', () => {
  it('has the same frozen empty list of issues every time', () => {
    const none = issuesAt({ type: 'string' }, 'x');
    expect(none).toEqual([]);
    expect(Object.isFrozen(none)).toBe(true);
    expect(issuesAt({ type: 'integer' }, 1)).toBe(none);
  });

  it('gets no defaults [23]', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', default: 1 }, b: { type: 'object', default: {}, properties: { c: { default: 2 } } } } };
    const value: { b: object } = { b: {} };
    expect(issuesOf(schema, value as JsonValue)).toEqual([]);
    expect(value).toEqual({ b: {} });
  });
});

describe('a path', () => {
  it('is empty at the root, dotted for names, bracketed for indices and other keys [45]', () => {
    const deep = { type: 'object', properties: { list: { type: 'array', items: { type: 'object', properties: { 'b.c': { type: 'null' } } } } } };
    expect(issuesOf(deep, 5)).toMatchObject([{ path: '', message: 'value must be an object, received number 5' }]);
    expect(issuesAt(deep, { list: [{}, 5] })).toMatchObject([{ path: 'a.list[1]' }]);
    expect(issuesAt(deep, { list: [{ 'b.c': 1 }] })).toMatchObject([{ path: 'a.list[0]["b.c"]', message: 'a.list[0]["b.c"] must be null, received number 1' }]);
    expect(issuesAt({ type: 'object', additionalProperties: { type: 'string' } }, { 'x/y~z': 1 })).toMatchObject([{ path: 'a["x/y~z"]' }]);
  });

  it('tells a numeric key from an index', () => {
    expect(issuesAt({ type: 'object', additionalProperties: { type: 'string' } }, { 0: 1 })).toMatchObject([{ path: 'a["0"]' }]);
    expect(issuesAt({ type: 'array', items: { type: 'string' } }, [1])).toMatchObject([{ path: 'a[0]' }]);
  });
});

describe('a message', () => {
  it.each<[schema: object, value: JsonValue, message: string]>([
    [{ type: 'string' }, 1, '"a" must be a string, received number 1'],
    [{ type: 'number' }, 'x', '"a" must be a number, received string "x"'],
    [{ type: 'boolean' }, 'true', '"a" must be a boolean, received string "true"'],
    [{ type: 'null' }, 0, '"a" must be null, received number 0'],
    [{ type: 'array' }, {}, '"a" must be an array, received an empty object'],
    [{ type: 'object' }, [], '"a" must be an object, received an empty array'],
    [{ type: ['string', 'null'] }, 1, '"a" must be a string or null, received number 1'],
    [{ enum: ['x', 2, null] }, 'y', '"a" must be one of "x", 2, null, received string "y"'],
    [{ const: 'x' }, 'y', '"a" must be "x", received string "y"'],
    [{ type: 'number', minimum: 2 }, 1, '"a" must be at least 2, received number 1'],
    [{ type: 'number', exclusiveMaximum: 2 }, 2, '"a" must be less than 2, received number 2'],
    [{ type: 'number', multipleOf: 5 }, 7, '"a" must be a multiple of 5, received number 7'],
    [{ type: 'string', minLength: 2 }, 'x', '"a" must have at least 2 characters, received string "x"'],
    [{ type: 'array', maxItems: 1 }, [1, 2], '"a" must have at most 1 item, received an array of 2'],
    [{ type: 'string', pattern: '^x' }, 'y', '"a" must match the pattern ^x, received string "y"'],
    [{ type: 'string', format: 'date' }, 'today', '"a" must be in the format date, such as "2026-01-31", received string "today"'],
    [{ not: { const: 1 } }, 1, '"a" must not match {"const":1}, received number 1'],
    [false as unknown as object, 1, '"a" is not allowed here; leave it out'],
  ])('says what would be right and what came: %j [46]', (schema, value, message) => {
    const issues = issuesAt(schema, value);
    expect(issues).toHaveLength(1);
    expect(issues[0]?.message.startsWith(message)).toBe(true);
    expect(issues[0]).toMatchObject({ path: 'a', expected: expect.any(String) as string, received: expect.any(String) as string });
  });

  it('names a missing property by its whole path [46, 48]', () => {
    const schema = { type: 'object', properties: { b: {} }, required: ['b'] };
    expect(issuesAt(schema, {})).toEqual([
      { path: 'a.b', message: 'missing required property "a.b"', expected: 'a value', received: 'nothing' },
    ]);
  });

  it('suggests the property that was probably meant [46]', () => {
    const schema = { type: 'object', properties: { maxDepth: {}, names: {} }, additionalProperties: false };
    expect(messages(issuesOf(schema, { maxDept: 1 }))[0]).toContain('did you mean "maxDepth"?');
    expect(messages(issuesOf(schema, { colour: 1 }))[0]).toContain('known are "maxDepth", "names"');
    expect(messages(issuesOf({ type: 'object', additionalProperties: false }, { colour: 1 }))[0]).toContain('leave it out');
  });

  it('is one of several: each fault has its own', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'integer' } } }, required: ['c'] };
    const found = issuesOf({ ...schema, properties: { ...schema.properties, c: {} } }, { a: 1, b: [1, 'x'] });
    expect(found.map((issue) => issue.path).sort()).toEqual(['a', 'b[1]', 'c']);
  });
});

describe('alternatives', () => {
  const circle = { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind', 'r'] };
  const square = { type: 'object', properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] };

  describe.each(['anyOf', 'oneOf'])('of %s', (keyword) => {
    it('that are of simple kinds are listed together [W28]', () => {
      expect(messages(issuesAt({ [keyword]: [{ type: 'string' }, { type: 'integer' }] }, true))).toEqual(['"a" must be a string or an integer, received boolean true']);
      expect(messages(issuesAt({ [keyword]: [{ const: 'x' }, { const: 'y' }, { type: 'null' }] }, 'z'))).toEqual(['"a" must be null or one of "x", "y", received string "z"']);
    });

    it('that have a tag are told apart by it [W28]', () => {
      expect(issuesAt({ [keyword]: [circle, square] }, { kind: 'square', side: 'x' })).toMatchObject([{ path: 'a.side', expected: 'a number' }]);
      expect(issuesAt({ [keyword]: [circle, square] }, { kind: 'oval' })).toMatchObject([{ path: 'a.kind', expected: 'one of "circle", "square"', received: 'string "oval"' }]);
      expect(issuesAt({ [keyword]: [circle, square] }, 'circle')).toMatchObject([{ path: 'a', expected: 'an object' }]);
    });

    it('of which one is of the right kind report that one [W28]', () => {
      const schema = { [keyword]: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
      expect(issuesAt(schema, ['x', 5])).toMatchObject([{ path: 'a[1]', expected: 'a string', received: 'number 5' }]);
    });

    it('that nothing tells apart are each given a reason [W28]', () => {
      const schema = { [keyword]: [{ type: 'object', required: ['x'] }, { type: 'object', required: ['y'] }] };
      const [issue, ...others] = issuesAt(schema, {});
      expect(others).toEqual([]);
      expect(issue?.message).toMatch(/one of 2 alternatives.*\(1\) .*"a\.x".*\(2\) .*"a\.y"/);
    });

    it('are bounded, however many there are', () => {
      const many = Array.from({ length: 200 }, (_, index) => ({ type: 'object', properties: { [`k${index}`]: { type: 'string' } }, required: [`k${index}`] }));
      const issues = issuesAt({ [keyword]: many }, {});
      expect(issues).toHaveLength(1);
      expect(issues[0]?.message.length).toBeLessThan(1_000);
    });
  });

  it('of oneOf that match more than once say which [51]', () => {
    const [issue] = issuesAt({ oneOf: [{ type: 'number' }, { type: 'string' }, { type: 'integer' }] }, 1);
    expect(issue?.message).toContain('must match exactly one of 3 alternatives, but matches number 1 and 3');
  });
});

describe('a hostile value', () => {
  const huge = 'x'.repeat(1024 * 1024);
  const longest = (issues: readonly SchemaIssue[]): number => Math.max(...issues.flatMap((issue) => Object.values(issue as unknown as Record<string, string>).map((text) => text.length)));

  it.each<[what: string, schema: object]>([
    ['a type', { type: 'integer' }],
    ['an enum', { enum: ['x'] }],
    ['a pattern', { type: 'string', pattern: '^y' }],
    ['a format', { type: 'string', format: 'email' }],
    ['a length', { type: 'string', maxLength: 5 }],
    ['alternatives', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    ['a negation', { not: { type: 'string' } }],
  ])('of a megabyte is not echoed by %s', (_what, schema) => {
    const issues = issuesAt(schema, huge);
    expect(issues).toHaveLength(1);
    expect(longest(issues)).toBeLessThan(300);
    expect(issues[0]?.received).toContain('1048576 characters');
  });

  it('with a megabyte of a key is not echoed either', () => {
    const closed = { type: 'object', additionalProperties: false };
    for (const schema of [closed, { type: 'object', additionalProperties: { type: 'null' } }, { type: 'object', propertyNames: { maxLength: 5 } }]) {
      const issues = issuesAt(schema, { [huge]: 1 });
      expect(issues).toHaveLength(1);
      expect(longest(issues)).toBeLessThan(500);
    }
  });

  it('with thousands of faults has a bounded list of issues', () => {
    const schema = { type: 'array', items: { type: 'string' } };
    for (const length of [100, 1_500, 100_000]) {
      const issues = issuesAt(schema, Array.from({ length }, (_, index) => index));
      expect(issues.length).toBeGreaterThan(0);
      expect(issues.length).toBeLessThanOrEqual(50);
    }
  });

  it('that is very deep is answered without an overflow', () => {
    const schema = { type: 'object', $defs: { n: { type: 'array', items: { $ref: '#/$defs/n' } } }, properties: { a: { $ref: '#/$defs/n' } } };
    const nested = (levels: number, core: JsonValue): JsonValue => {
      let value = core;
      for (let level = 0; level < levels; level++) value = [value];
      return value;
    };
    expect(issuesOf(schema, { a: nested(500, []) })).toEqual([]);
    const [issue] = issuesOf(schema, { a: nested(500, 5) });
    expect(issue?.message.length).toBeLessThan(500);
    expect(issuesOf(schema, { a: nested(100_000, []) })).toMatchObject([{ message: expect.stringContaining('nested too deeply') as string }]);
  });
});

describe('describeIssues', () => {
  const issue = (path: string): SchemaIssue => ({ path, message: `"${path}" must be a string, received null`, expected: 'a string', received: 'null' });

  it('joins messages, and gives the root a name', () => {
    expect(describeIssues([issue('a'), issue('b')])).toBe('"a" must be a string, received null; "b" must be a string, received null');
    expect(describeIssues(issuesOf({ type: 'object' }, 5))).toBe('arguments must be an object, received number 5');
    expect(describeIssues(issuesOf({ type: 'object' }, 5), 'config')).toBe('config must be an object, received number 5');
    expect(describeIssues([])).toBe('');
  });

  it('shows eight of many and counts the rest', () => {
    const text = describeIssues(Array.from({ length: 20 }, (_, index) => issue(`p${index}`)));
    expect(text).toContain('"p7"');
    expect(text).not.toContain('"p8"');
    expect(text.endsWith('; and 12 more')).toBe(true);
  });

  it('is bounded for any value that a schema refuses', () => {
    const schema = { type: 'object', additionalProperties: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'null' } }] } };
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 200 }), fc.jsonValue()), (value) => {
        const issues = issuesOf(schema, value as JsonValue);
        expect(issues.length).toBeLessThanOrEqual(50);
        expect(describeIssues(issues).length).toBeLessThan(6_000);
      }),
      { numRuns: 100 },
    );
  });
});
