/** Values that a careless or malicious plugin may answer with. Made anew each time; none is a valid answer anywhere. */
export function hostileValues(): [what: string, value: unknown][] {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  cyclic['kind'] = cyclic;
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  return [
    ['null', null],
    ['a number', 42],
    ['true', true],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['an empty object', {}],
    ['an array', []],
    ['an array in the place of a record', [{ kind: 'allow' }]],
    ['a function', () => ({ kind: 'allow' })],
    ['a cycle', cyclic],
    ['a proxy whose every trap throws', throwingProxy()],
    ['a revoked proxy', revoked],
    ['an accessor that throws', throwingAccessors()],
    ['a value that cannot be printed', { kind: { toString: () => { throw new Error('unprintable'); } } }],
    ['a then that throws', { get then() { throw new Error('then threw'); } }],
  ];
}

/** Values that are hostile when thrown: nothing may be read from them safely. */
export function hostileThrows(): [what: string, value: unknown][] {
  return [
    ['an Error', new Error('broken')],
    ['undefined', undefined],
    ['null', null],
    ['text', 'broken'],
    ['an object without a prototype', Object.create(null)],
    ['an error whose message throws', Object.defineProperty(new Error(), 'message', { get: () => { throw new Error('m'); } })],
    ['a proxy whose every trap throws', throwingProxy()],
    ['an accessor that throws', throwingAccessors()],
    ['a symbol', Symbol('broken')],
  ];
}

export function throwingProxy(): object {
  return new Proxy({}, new Proxy({}, { get: () => () => { throw new Error('trapped'); } }));
}

function throwingAccessors(): object {
  const fail = (): never => { throw new Error('accessor threw'); };
  const keys = ['kind', 'reason', 'deny', 'ask', 'isError', 'error', 'value', 'content', 'message', 'name', 'code'];
  return Object.defineProperties({}, Object.fromEntries(keys.map((key) => [key, { get: fail, enumerable: true }])));
}
