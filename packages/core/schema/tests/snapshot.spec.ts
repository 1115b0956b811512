import { isDeepStrictEqual } from 'node:util';
import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snapshotJson, type JsonValue, type SchemaIssue, type SnapshotLimits } from '../src/index.ts';

/** The copy of a value that must be accepted. */
function accepted(value: unknown, limits?: SnapshotLimits): JsonValue {
  const snapshot = snapshotJson(value, limits);
  if (!snapshot.ok) throw new Error(`refused: ${snapshot.issue.message}`);
  return snapshot.value;
}

/** The issue of a value that must be refused. */
function refused(value: unknown, limits?: SnapshotLimits): SchemaIssue {
  const snapshot = snapshotJson(value, limits);
  if (snapshot.ok) throw new Error('accepted');
  return snapshot.issue;
}

/** The first container that is not frozen, or shared with `source`; iterative, so that depth does not matter. */
function flawOf(copy: unknown): unknown {
  const pending = [copy];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Object.isFrozen(value)) return value;
    pending.push(...(Object.values(value) as unknown[]));
  }
  return undefined;
}

function containersOf(root: unknown): Set<object> {
  const found = new Set<object>();
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    found.add(value);
    pending.push(...(Object.values(value) as unknown[]));
  }
  return found;
}

/** What a value must be, written the obvious way: recursive, and only for values that cannot lie. */
function isLossless(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return false;
  const proto: unknown = Object.getPrototypeOf(value);
  const keys = Reflect.ownKeys(value);
  if (Array.isArray(value)) {
    const isDense = keys.length === value.length + 1 && value.every((_, index) => Object.hasOwn(value, index));
    return proto === Array.prototype && isDense && value.every(isLossless);
  }
  if (proto !== null && proto !== Object.prototype) return false;
  return keys.every((key) => {
    const property = Object.getOwnPropertyDescriptor(value, key);
    return typeof key === 'string' && property?.enumerable === true && 'value' in property && isLossless(property.value);
  });
}

/** A proxy that hides nothing, at every depth. */
function membrane(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    getOwnPropertyDescriptor(target, key) {
      const property = Reflect.getOwnPropertyDescriptor(target, key);
      if (property?.configurable === true) property.value = membrane(property.value);
      return property;
    },
  });
}

/** How many milliseconds of processor time some work takes; unlike wall time, other processes do not count. */
function cpuTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function nested(levels: number, isArray = false): unknown {
  let value: unknown = isArray ? [] : {};
  for (let level = 1; level < levels; level++) value = isArray ? [value] : { a: value };
  return value;
}

class Point {
  readonly x = 1;
}

class Rows extends Array<unknown> {}

function argumentsObject(): IArguments {
  // eslint-disable-next-line prefer-rest-params -- the object itself is the subject
  return arguments;
}

