import type { PathStep } from './path.ts';

/** The first thing that a strict reading of JSON text finds wrong. */
export type JsonFault =
  | { kind: 'malformed'; position: number; inside: readonly PathStep[] }
  | { kind: 'incomplete'; inside: readonly PathStep[] }
  | { kind: 'duplicate'; path: readonly PathStep[] }
  | { kind: 'number'; path: readonly PathStep[]; literal: string };

interface Frame {
  /** Keys read so far; undefined for an array. */
  readonly keys: Set<string> | undefined;
  step: PathStep;
}

const NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const NUMBER_RUN = /[-+.\deE]+/y;
const WORD_RUN = /[a-z]+/y;
const SPACE_RUN = /[ \t\n\r]*/y;
// eslint-disable-next-line no-control-regex -- JSON strings may not hold control characters
const TEXT_RUN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const CUT_ESCAPE = /^\\(?:u[\da-fA-F]{0,3})?$/;
const WORDS = ['true', 'false', 'null'];

/** A decimal numeral without the ways to write it: significant digits and the power of ten after them. */
function decimalOf(literal: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  // A pattern such as /0+$/ would take quadratic time on zeros in the middle.
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/**
 * Whether a number survives being read: not infinite, and above 2^53 - 1 still the same decimal number when written
 * again. Below that, the nearest double is what every reader of JSON gets.
 */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER || decimalOf(literal) === decimalOf(String(value).replace('+', ''));
}

/** Reads text once, from the left, on a stack of its own. Linear in the length of the text. */
class Scanner {
  private readonly text: string;
  private readonly frames: Frame[] = [];
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  private path(): PathStep[] {
    return this.frames.map((frame) => frame.step);
  }

  private run(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private stop(position = this.at): JsonFault {
    const inside = this.path();
    return position >= this.text.length ? { kind: 'incomplete', inside } : { kind: 'malformed', position, inside };
  }

  /** Moves past a string. Says false when it is cut off or malformed; `at` is then the offender. */
  private string(): boolean {
    this.at++;
    do this.run(TEXT_RUN);
    while (this.run(ESCAPE) !== '');
    if (this.text[this.at] === '"') {
      this.at++;
      return true;
    }
    // An escape that the end of the text cuts in two is cut off, not wrong.
    if (CUT_ESCAPE.test(this.text.slice(this.at, this.at + 6))) this.at = this.text.length;
    return false;
  }

  private scalar(): JsonFault | undefined {
    const start = this.at;
    if (this.text[start] === '"') return this.string() ? undefined : this.stop();
    const numeral = this.run(NUMBER_RUN);
    if (numeral !== '') {
      if (!NUMBER.test(numeral)) return this.stop(this.at === this.text.length ? this.at : start);
      // A numeral that ends with the text inside a container may be half of another number: the cut is what to tell.
      const isCut = this.at === this.text.length && this.frames.length > 0;
      return isCut || isExactNumber(numeral) ? undefined : { kind: 'number', path: this.path(), literal: numeral };
    }
    const word = this.run(WORD_RUN);
    if (WORDS.includes(word)) return undefined;
    const isCut = this.at === this.text.length && WORDS.some((whole) => whole.startsWith(word));
    return this.stop(isCut ? this.at : start);
  }

  /** Reads `"key":` of the innermost object. */
  private key(frame: Frame): JsonFault | undefined {
    if (this.text[this.at] !== '"') return this.stop();
    const start = this.at;
    if (!this.string()) return this.stop();
    const key = JSON.parse(this.text.slice(start, this.at)) as string;
    frame.step = key;
    if (frame.keys?.has(key) === true) return { kind: 'duplicate', path: this.path() };
    frame.keys?.add(key);
    this.run(SPACE_RUN);
    if (this.text[this.at] !== ':') return this.stop();
    this.at++;
    this.run(SPACE_RUN);
    return undefined;
  }

  /** Opens an object or array; a scalar is read whole. Says whether a value is complete. */
  private value(): JsonFault | boolean {
    const opening = this.text[this.at];
    if (opening !== '{' && opening !== '[') return this.scalar() ?? true;
    this.at++;
    this.run(SPACE_RUN);
    if (this.text[this.at] === (opening === '{' ? '}' : ']')) {
      this.at++;
      return true;
    }
    const frame: Frame = { keys: opening === '{' ? new Set() : undefined, step: 0 };
    this.frames.push(frame);
    return frame.keys === undefined ? false : (this.key(frame) ?? false);
  }

  /** After a value: closes what ends here and moves to the next one. Says whether the text is at its end. */
  private next(): JsonFault | boolean {
    for (;;) {
      this.run(SPACE_RUN);
      const frame = this.frames.at(-1);
      if (frame === undefined) return this.at < this.text.length ? this.stop() : true;
      const mark = this.text[this.at];
      if (mark === ',') {
        this.at++;
        this.run(SPACE_RUN);
        if (frame.keys !== undefined) return this.key(frame) ?? false;
        frame.step = (frame.step as number) + 1;
        return false;
      }
      if (mark !== (frame.keys === undefined ? ']' : '}')) return this.stop();
      this.at++;
      this.frames.pop();
    }
  }

  scan(): JsonFault | undefined {
    this.run(SPACE_RUN);
    for (;;) {
      const value = this.value();
      if (typeof value === 'object') return value;
      if (!value) continue;
      const next = this.next();
      if (typeof next === 'object') return next;
      if (next) return undefined;
    }
  }
}

/** Finds the first fault of JSON text: a syntax error, a repeated key, a number that would change. Never throws. */
export function scanJson(text: string): JsonFault | undefined {
  return new Scanner(text).scan();
}
