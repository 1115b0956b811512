import { matcherOf } from './match.ts';
import { parsePattern, UnboundedPattern, type PatternNode } from './parse.ts';
import { compilePattern } from './program.ts';
import { CheckLimit } from '../check-limit.ts';

/** What Ajv asks of a regular expression. */
export interface PatternTest {
  test(text: string): boolean;
}

/** How the native, backtracking engine can behave at worst: `factor * length ** degree` steps. */
interface Cost {
  factor: number;
  degree: number;
}

const NATIVE_STEPS = 1_000_000;
const LINEAR_STEPS = 20_000_000;
const SIMPLE_FACTOR = 10_000;

/** An upper bound, not an estimate: each place with a choice multiplies. */
function nativeCost(node: PatternNode): Cost {
  switch (node.kind) {
    case 'set':
    case 'edge':
      return { factor: 1, degree: 0 };
    case 'look':
      return nativeCost(node.node);
    case 'any':
    case 'all': {
      const costs = node.nodes.map(nativeCost);
      const choices = node.kind === 'any' ? costs.length : 1;
      return {
        factor: costs.reduce((product, cost) => product * cost.factor, choices),
        degree: costs.reduce((sum, cost) => sum + cost.degree, 0),
      };
    }
    case 'repeat': {
      const inner = nativeCost(node.node);
      const isSingle = inner.factor === 1 && inner.degree === 0;
      if (node.max === Infinity) return isSingle ? { factor: 1, degree: 1 } : { factor: 1, degree: Infinity };
      const choices = node.max - node.min + 1;
      return { factor: inner.factor ** node.max * choices, degree: inner.degree * node.max };
    }
  }
}

/** Whether every match must begin at the start of the text, so that the native engine tries one position only. */
function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'edge') return node.at === '^';
  if (node.kind === 'any') return node.nodes.every(isAnchored);
  return node.kind === 'all' && node.nodes[0] !== undefined && isAnchored(node.nodes[0]);
}

/** Compiles with `u` as the standard says, or without it for the many patterns that are only valid so. */
export function nativePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

/**
 * A pattern from outside, made safe: the native engine where the pattern's shape and the length of the text bound its
 * steps, and an automaton that needs linear time everywhere else. Lookarounds are supported, backreferences are not.
 * @throws SyntaxError when it is no regular expression.
 * @throws UnboundedPattern when its time cannot be bounded; the message says why.
 */
export function boundedPattern(source: string): PatternTest {
  const native = nativePattern(source);
  const node = parsePattern(source, native.unicode);
  const { factor, degree } = nativeCost(node);
  const steps = isAnchored(node) ? degree : degree + 1;
  // One quantified character, as in ^[a-z]{1,9999}$, is fast for any text that a model writes; no need for an automaton.
  const program = steps <= 1 && factor <= SIMPLE_FACTOR ? undefined : compilePattern(node);
  let matches: ((text: string) => boolean) | undefined;
  return {
    test(text) {
      if (factor * (text.length + 1) ** steps <= NATIVE_STEPS) return native.test(text);
      if (program === undefined || text.length * program.size > LINEAR_STEPS) {
        throw new CheckLimit(`a text of ${text.length} characters is too long to be checked against the pattern`);
      }
      matches ??= matcherOf(program, native.unicode);
      return matches(text);
    },
  };
}

export { UnboundedPattern };