describe('what a snapshot accepts', () => {
  it.each<[string, unknown]>([
    ['null', null], ['true', true], ['false', false], ['empty text', ''], ['zero', 0], ['a fraction', 0.1], ['the smallest double', 5e-324],
    ['the largest double', Number.MAX_VALUE], ['an unsafe integer', 2 ** 60], ['a lone surrogate', 'a\ud83d'], ['text with NUL', '\u0000'],
    ['an empty object', {}], ['an empty array', []], ['arrays of arrays', [[[]], [1, [2]]]], ['rows', [{ a: 1 }, { a: 2, b: [{}] }]],
    ['keys that look like indices', { 1: 'a', 0: 'b' }], ['keys of an array', { length: 3, constructor: 1, prototype: {} }],
    ['an empty key', { '': { '': 0 } }], ['a lone surrogate as a key', { '\udc00': ['\ud83d'] }], ['toJSON that is data', { toJSON: 'x' }],
  ])('%s, at the root and below [156]', (_what, value) => {
    expect(isDeepStrictEqual(accepted(value), value)).toBe(true);
    expect(isDeepStrictEqual(accepted({ a: [value], b: value }), { a: [value], b: value })).toBe(true);
    expect(isDeepStrictEqual(accepted(membrane([{ value }])), [{ value }])).toBe(true);
  });

  it('objects without a prototype, which become ordinary ones [160, 167]', () => {
    const source = Object.assign(Object.create(null) as object, { a: Object.assign(Object.create(null) as object, { b: 1 }) });
    expect(isDeepStrictEqual(accepted(source), { a: { b: 1 } })).toBe(true);
  });

  it('plain objects and arrays of another realm, which become ones of this realm [160]', () => {
    const copy = accepted(vm.runInNewContext('({ a: [1, { b: [] }], c: Object.create(null) })'));
    expect(isDeepStrictEqual(copy, { a: [1, { b: [] }], c: {} })).toBe(true);
  });

  it('frozen and sealed sources', () => {
    expect(accepted(Object.freeze({ a: Object.freeze([1]), b: Object.seal({ c: 1 }) }))).toEqual({ a: [1], b: { c: 1 } });
  });

  it('a `__proto__` key, which stays data and sets no prototype [167]', () => {
    const source = JSON.parse('{"__proto__":{"admin":true},"rows":[{"__proto__":null}]}') as object;
    for (const copy of [accepted(source), accepted(membrane(source))]) {
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
      expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true},"rows":[{"__proto__":null}]}');
      expect(Object.hasOwn(copy as object, '__proto__')).toBe(true);
      expect((copy as { admin?: unknown }).admin).toBeUndefined();
    }
  });

  it('shared references, of which each becomes a copy of its own [165]', () => {
    const shared = { list: [1] };
    const copy = accepted({ a: shared, b: [shared, shared] }) as { a: object; b: object[] };
    expect(copy).toEqual({ a: { list: [1] }, b: [{ list: [1] }, { list: [1] }] });
    expect(new Set([copy.a, ...copy.b]).size).toBe(3);
  });

  it('transparent proxies over plain containers, also of proxies [164]', () => {
    const proxy = new Proxy({ a: new Proxy([1, new Proxy({ b: null }, {})], {}) }, {});
    expect(accepted(new Proxy(proxy, {}))).toEqual({ a: [1, { b: null }] });
    expect(accepted({ deep: [{ proxy }] })).toEqual({ deep: [{ proxy: { a: [1, { b: null }] } }] });
  });

  it('a property that a proxy gives once, since it is read once [163]', () => {
    const reads: PropertyKey[] = [];
    const proxy = new Proxy({ a: 1, b: 2 }, {
      getOwnPropertyDescriptor(target, key) {
        reads.push(key);
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
    expect(accepted(proxy)).toEqual({ a: 1, b: 2 });
    expect(reads).toEqual(['a', 'b']);
  });

  it('long arrays and wide objects', () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, tags: ['x'], at: { line: id } }));
    expect(isDeepStrictEqual(accepted(rows), rows)).toBe(true);
    const wide = Object.fromEntries(rows.map((row) => [`k${row.id}`, row.id]));
    expect(isDeepStrictEqual(accepted(wide), wide)).toBe(true);
  });
});

