import { UnboundedPattern, type PatternNode } from './parse.ts';

/** What must hold between two characters for a step to be taken. */
export type Condition = { edge: '^' | '$' | '\\b' | '\\B' } | { look: number; negated: boolean };

/** A nondeterministic automaton. A state either consumes one character of its set, or splits for free. */
export interface Program {
  readonly start: number;
  readonly accept: number;
  readonly states: readonly State[];
}

export type State =
  | { kind: 'read'; set: number; to: number }
  | { kind: 'split'; to: number[] }
  | { kind: 'check'; condition: Condition; to: number };

/** A pattern ready to run: programs of its lookarounds, inner ones before outer ones, then the program of the whole. */
export interface CompiledPattern {
  readonly main: Program;
  readonly looks: readonly { program: Program; behind: boolean }[];
  /** Sources of the character sets. */
  readonly sets: readonly string[];
  /** All states of all programs. */
  readonly size: number;
}

/** More would make one check of a long text slow: time grows with states times characters. */
const MAX_STATES = 2_000;

/** Builds programs back to front: each piece is compiled towards the state that follows it. */
class Builder {
  readonly looks: { program: Program; behind: boolean }[] = [];
  readonly sets: string[] = [];
  size = 0;
  private states: State[] = [];

  /** @param reversed for lookaheads, which are run from the end of the text, so that one run serves every position. */
  program(node: PatternNode, reversed: boolean): Program {
    const outer = this.states;
    const states: State[] = (this.states = []);
    const accept = this.add({ kind: 'split', to: [] });
    const start = this.piece(node, accept, reversed);
    this.states = outer;
    return { start, accept, states };
  }

  private add(state: State): number {
    if (++this.size > MAX_STATES) throw new UnboundedPattern(`it needs more than ${MAX_STATES} states`);
    return this.states.push(state) - 1;
  }

  private setOf(source: string): number {
    const known = this.sets.indexOf(source);
    return known >= 0 ? known : this.sets.push(source) - 1;
  }

  private piece(node: PatternNode, to: number, reversed: boolean): number {
    switch (node.kind) {
      case 'set':
        return this.add({ kind: 'read', set: this.setOf(node.source), to });
      case 'edge':
        return this.add({ kind: 'check', condition: { edge: node.at }, to });
      case 'look': {
        const program = this.program(node.node, !node.behind);
        const look = this.looks.push({ program, behind: node.behind }) - 1;
        return this.add({ kind: 'check', condition: { look, negated: node.negated }, to });
      }
      case 'any':
        return this.add({ kind: 'split', to: node.nodes.map((branch) => this.piece(branch, to, reversed)) });
      case 'all': {
        const ordered = reversed ? node.nodes : [...node.nodes].reverse();
        return ordered.reduce((next, part) => this.piece(part, next, reversed), to);
      }
      case 'repeat':
        return this.repeat(node.node, node.min, node.max, to, reversed);
    }
  }

  private repeat(node: PatternNode, min: number, max: number, to: number, reversed: boolean): number {
    let next = to;
    if (max === Infinity) {
      const split: State = { kind: 'split', to: [to] };
      next = this.add(split);
      split.to.push(this.piece(node, next, reversed));
    } else {
      for (let count = min; count < max; count++) {
        next = this.add({ kind: 'split', to: [to, this.piece(node, next, reversed)] });
      }
    }
    for (let count = 0; count < min; count++) next = this.piece(node, next, reversed);
    return next;
  }
}

/** @throws UnboundedPattern when the pattern needs too many states. */
export function compilePattern(node: PatternNode): CompiledPattern {
  const builder = new Builder();
  const main = builder.program(node, false);
  return { main, looks: builder.looks, sets: builder.sets, size: builder.size };
}
