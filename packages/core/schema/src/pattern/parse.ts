/**
 * A regular expression as far as matching yes or no needs it: groups are not captured, and laziness does not matter.
 * One character is whatever the native engine takes for one atom: `set` holds its source text.
 */
export type PatternNode =
  | { kind: 'set'; source: string }
  | { kind: 'edge'; at: '^' | '$' | '\\b' | '\\B' }
  | { kind: 'look'; behind: boolean; negated: boolean; node: PatternNode }
  | { kind: 'all'; nodes: readonly PatternNode[] }
  | { kind: 'any'; nodes: readonly PatternNode[] }
  | { kind: 'repeat'; node: PatternNode; min: number; max: number };

/** A pattern that cannot be checked in bounded time, with the reason. */
export class UnboundedPattern extends Error {}

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/;
const GROUP = /^\((?:\?(?::|=|!|<=|<!|<[^>=!][^>]*>))?/;
const ESCAPE = /^\\(?:[pP]\{[^}]*\}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[\s\S])/;
const PAIR_ESCAPE = /^\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/;
const CLASS = /^\[(?:[^\\\]]|\\[\s\S])*\]/;
const MAX_NESTING = 100;
const MAX_LENGTH = 20_000;

/** Reads one pattern that the native engine has already accepted, so that it only finds where the parts begin and end. */
class Parser {
  private rest: string;
  private readonly unicode: boolean;
  private nesting = 0;

  constructor(source: string, unicode: boolean) {
    this.rest = source;
    this.unicode = unicode;
  }

  /** The whole pattern, or the inside of a group up to its closing parenthesis. */
  alternatives(): PatternNode {
    const branches: PatternNode[] = [];
    let nodes: PatternNode[] = [];
    for (;;) {
      const next = this.rest[0];
      if (next === undefined || next === ')' || next === '|') {
        branches.push(nodes.length === 1 ? (nodes[0] as PatternNode) : { kind: 'all', nodes });
        if (next !== '|') return branches.length === 1 ? (branches[0] as PatternNode) : { kind: 'any', nodes: branches };
        this.take(1);
        nodes = [];
      } else {
        nodes.push(this.quantified(this.atom()));
      }
    }
  }

  private take(length: number): string {
    const taken = this.rest.slice(0, length);
    this.rest = this.rest.slice(length);
    return taken;
  }

  private atom(): PatternNode {
    switch (this.rest[0]) {
      case '(':
        return this.group();
      case '^':
      case '$':
        return { kind: 'edge', at: this.take(1) as '^' | '$' };
      case '[':
        return { kind: 'set', source: this.take(CLASS.exec(this.rest)?.[0].length ?? 1) };
      case '\\':
        return this.escape();
      default: {
        const isPair = this.unicode && (this.rest.codePointAt(0) ?? 0) > 0xffff;
        const character = this.take(isPair ? 2 : 1);
        // Outside of unicode mode, brackets and braces that close or repeat nothing are themselves.
        return { kind: 'set', source: '{}]'.includes(character) ? `\\${character}` : character };
      }
    }
  }

  private escape(): PatternNode {
    if (this.rest.startsWith('\\b') || this.rest.startsWith('\\B')) return { kind: 'edge', at: this.take(2) as '\\b' };
    if (/^\\(?:[1-9]|k<)/.test(this.rest)) throw new UnboundedPattern('it has a backreference');
    if (/^\\(?:0\d|c(?![A-Za-z]))/.test(this.rest)) throw new UnboundedPattern('it has an escape of old JavaScript');
    const pair = this.unicode ? PAIR_ESCAPE.exec(this.rest) : null;
    if (pair !== null) return { kind: 'set', source: this.take(pair[0].length) };
    const found = ESCAPE.exec(this.rest)?.[0] ?? '\\';
    const isProperty = /^\\[pP]\{/.test(found);
    const length = !this.unicode && (isProperty || found.startsWith('\\u{')) ? 2 : found.length;
    return { kind: 'set', source: this.take(length) };
  }

  private group(): PatternNode {
    const opening = GROUP.exec(this.rest)?.[0] ?? '(';
    if (opening === '(' && this.rest[1] === '?') throw new UnboundedPattern('it has a group of an unknown kind');
    if (++this.nesting > MAX_NESTING) throw new UnboundedPattern(`its groups are nested more than ${MAX_NESTING} deep`);
    this.take(opening.length);
    const node = this.alternatives();
    this.take(1);
    this.nesting--;
    if (!/^\(\?<?[=!]/.test(opening)) return node;
    return { kind: 'look', behind: opening[2] === '<', negated: opening.endsWith('!'), node };
  }

  private quantified(node: PatternNode): PatternNode {
    const found = QUANTIFIER.exec(this.rest);
    if (found === null) return node;
    const [text, least, comma, most] = found;
    this.take(text.length);
    if (text.startsWith('*')) return { kind: 'repeat', node, min: 0, max: Infinity };
    if (text.startsWith('+')) return { kind: 'repeat', node, min: 1, max: Infinity };
    if (text.startsWith('?')) return { kind: 'repeat', node, min: 0, max: 1 };
    const min = Number(least);
    if (comma === undefined) return { kind: 'repeat', node, min, max: min };
    return { kind: 'repeat', node, min, max: most === '' || most === undefined ? Infinity : Number(most) };
  }
}

/**
 * Takes apart a pattern without flags other than `u`.
 * @throws UnboundedPattern for a backreference, a group with flags, an old escape, absurd nesting or length.
 */
export function parsePattern(source: string, unicode: boolean): PatternNode {
  if (source.length > MAX_LENGTH) throw new UnboundedPattern(`it is longer than ${MAX_LENGTH} characters`);
  return new Parser(source, unicode).alternatives();
}