describe('what a snapshot refuses', () => {
  const offenders: [string, unknown, string][] = [
    ['undefined', undefined, 'undefined'], ['NaN', NaN, 'number NaN'], ['Infinity', Infinity, 'number Infinity'],
    ['-Infinity', -Infinity, 'number -Infinity'], ['-0', -0, 'number -0'], ['a BigInt', 10n, 'a BigInt'],
    ['a symbol', Symbol('s'), 'a symbol'], ['a registered symbol', Symbol.for('s'), 'a symbol'], ['a function', () => 1, 'a function'],
    ['a class', Point, 'a function'],
    ['a Date', new Date(0), 'an instance of Date'], ['a Map', new Map([[1, 2]]), 'an instance of Map'], ['a Set', new Set(), 'an instance of Set'],
    ['a RegExp', /x/, 'an instance of RegExp'], ['an Error', new Error('x'), 'an instance of Error'],
    ['a promise', Promise.resolve(1), 'an instance of Promise'], ['bytes', new Uint8Array(2), 'an instance of Uint8Array'],
    ['a class instance', new Point(), 'an instance of Point'], ['a boxed string', Object('x'), 'an instance of String'],
    ['a boxed number', Object(1), 'an instance of Number'], ['a boxed boolean', Object(true), 'an instance of Boolean'],
    ['a boxed BigInt', Object(1n), 'an instance of BigInt'], ['an object that inherits', Object.create({ a: 1 }), 'an empty object'],
    ['an array subclass', new Rows(), 'an empty array'], ['an array with the prototype of objects', Object.setPrototypeOf([1], Object.prototype), 'an array of 1'],
    ['an object with the prototype of arrays', Object.create(Array.prototype), 'an instance of Array'],
    ['an array without a prototype', Object.setPrototypeOf([1], null), 'an array of 1'],
    ['a sparse array', [1, , 3], 'an array with holes'], ['an empty array with a length', new Array(3), 'an array with holes'],
    ['an array with an extra key', Object.assign([1], { extra: 1 }), 'an array with extra keys'],
    ['an empty array with an extra key', Object.assign([], { extra: 1 }), 'an array with extra keys'],
    ['an array with a symbol key', Object.assign([1], { [Symbol('s')]: 1 }), 'an array with extra keys'],
    ['an array with a hidden key', Object.defineProperty([1], 'hidden', { value: 1 }), 'an array with extra keys'],
    ['the iterator of an array', [1].values(), 'an '],
  ];

  it.each(offenders)('%s, with its path, wherever it stands [157, 158, 159, 160]', (_what, value, received) => {
    expect(refused(value)).toMatchObject({ path: '', received: expect.stringContaining(received) as string });
    expect(refused({ ok: 1, a: value }).path).toBe('a');
    expect(refused([0, value]).path).toBe('[1]');
    const issue = refused({ rows: [{ id: 1 }, { id: 2, more: { 'my key': [null, value] } }] });
    expect(issue.path).toBe('rows[1].more["my key"][1]');
    expect(issue.message).toContain('rows[1].more["my key"][1] must be ');
    expect(issue.message).toContain(received);
    expect(refused(new Proxy({ deep: [{ value }] }, {})).path).toBe('deep[0].value');
  });

  it('the arguments object [160]', () => {
    expect(refused({ a: argumentsObject() }).path).toBe('a.length');
  });

  it('a sparse array with an extra key for each hole, so that the count is right [159]', () => {
    expect(refused({ list: Object.assign([1, , 3], { extra: 1 }) })).toMatchObject({ path: 'list[1]', received: 'a hole' });
    const long = Array.from({ length: 100 }, () => 1);
    // eslint-disable-next-line @typescript-eslint/no-array-delete -- a hole is what the test is about
    delete long[50];
    expect(refused({ list: Object.assign(long, { extra: 1 }) })).toMatchObject({ path: 'list[50]', received: 'a hole' });
  });

  it.each([3, 64, 65, 1000])('an array of %i elements with a hole, an extra, hidden or symbol key or an accessor [159, 161]', (length) => {
    const list = (): number[] => Array.from({ length }, () => 1);
    const holed = list();
    // eslint-disable-next-line @typescript-eslint/no-array-delete -- a hole is what the test is about
    delete holed[length - 1];
    expect(refused({ holed }).path).toBe('holed');
    expect(refused({ extra: Object.assign(list(), { extra: 1 }) }).path).toBe('extra');
    expect(refused({ negative: Object.assign(list(), { '-1': 1 }) }).path).toBe('negative');
    expect(refused({ symbol: Object.assign(list(), { [Symbol('s')]: 1 }) }).path).toBe('symbol');
    expect(refused({ hidden: Object.defineProperty(list(), 1, { enumerable: false }) }).path).toBe('hidden[1]');
    expect(refused({ getter: Object.defineProperty(list(), 2, { get: () => 1 }) }).path).toBe('getter[2]');
    expect(refused({ setter: Object.defineProperty(list(), 2, { set: () => undefined }) }).path).toBe('setter[2]');
  });

  it('accessors, without running them, and setters alone', () => {
    let calls = 0;
    const getter = { get a() { calls++; return 1; } };
    expect(refused({ x: [getter] })).toMatchObject({ path: 'x[0].a', received: 'an accessor' });
    expect(refused({ x: [Object.defineProperty({}, 'a', { enumerable: true, set: () => undefined })] })).toMatchObject({ path: 'x[0].a', received: 'an accessor' });
    expect(calls).toBe(0);
  });

  it('symbol keys and hidden keys [161]', () => {
    expect(refused({ x: { a: 1, [Symbol('secret')]: 1 } })).toMatchObject({ path: expect.stringContaining('x') as string, received: 'a symbol key' });
    expect(refused({ x: Object.defineProperty({}, 'hidden', { value: 1 }) })).toMatchObject({ path: 'x.hidden', received: 'a hidden property' });
  });

  it('an own toJSON function, since it is a function, and never calls it [162]', () => {
    let calls = 0;
    expect(refused({ a: { toJSON: () => { calls++; return 1; } } })).toMatchObject({ path: 'a.toJSON', received: 'a function' });
    expect(calls).toBe(0);
  });

  it('prototypes that imitate the built-in ones [160]', () => {
    const forgedObject: object = Object.create(null) as object;
    function Object_(): void { /* stands for a constructor */ }
    Object.defineProperty(Object_, 'name', { value: 'Object' });
    Object.defineProperty(Object_, 'toString', { value: () => 'function Object() { [native code] }' });
    Object_.prototype = forgedObject;
    Object.defineProperty(forgedObject, 'constructor', { value: Object_ });
    expect(refused({ a: Object.create(forgedObject) }).path).toBe('a');

    const borrowed: object = Object.defineProperty(Object.create(null) as object, 'constructor', { value: Object });
    expect(refused({ a: Object.create(borrowed) }).path).toBe('a');

    const bound = Object.bind(null);
    const withBound: object = Object.create(null) as object;
    Object.defineProperty(bound, 'prototype', { value: withBound });
    Object.defineProperty(withBound, 'constructor', { value: bound });
    expect(refused({ a: Object.create(withBound) }).path).toBe('a');

    const lying: object = Object.create(null) as object;
    Object.defineProperty(lying, 'constructor', { value: new Proxy(Object, { get: (_target, key) => (key === 'prototype' ? lying : undefined) }) });
    expect(snapshotJson({ a: Object.create(lying) as unknown }).ok).toBe(false);
  });

  it('class instances of another realm [160]', () => {
    for (const source of ['new Date(0)', 'new Map()', 'new (class Object {})()', 'new (class Array extends globalThis.Array {})()', 'Object(1)']) {
      expect(refused({ a: [vm.runInNewContext(source)] }).path).toBe('a[0]');
    }
  });
});

