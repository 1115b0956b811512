/**
 * What a program finds around itself, in any engine: namespaces, console, timers, JSON in and out. Its text is evaluated inside
 * the realm, so it must not refer to anything of this file's own. Only primitives cross between it and the outside, by `send`
 * and by the function that it returns; all built-ins it needs are kept before the program can change them.
 *
 * @param {(op: number, a?: string | number, b?: string | number, c?: string, d?: string) => void} send
 *   See the table of operations in worker.js.
 * @param {boolean} isLenient `undefined` and dates may be returned and passed.
 * @param {number} maxChars Longest JSON text of one value, in UTF-16 code units.
 * @returns {(op: number, a?: any, b?: any, c?: any) => void} any: the program itself comes this way, as a function of the realm
 */
export function realm(send, isLenient, maxChars) {
  'use strict';
  const { keys: keysOf, getPrototypeOf, getOwnPropertyDescriptor, defineProperty, freeze, create, prototype: plain } = Object;
  const { ownKeys, apply } = Reflect;
  const { stringify, parse } = JSON;
  const isList = Array.isArray;
  const isFinite = Number.isFinite;
  const textOf = String;
  const { Error, TypeError, Date, Map, Set, RegExp, Promise: ProgramPromise } = globalThis;
  const { slice, split, includes, trim, charCodeAt } = textOf.prototype;
  const { then } = ProgramPromise.prototype;
  const toISOString = Date.prototype.toISOString;
  const getTime = Date.prototype.getTime;
  const mapEntries = Map.prototype.forEach;
  const setEntries = Set.prototype.forEach;
  const sourceOf = RegExp.prototype.toString;
  const now = ProgramPromise.resolve();
  // So that `then` on it asks nobody which class its result should be of.
  defineProperty(now, 'constructor', { value: undefined });

  // What could reach beyond the engine, or share memory, is not there. An engine that lacks it anyway does not mind. V8 lets `gc`,
  // which a host started with --expose-gc brings along, be emptied only.
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'ShadowRealm', 'console', 'gc']) {
    if (!Reflect.deleteProperty(globalThis, name)) defineProperty(globalThis, name, { value: undefined, writable: false });
  }

  // The host formats stacks with this hook of the program's realm, if it finds one: so it finds none, and nobody can put one there.
  defineProperty(Error, 'prepareStackTrace', { get: () => undefined, set: () => undefined, enumerable: false, configurable: false });
  defineProperty(globalThis, 'Error', { value: Error, writable: false, enumerable: false, configurable: false });

  /** @param {string} name @param {unknown} value */
  const declare = (name, value) => {
    defineProperty(globalThis, name, { value, writable: false, enumerable: true, configurable: false });
  };

  /** Runs in a job of its own, so that no frame of the outside is ever below the program's. @param {() => void} work */
  const later = (work) => {
    apply(then, now, [work]);
  };

  // ---- JSON out: iterative, and blind to whatever the program did to prototypes ----

  /** @typedef {{ container: any, isList: boolean, keys: any, size: number, next: number, isStarted: boolean, up: Frame | null }} Frame */

  /** @param {Frame | null} frame */
  const pathOf = (frame) => {
    let path = '';
    for (let at = frame; at !== null; at = at.up) {
      const key = at.isList ? at.next - 1 : at.keys[at.next - 1];
      const step = typeof key === 'number' ? `[${key}]` : `[${stringify(key.length > 80 ? `${apply(slice, key, [0, 80])}…` : key)}]`;
      path = path.length > 400 ? `…${path}` : step + path;
      if (path.length > 400) break;
    }
    return path;
  };

  /** The name of what `value` was made by, for messages. @param {any} value */
  const kindOf = (value) => {
    try {
      const name = value.constructor.name;
      return typeof name === 'string' && name !== '' ? apply(slice, name, [0, 60]) : 'class instance';
    } catch {
      return 'class instance';
    }
  };

  const MAX_DEPTH = 10_000;
  const FLAT_CHARS = 8_192;
  /** @param {string} what */
  const tooLong = (what) => `${what} is longer than ${maxChars} characters of JSON`;

  /**
   * @param {any} root
   * @param {string} what Named in the refusal, such as `the returned value`.
   * @returns {{ text: string } | { refused: string }}
   */
  const encode = (root, what) => {
    // A string that was added to many times is a tree of its pieces, and the collector visits each of them. So the pieces since the
    // last look are in `out`, and what is before them is one flat string per some thousand characters.
    let before = '';
    let out = '';
    let depth = 0;
    /** @type {Frame | null} */
    let frame = null;
    let value = root;
    /** @param {string} why */
    const refuse = (why) => ({ refused: `${what}${pathOf(frame)} ${why}` });
    for (;;) {
      const type = typeof value;
      if (type === 'string') out += stringify(value);
      else if (type === 'number') {
        if (isFinite(value)) out += value === 0 ? '0' : `${value}`;
        else if (isLenient) out += 'null';
        else return refuse(`is ${value}, which JSON cannot hold; return null or a string instead`);
      } else if (type === 'boolean') out += value ? 'true' : 'false';
      else if (value === null) out += 'null';
      else if (type === 'undefined') {
        if (!isLenient || frame === null) return refuse('is undefined, which JSON cannot hold; leave it out or use null');
        out += 'null';
      } else if (type === 'bigint') return refuse('is a bigint, which JSON cannot hold; use Number() or String()');
      else if (type === 'function' || type === 'symbol') {
        return refuse(`is a ${type}, which JSON cannot hold${type === 'function' ? '; did you mean to call it?' : ''}`);
      } else {
        const list = isList(value);
        const proto = list ? null : getPrototypeOf(value);
        if (!list && proto !== null && proto !== plain) {
          const kind = kindOf(value);
          if (kind === 'Promise') return refuse('is a promise; await it');
          const isDate = value instanceof Date;
          if (isDate && isLenient) {
            value = apply(toISOString, value, []);
            continue;
          }
          const hint = isDate ? '; use .toISOString()' : kind === 'Map' ? '; use Object.fromEntries()' : kind === 'Set' ? '; spread it into an array' : '';
          return refuse(`is a ${kind}, which JSON cannot hold${hint}`);
        }
        const keys = list ? null : keysOf(value);
        const size = list ? value.length : /** @type {string[]} */ (keys).length;
        const extra = ownKeys(value).length - size - (list ? 1 : 0);
        if (extra > 0) return refuse(list ? 'is an array with named properties; spread it into a plain one' : 'has symbols or hidden properties as keys');
        if (extra < 0 && !isLenient) return refuse('is an array with holes');
        depth += 1;
        if (depth > MAX_DEPTH) {
          for (let at = frame; at !== null; at = at.up) if (at.container === value) return refuse('contains itself');
          return refuse(`is nested more than ${MAX_DEPTH} levels deep`);
        }
        out += list ? '[' : '{';
        frame = { container: value, isList: list, keys, size, next: 0, isStarted: false, up: frame };
      }
      if (out.length > FLAT_CHARS) {
        // Reading a character makes a flat string of it.
        apply(charCodeAt, out, [0]);
        before += out;
        out = '';
        if (before.length > maxChars) return { refused: tooLong(what) };
      }
      // On to the next value: of this container, or of one further out.
      for (;;) {
        if (frame === null) return before.length + out.length > maxChars ? { refused: tooLong(what) } : { text: before + out };
        if (frame.next === frame.size) {
          out += frame.isList ? ']' : '}';
          frame = frame.up;
          depth -= 1;
          continue;
        }
        const key = frame.isList ? frame.next : frame.keys[frame.next];
        frame.next += 1;
        value = frame.container[key];
        if (value === undefined && isLenient && !frame.isList) continue;
        if (frame.isStarted) out += ',';
        frame.isStarted = true;
        if (!frame.isList) out += `${stringify(key)}:`;
        break;
      }
    }
  };

  // ---- text for people: console and errors ----

  const MAX_TEXT = 10_000;

  /** @param {string} text */
  const bounded = (text) => (text.length > MAX_TEXT ? `${apply(slice, text, [0, MAX_TEXT])}… ${text.length - MAX_TEXT} more characters` : text);

  /**
   * @param {any} value
   * @param {number} room Levels that may still be opened.
   * @param {string} indent
   * @returns {string}
   */
  const inspect = (value, room, indent) => {
    try {
      if (typeof value === 'string') return stringify(bounded(value));
      if (typeof value === 'bigint') return `${value}n`;
      if (typeof value === 'function') return `[Function ${textOf(value.name || '(anonymous)')}]`;
      if (typeof value !== 'object' || value === null) return textOf(value);
      if (value instanceof Error) {
        const { head, stack } = described(value);
        return stack === '' ? `[${head}]` : `${head}\n${stack}`;
      }
      if (value instanceof Date) return isFinite(apply(getTime, value, [])) ? apply(toISOString, value, []) : 'Invalid Date';
      if (value instanceof RegExp) return apply(sourceOf, value, []);
      if (value instanceof ProgramPromise) return 'Promise {}';
      const list = isList(value);
      const kind = list || getPrototypeOf(value) === plain ? '' : getPrototypeOf(value) === null ? '[Object: null prototype] ' : `${kindOf(value)} `;
      if (room === 0) return list ? '[Array]' : `[${kind === '' ? 'Object' : apply(trim, kind, [])}]`;
      const inner = `${indent}  `;
      let items = '';
      let shown = 0;
      let width = 0;
      /** @param {string} item */
      const add = (item) => {
        width += item.length + 2;
        items += `${shown === 0 ? '' : `,\n${inner}`}${item}`;
        shown += 1;
      };
      let total = 0;
      if (value instanceof Map) {
        apply(mapEntries, value, [(/** @type {unknown} */ item, /** @type {unknown} */ key) => {
          if (++total <= 100) add(`${inspect(key, room - 1, inner)} => ${inspect(item, room - 1, inner)}`);
        }]);
      } else if (value instanceof Set) {
        apply(setEntries, value, [(/** @type {unknown} */ item) => {
          if (++total <= 100) add(inspect(item, room - 1, inner));
        }]);
      } else if (list || ArrayBuffer.isView(value)) {
        total = /** @type {any} */ (value).length ?? 0;
        for (let i = 0; i < total && i < 100; i += 1) add(inspect(/** @type {any} */ (value)[i], room - 1, inner));
      } else {
        const keys = keysOf(value);
        total = keys.length;
        for (let i = 0; i < total && i < 100; i += 1) {
          const key = /** @type {string} */ (keys[i]);
          const got = getOwnPropertyDescriptor(value, key);
          const item = got !== undefined && apply(ownHas, got, ['value']) ? inspect(got.value, room - 1, inner) : '[Getter]';
          add(`${apply(plainKey, identifier, [key]) ? key : stringify(key)}: ${item}`);
        }
      }
      if (total > 100) add(`… ${total - 100} more`);
      const open = list ? '[' : '{';
      const close = list ? ']' : '}';
      if (shown === 0) return `${kind}${open}${close}`;
      if (width > 72 || apply(includes, items, ['\n  ' + inner])) return `${kind}${open}\n${inner}${items}\n${indent}${close}`;
      return `${kind}${open} ${oneLine(items, inner)} ${close}`;
    } catch {
      return '[unreadable]';
    }
  };
  const ownHas = plain.hasOwnProperty;
  const plainKey = RegExp.prototype.test;
  const identifier = /^[A-Za-z_$][\w$]*$/;
  /** @param {string} items @param {string} inner */
  const oneLine = (items, inner) => {
    const parts = apply(split, items, [`,\n${inner}`]);
    let line = '';
    for (let i = 0; i < parts.length; i += 1) line += `${i === 0 ? '' : ', '}${parts[i]}`;
    return line;
  };

  /** Characters of output, before its JSON is looked at to the byte. */
  let mostOutput = Infinity;

  /**
   * What was thrown, in words, and the lines of its stack that are the program's.
   * @param {any} thrown
   */
  const described = (thrown) => {
    let head = 'something unreadable was thrown';
    let stack = '';
    try {
      if (typeof thrown === 'object' && thrown !== null && (thrown instanceof Error || typeof thrown.message === 'string')) {
        const name = typeof thrown.name === 'string' && thrown.name !== '' ? thrown.name : 'Error';
        const whole = typeof thrown.message === 'string' ? thrown.message : '';
        // Still too long for the output, and told so; but without a second copy of it.
        const message = whole.length > mostOutput ? apply(slice, whole, [0, mostOutput]) : whole;
        head = message === '' ? name : `${name}: ${message}`;
        stack = framesOf(thrown);
        const { cause } = thrown;
        if (cause instanceof Error && cause !== thrown) head += ` (cause: ${bounded(`${textOf(cause.name)}: ${textOf(cause.message)}`)})`;
      } else if (typeof thrown === 'object' && thrown !== null) head = `a plain object was thrown: ${inspect(thrown, 2, '')}`;
      else head = `a ${thrown === null ? 'null' : typeof thrown} was thrown: ${textOf(thrown)}`;
    } catch {
      // A hostile name, message or proxy: what is known so far has to do.
    }
    return { head, stack };
  };

  /** @param {any} error */
  const framesOf = (error) => {
    let frames = '';
    const { stack } = error;
    if (typeof stack !== 'string') return frames;
    const lines = apply(split, apply(slice, stack, [-20_000]), ['\n']);
    for (let i = 0, found = 0; i < lines.length && found < 10; i += 1) {
      const line = apply(trim, lines[i], []);
      if (apply(slice, line, [0, 3]) !== 'at ' || !apply(includes, line, ['program.ts:'])) continue;
      frames += `${found === 0 ? '' : '\n'}    ${line}`;
      found += 1;
    }
    return frames;
  };

  /** @param {string} kind @param {string} head @param {string} stack */
  const fail = (kind, head, stack) => send(5, kind, head, stack);
  /** @param {unknown} thrown @param {string} lead */
  const failWith = (thrown, lead) => {
    const { head, stack } = described(thrown);
    fail('exception', lead + head, stack);
  };

  // ---- what the program finds ----

  /** @type {Record<string, unknown>} */
  const programConsole = create(null);
  for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'table']) {
    programConsole[level] = { [level](/** @type {unknown[]} */ ...values) {
      let line = '';
      for (let i = 0; i < values.length; i += 1) {
        const value = values[i];
        line += `${i === 0 ? '' : ' '}${typeof value === 'string' ? value : inspect(value, 4, '')}`;
      }
      send(1, line);
    } }[level];
  }
  declare('console', freeze(programConsole));

  /** @type {Map<number, { work: () => void, ms: number | undefined }>} */
  const timers = new Map();
  const { get: timerOf, set: keepTimer, delete: dropTimer } = Map.prototype;
  let lastTimer = 0;
  /** @param {unknown} work @param {unknown} ms @param {unknown[]} args @param {boolean} repeats */
  const startTimer = (work, ms, args, repeats) => {
    if (typeof work !== 'function') throw new TypeError('a timer needs a function');
    const wait = typeof ms === 'number' && ms > 0 ? (ms < 2_147_483_647 ? ms : 2_147_483_647) : 0;
    const id = ++lastTimer;
    const every = repeats ? (wait < 1 ? 1 : wait) : undefined;
    apply(keepTimer, timers, [id, { work: () => apply(/** @type {any} */ (work), undefined, args), ms: every }]);
    send(2, id, wait);
    return id;
  };
  /** @param {unknown} id */
  const stopTimer = (id) => {
    if (typeof id === 'number' && apply(dropTimer, timers, [id])) send(3, id);
  };
  declare('setTimeout', (/** @type {unknown} */ work, /** @type {unknown} */ ms, /** @type {unknown[]} */ ...args) => startTimer(work, ms, args, false));
  declare('setInterval', (/** @type {unknown} */ work, /** @type {unknown} */ ms, /** @type {unknown[]} */ ...args) => startTimer(work, ms, args, true));
  declare('clearTimeout', stopTimer);
  declare('clearInterval', stopTimer);
  declare('queueMicrotask', (/** @type {unknown} */ work) => {
    if (typeof work !== 'function') throw new TypeError('queueMicrotask needs a function');
    later(() => {
      try {
        work();
      } catch (thrown) {
        failWith(thrown, '');
      }
    });
  });
  // `import(` of the program was made to say this name; see prepare.ts.
  defineProperty(globalThis, 'Import', {
    value: async () => {
      throw new TypeError('import() is not available to programs; what they may use is in their namespaces');
    },
    enumerable: false,
  });

  /** @type {Map<number, { resolve: (value: unknown) => void, reject: (error: unknown) => void, error: any, member: string, memberProperty: string }>} */
  const calls = new Map();
  let lastCall = 0;

  /** @param {number} index @param {any} declared */
  const addNamespace = (index, { global, names, errorClass }) => {
    const ErrorClass = errorClass === undefined ? Error : { [errorClass.name]: class extends Error {
      // Said at length, because the constructor that is left out may go through the program's iterators.
      /** @param {string} message @param {ErrorOptions} [options] */
      constructor(message, options) {
        super(message, options);
      }
    } }[errorClass.name];
    if (errorClass !== undefined) {
      defineProperty(/** @type {any} */ (ErrorClass).prototype, 'name', { value: errorClass.name, writable: true, configurable: true, enumerable: false });
      declare(errorClass.name, ErrorClass);
    }
    const memberProperty = errorClass === undefined ? '' : errorClass.memberNameProperty;
    const namespace = create(null);
    for (const name of names) {
      // A method in brackets has the tool's name, and cannot be used as a constructor.
      const call = { [name](/** @type {unknown[]} */ ...args) {
        // Made here, because only here is the program on the stack.
        const error = new /** @type {any} */ (ErrorClass)('');
        return new ProgramPromise((resolve, reject) => {
          const pending = { resolve, reject, error, member: name, memberProperty };
          const encoded = args[0] === undefined ? { text: '{}' } : encode(args[0], `the argument of ${global}.${name}`);
          if ('refused' in encoded) {
            failCall(pending, encoded.refused, undefined);
            return;
          }
          const id = ++lastCall;
          apply(keepTimer, calls, [id, pending]);
          send(0, id, index, name, encoded.text);
        });
      } }[name];
      defineProperty(namespace, name, { value: call, enumerable: true });
    }
    declare(global, freeze(namespace));
  };

  /** @param {any} pending @param {string} message @param {Record<string, string> | undefined} properties */
  const failCall = ({ reject, error, member, memberProperty }, message, properties) => {
    const frames = framesOf(error);
    defineProperty(error, 'message', { value: message, writable: true, configurable: true, enumerable: false });
    if (memberProperty !== '') defineProperty(error, memberProperty, { value: member, writable: true, configurable: true, enumerable: true });
    if (properties !== undefined) {
      const names = keysOf(properties);
      for (let i = 0; i < names.length; i += 1) {
        const name = /** @type {string} */ (names[i]);
        defineProperty(error, name, { value: properties[name], writable: true, configurable: true, enumerable: true });
      }
    }
    const stack = `${error.name}: ${message}${frames === '' ? '' : `\n${frames}`}`;
    defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
    reject(error);
  };

  let isOver = false;
  /** @param {unknown} value */
  const finish = (value) => {
    if (isOver) return;
    isOver = true;
    if (value === undefined) {
      send(4);
      return;
    }
    // Before its JSON is made, which may take the memory that it would be refused for.
    if (typeof value === 'string' && value.length > mostOutput) {
      send(6);
      return;
    }
    try {
      const encoded = encode(value, 'the returned value');
      if ('refused' in encoded) fail('invalid-output', encoded.refused, '');
      else send(4, encoded.text);
    } catch (thrown) {
      failWith(thrown, 'reading the returned value: ');
    }
  };

  return (op, a, b, c) => {
    switch (op) {
      case 0: {
        const declared = parse(a);
        mostOutput = b;
        for (let i = 0; i < declared.length; i += 1) addNamespace(i, declared[i]);
        break;
      }
      case 1: {
        const main = a;
        const start = async () => {
          try {
            finish(await main());
          } catch (thrown) {
            if (isOver) return;
            isOver = true;
            failWith(thrown, '');
          }
        };
        // Gives nothing back: a promise would be asked for its `then`.
        later(() => {
          void start();
        });
        break;
      }
      case 2: {
        const pending = apply(timerOf, calls, [a]);
        if (pending === undefined) break;
        apply(dropTimer, calls, [a]);
        if (b) pending.resolve(parse(c));
        else {
          const { message, properties } = parse(c);
          failCall(pending, message, properties);
        }
        break;
      }
      case 3: {
        const timer = apply(timerOf, timers, [a]);
        if (timer === undefined) break;
        if (timer.ms === undefined) apply(dropTimer, timers, [a]);
        else send(2, a, timer.ms);
        later(() => {
          try {
            timer.work();
          } catch (thrown) {
            failWith(thrown, 'in a timer: ');
          }
        });
        break;
      }
      case 4:
        failWith(a, 'unhandled rejection: ');
        break;
    }
  };
}
