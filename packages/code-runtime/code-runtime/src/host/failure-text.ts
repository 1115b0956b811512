import type { Position } from '../prepare.ts';

const MAX_FRAMES = 10;
const PLACE = /program\.ts:(\d+)(?::(\d+))?/g;

/** The words of a failure and the program's own lines of its stack, with positions as its author wrote it. */
export function failureText(head: string, stack: string, locate: (position: Position) => Position): string {
  const frames = stack
    .split('\n')
    .filter((line) => /^\s*at .*program\.ts:\d/.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => located(line, locate));
  const words = /^(ReferenceError): (\w+) is not defined/.exec(head.replaceAll("'", ''));
  const hint = words !== null && ABSENT.has(words[2] as string) ? `; programs have no ${words[2]}, only their namespaces and the language itself` : '';
  return [head + hint, ...frames].join('\n');
}

const ABSENT = new Set('process require module exports fetch Buffer global window document XMLHttpRequest WebSocket Worker Deno Bun'.split(' '));

function located(line: string, locate: (position: Position) => Position): string {
  return line.replace(PLACE, (_all, row: string, column: string | undefined) => {
    const at = locate({ line: Number(row), column: Number(column ?? 1) });
    return column === undefined ? `program.ts:${at.line}` : `program.ts:${at.line}:${at.column}`;
  });
}

/** Text of whatever was thrown or given as a reason. Never throws. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'something unreadable';
  }
}