describe('cycles', () => {
  it('are called circular, at the place where the cycle closes [165]', () => {
    const self: Record<string, unknown> = {};
    self['self'] = self;
    expect(refused(self)).toMatchObject({ path: 'self', received: 'a circular reference' });
    const list: unknown[] = [1];
    list.push(list);
    expect(refused({ a: { list } })).toMatchObject({ path: 'a.list[1]', received: 'a circular reference' });
    const parent = { name: 'p', children: [] as object[] };
    parent.children.push({ name: 'a' }, { name: 'b', parent });
    expect(refused({ tree: parent })).toMatchObject({ path: 'tree.children[1].parent', received: 'a circular reference' });
  });

  it('are called circular when a side branch is what reaches the depth limit', () => {
    const node: Record<string, unknown> = { meta: { tags: [] } };
    node['self'] = node;
    expect(refused(node)).toMatchObject({ path: 'self', received: 'a circular reference' });
  });

  it('are called circular when the size limit comes before the depth limit', () => {
    const table: Record<string, unknown> = {};
    const limits = { maxDepth: 512, maxNodes: 10_000 };
    table['rows'] = Array.from({ length: 1000 }, (_, id) => ({ table, id }));
    expect(refused(table, limits)).toMatchObject({ path: 'rows[0].table', received: 'a circular reference' });
    const wide: Record<string, unknown> = {};
    for (let key = 0; key < 1000; key++) wide[`k${key}`] = wide;
    expect(refused(wide, limits)).toMatchObject({ path: 'k0', received: 'a circular reference' });
  });

  it('are found through proxies', () => {
    const target: Record<string, unknown> = {};
    const proxy = new Proxy(target, {});
    target['self'] = proxy;
    expect(refused(proxy)).toMatchObject({ path: 'self', received: 'a circular reference' });
  });
});

