const objectPrototype = Object.prototype;
const arrayPrototype = Array.prototype;
const NATIVE_OBJECT = /^function Object\(\) \{\s*\[native code\]\s*\}$/;
const NATIVE_ARRAY = /^function Array\(\) \{\s*\[native code\]\s*\}$/;

/** Whether `proto.constructor` is the built-in of some realm. Its source text is the one thing that cannot be forged. */
function hasNativeConstructor(proto: object, source: RegExp): boolean {
  const constructor: unknown = Object.getOwnPropertyDescriptor(proto, 'constructor')?.value;
  return (
    typeof constructor === 'function' &&
    constructor.prototype === proto &&
    source.test(Function.prototype.toString.call(constructor))
  );
}

/**
 * Whether an object with this prototype is plain: a null prototype, or `Object.prototype` of this or another realm.
 * May throw when the prototype is a proxy.
 */
export function isObjectPrototype(proto: object | null): boolean {
  if (proto === objectPrototype || proto === null) return true;
  return Object.getPrototypeOf(proto) === null && hasNativeConstructor(proto, NATIVE_OBJECT);
}

/** Whether an array with this prototype is a plain one, of this or another realm. May throw when it is a proxy. */
export function isArrayPrototype(proto: object | null): boolean {
  if (proto === arrayPrototype) return true;
  return proto !== null && Array.isArray(proto) && hasNativeConstructor(proto, NATIVE_ARRAY);
}

/** Whether a value is a plain object of any realm. Never throws. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  try {
    return (
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      isObjectPrototype(Object.getPrototypeOf(value) as object | null)
    );
  } catch {
    return false;
  }
}

/** Sets own data, also for the key `__proto__`, which plain assignment would treat as the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
