import { isServiceLike } from './service-names.ts';

/** Makes `ctx.<name>` read a service. An accessor on the prototype: reading it goes through no proxy. */
export function exposeService(prototype: object, name: string, read: (ctx: unknown, name: string) => unknown): void {
  if (Object.hasOwn(prototype, name)) return;
  Object.defineProperty(prototype, name, {
    configurable: true,
    get(this: unknown) {
      return read(this, name);
    },
  });
}

/**
 * Ends a prototype chain with a proxy, which is only reached for names that nothing before it has: `refuse` answers the
 * reading of one that looks like a service. Names that runtimes and test frameworks look for stay undefined.
 */
export function guardMissingMembers(prototype: object, refuse: (ctx: unknown, name: string) => unknown): void {
  const end = new Proxy(
    {},
    {
      get(target, key, receiver) {
        if (typeof key === 'symbol' || key in Object.prototype || !isServiceLike(key)) return Reflect.get(target, key, receiver) as unknown;
        return refuse(receiver, key);
      },
      set(target, key, value, receiver) {
        if (typeof key === 'symbol' || key in Object.prototype) return Reflect.set(target, key, value, receiver);
        throw new TypeError(`core-context: cannot assign ctx.${key}: offer a service with ctx.provide('${key}', ...)`);
      },
    },
  );
  Object.setPrototypeOf(prototype, end);
}