describe('limits', () => {
  it.each([['objects', false], ['arrays', true]])('allow exactly maxDepth levels of %s, proxies or not', (_what, isArray) => {
    const limits = { maxDepth: 5, maxNodes: 100 };
    for (const dress of [(value: unknown) => value, membrane]) {
      expect(isDeepStrictEqual(accepted(dress(nested(5, isArray)), limits), nested(5, isArray))).toBe(true);
      expect(refused(dress(nested(6, isArray)), limits)).toMatchObject({
        path: isArray ? '[0][0][0][0][0]' : 'a.a.a.a.a',
        expected: 'nested at most 5 levels deep',
      });
    }
  });

  it('allow exactly maxNodes values, containers included, proxies or not [W16]', () => {
    const value = { a: [1, 2], b: { c: null } };
    for (const dress of [(given: unknown) => given, membrane]) {
      expect(accepted(dress(value), { maxDepth: 9, maxNodes: 6 })).toEqual(value);
      expect(refused(dress(value), { maxDepth: 9, maxNodes: 5 })).toMatchObject({ path: '', expected: 'at most 5 values' });
    }
    expect(refused({}, { maxDepth: 9, maxNodes: 0 }).expected).toBe('at most 0 values');
    expect(refused({}, { maxDepth: 0, maxNodes: 9 }).expected).toBe('nested at most 0 levels deep');
  });

  it('are 512 levels and a million values by default', () => {
    expect(accepted(nested(512))).toBeDefined();
    expect(refused(nested(513)).expected).toBe('nested at most 512 levels deep');
    const full = new Array<number>(999_999).fill(1);
    expect((accepted(full) as readonly unknown[]).length).toBe(999_999);
    expect(refused([...full, 1]).expected).toBe('at most 1000000 values');
  }, 60_000);

  it('make an issue of a million levels, at once and with a short path [168]', () => {
    const deep = [nested(1_000_000), nested(1_000_000, true)];
    const time = cpuTime(() => {
      for (const value of deep) {
        const issue = refused(value);
        expect(issue.expected).toBe('nested at most 512 levels deep');
        expect(issue.message.length).toBeLessThan(300);
      }
    });
    expect(time).toBeLessThan(1000);
  }, 60_000);

  it('let the depth be raised, since nothing recurses [168]', () => {
    const copy = accepted(nested(100_000), { maxDepth: 100_000, maxNodes: 1_000_000 });
    expect(flawOf(copy)).toBeUndefined();
    expect(accepted(membrane(nested(20_000)), { maxDepth: 20_000, maxNodes: 1_000_000 })).toBeDefined();
  }, 60_000);

  it('make an issue of a graph that doubles at each of 20 levels [W16]', () => {
    let value: object = { leaf: true };
    for (let level = 0; level < 20; level++) value = { a: value, b: value };
    expect(cpuTime(() => { expect(refused(value).expected).toBe('at most 1000000 values'); })).toBeLessThan(5000);
    for (let level = 0; level < 400; level++) value = { a: value, b: value };
    expect(refused(value, { maxDepth: 512, maxNodes: 10_000 }).expected).toBe('at most 10000 values');
  }, 60_000);

  it('refuse an array that is only long, without a walk over it', () => {
    expect(cpuTime(() => { expect(refused({ a: new Array(2 ** 32 - 1) }).expected).toBe('at most 1000000 values'); })).toBeLessThan(500);
  });

  it('end a proxy that invents new levels, or new members, for ever', () => {
    const endless = (): object => new Proxy({}, {
      ownKeys: () => ['more'],
      getOwnPropertyDescriptor: () => ({ value: endless(), enumerable: true, configurable: true, writable: true }),
    });
    expect(refused(endless()).expected).toBe('nested at most 512 levels deep');
    for (const length of [Infinity, NaN, -1, 1.5, '3', 2 ** 40, 10n]) {
      const list = new Proxy([1], { get: (target, key, self) => (key === 'length' ? length : Reflect.get(target, key, self)) as unknown });
      expect(snapshotJson({ list }).ok).toBe(false);
    }
  });
});

describe('values that fight back', () => {
  const boom = (): never => { throw new Error('boom'); };
  const traps = ['getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor'] as const;

  function revoked(target: object): object {
    const { proxy, revoke } = Proxy.revocable(target, {});
    revoke();
    return proxy;
  }

  it.each(traps)('a proxy whose %s throws is an issue [164]', (trap) => {
    for (const target of [{ a: 1 }, [1]]) {
      const proxy = new Proxy(target, { [trap]: boom });
      for (const value of [proxy, { x: [proxy] }]) expect(refused(value).message).toContain('cannot be read');
    }
  });

  it('a revoked proxy is an issue, as are a prototype and a constructor that cannot be read [164]', () => {
    for (const value of [revoked({}), revoked([]), Object.create(revoked({})), Object.setPrototypeOf([1], revoked([]))]) {
      expect(refused(value).path).toBe('');
      expect(snapshotJson({ x: [value] }).ok).toBe(false);
    }
    expect(snapshotJson(revoked(() => 1)).ok).toBe(false);
    const proto = Object.defineProperty({}, 'constructor', { get: boom });
    expect(refused({ a: Object.create(proto) }).path).toBe('a');
  });

  it('a throwing accessor is refused before it can throw', () => {
    expect(refused({ x: { get a() { return boom(); } } })).toMatchObject({ path: 'x.a', received: 'an accessor' });
  });

  it('it does not matter what is thrown, not even when looking at it throws', () => {
    const awkward = new Proxy({}, { getPrototypeOf: boom, get: boom, has: boom, getOwnPropertyDescriptor: boom });
    for (const thrown of [undefined, null, 'text', Symbol('s'), awkward, revoked({}), Object.create(null)]) {
      const value = new Proxy({}, { ownKeys() { throw thrown; } });
      expect(refused(value).message).toContain('cannot be read');
    }
  });

  it('an object that grows, or is changed, while it is read gives a frozen value or an issue', () => {
    const target: Record<string, unknown> = { a: 1, b: 2 };
    const proxy = new Proxy(target, {
      getOwnPropertyDescriptor(from, key) {
        delete from['b'];
        from['c'] = undefined;
        return Reflect.getOwnPropertyDescriptor(from, key);
      },
    });
    expect(refused(proxy)).toMatchObject({ path: 'b', received: 'nothing' });
  });

  it('a message quotes no more than a little of a hostile key or name', () => {
    const key = 'k'.repeat(100_000);
    expect(refused({ [key]: { [key]: undefined } }).message.length).toBeLessThan(400);
    class Long {
      static readonly name = key;
      readonly x = 1;
    }
    expect(refused({ a: new Long() }).message.length).toBeLessThan(200);
  });
});

