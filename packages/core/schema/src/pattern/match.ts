import type { CompiledPattern, Condition, Program } from './program.ts';

const WORD = /^\w$/;
const ASCII = 128;

/** Asks the native engine whether one character is in a set; remembers the answer for ASCII. */
function setTest(source: string, flags: string): (character: string) => boolean {
  const native = new RegExp(`^(?:${source})$`, flags);
  const known = new Uint8Array(ASCII);
  return (character) => {
    const code = character.charCodeAt(0);
    if (code >= ASCII) return native.test(character);
    if (known[code] === 0) known[code] = native.test(character) ? 1 : 2;
    return known[code] === 1;
  };
}

/**
 * Runs one program over the text, starting anew at every position, and reports the positions where it accepts.
 * Takes time proportional to states times characters, whatever the pattern.
 * @param report says true to stop.
 */
function run(
  program: Program,
  characters: readonly string[],
  backwards: boolean,
  tests: readonly ((character: string) => boolean)[],
  holds: (condition: Condition, position: number) => boolean,
  report: (position: number) => boolean,
): void {
  const { states, start, accept } = program;
  const length = characters.length;
  const lastSeen = new Int32Array(states.length).fill(-1);
  let current: number[] = [];
  const open: number[] = [];

  for (let step = 0; step <= length; step++) {
    const position = backwards ? length - step : step;
    // Follow everything that costs no character, each state once per position.
    open.push(start, ...current);
    current = [];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (lastSeen[state] === step) continue;
      lastSeen[state] = step;
      const entry = states[state];
      if (entry === undefined) continue;
      if (entry.kind === 'read') current.push(state);
      else if (entry.kind === 'split') open.push(...entry.to);
      else if (holds(entry.condition, position)) open.push(entry.to);
    }
    if (lastSeen[accept] === step && report(position)) return;
    const character = characters[backwards ? position - 1 : position];
    if (character === undefined) return;
    const following: number[] = [];
    for (const state of current) {
      const entry = states[state];
      if (entry?.kind === 'read' && tests[entry.set]?.(character) === true) following.push(entry.to);
    }
    current = following;
  }
}

/** Makes a yes-or-no matcher whose time is linear in the text. */
export function matcherOf(pattern: CompiledPattern, unicode: boolean): (text: string) => boolean {
  const tests = pattern.sets.map((source) => setTest(source, unicode ? 'u' : ''));
  return (text) => {
    const characters = unicode ? Array.from(text) : text.split('');
    const isWord = (position: number): boolean => WORD.test(characters[position] ?? '');
    const tables: Uint8Array[] = [];
    const holds = (condition: Condition, position: number): boolean => {
      if ('look' in condition) return (tables[condition.look]?.[position] === 1) !== condition.negated;
      switch (condition.edge) {
        case '^':
          return position === 0;
        case '$':
          return position === characters.length;
        default:
          return (isWord(position - 1) !== isWord(position)) === (condition.edge === '\\b');
      }
    };
    for (const { program, behind } of pattern.looks) {
      const table = new Uint8Array(characters.length + 1);
      run(program, characters, !behind, tests, holds, (position) => {
        table[position] = 1;
        return false;
      });
      tables.push(table);
    }
    let isMatch = false;
    run(pattern.main, characters, false, tests, holds, () => (isMatch = true));
    return isMatch;
  };
}