describe('the copy', () => {
  it('is frozen at every depth and detached; the source stays as it was [95, 154, 169]', () => {
    const source = { a: [{ b: [] as unknown[] }], c: {} };
    const copy = accepted(source);
    expect(flawOf(copy)).toBeUndefined();
    source.a[0]?.b.push(1);
    source.a.push({ b: [] });
    expect(copy).toEqual({ a: [{ b: [] }], c: {} });
    expect([...containersOf(source)].some((container) => Object.isFrozen(container))).toBe(false);
  });

  it('equals any JSON value, frozen and sharing nothing with it, proxies or not', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (given) => {
        const text = JSON.stringify(given);
        const value: unknown = JSON.parse(text);
        const theirs = containersOf(value);
        for (const copy of [accepted(value), accepted(membrane(value))]) {
          expect(isDeepStrictEqual(copy, value)).toBe(true);
          expect(flawOf(copy)).toBeUndefined();
          for (const container of containersOf(copy)) expect(theirs.has(container)).toBe(false);
        }
        expect(JSON.stringify(value)).toBe(text);
        for (const container of theirs) expect(Object.isFrozen(container)).toBe(false);
      }),
    );
  });

  it('exists exactly for what is lossless JSON, whatever is given, and nothing is ever thrown', () => {
    const anything = fc.anything({
      withBigInt: true, withBoxedValues: true, withDate: true, withMap: true, withSet: true, withObjectString: true,
      withNullPrototype: true, withSparseArray: true, withTypedArray: true, stringUnit: 'binary', maxDepth: 4,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const snapshot = snapshotJson(value);
        expect(snapshot.ok).toBe(isLossless(value));
        if (snapshot.ok) {
          expect(flawOf(snapshot.value)).toBeUndefined();
          expect(isDeepStrictEqual(JSON.parse(JSON.stringify(snapshot.value)), snapshot.value)).toBe(true);
        }
        // The walk that proxies get has the same rules.
        if (typeof value === 'object' && value !== null) expect(snapshotJson(new Proxy(value, {}))).toEqual(snapshot);
      }),
      { numRuns: 500 },
    );
  });

  it('does not exist for JSON with one offender in it, and the path leads to the offender', () => {
    const offender = fc.constantFrom<unknown>(undefined, NaN, Infinity, -0, 1n, Symbol('s'), new Date(0), new Map(), () => 1, [,]);
    const step = fc.oneof(fc.nat(3), fc.constantFrom('a', 'b', 'key'));
    fc.assert(
      fc.property(offender, fc.array(step, { maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), (bad, steps, filler) => {
        const good: unknown = JSON.parse(JSON.stringify(filler));
        const value = steps.reduceRight<unknown>(
          (inner, at) => (typeof at === 'number' ? [...new Array<unknown>(at).fill(good), inner] : { first: good, [at]: inner, last: good }),
          bad,
        );
        const path = steps.map((at, index) => (typeof at === 'number' ? `[${at}]` : index === 0 ? at : `.${at}`)).join('');
        expect(refused(value).path).toBe(path);
      }),
    );
  });
});
