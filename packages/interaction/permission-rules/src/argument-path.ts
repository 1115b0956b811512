import type { JsonValue } from '@sluice/core-tools';

/** Stands for every element of an array. */
const EVERY = Symbol('every');
type Step = string | number | typeof EVERY;

/** What an argument path leads to. */
export interface Found {
  readonly values: readonly JsonValue[];
  /** False when the path, or one of its branches, led nowhere. */
  readonly isComplete: boolean;
}

const STEP = /^(?:\.?([^.[\]"\\\s]+)|\[(\d+|\*)\]|\[("(?:[^"\\]|\\.)*")\])/;

/**
 * Reads `a.b`, `a[2]`, `files[*]`, `["a.b"]`; `''` is everything.
 * @throws SyntaxError that says where it stops making sense
 */
export function argumentPath(source: string): (args: JsonValue) => Found {
  const steps: Step[] = [];
  for (let at = 0; at < source.length; ) {
    const part = STEP.exec(source.slice(at));
    // A name begins the path or follows a dot; nothing else does.
    if (part === null || (part[1] !== undefined && part[0].startsWith('.') !== at > 0)) {
      throw new SyntaxError(`the argument path ${JSON.stringify(source)} makes no sense from ${JSON.stringify(source.slice(at, at + 20))} on; write it as a.b, a[2], files[*] or ["a.b"]`);
    }
    const [text, name, index, quoted] = part;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(index === '*' ? EVERY : Number(index));
    else steps.push(unquote(quoted as string));
    at += text.length;
  }
  return (args) => follow(args, steps);
}

function unquote(quoted: string): string {
  return JSON.parse(quoted) as string;
}

function follow(args: JsonValue, steps: readonly Step[]): Found {
  let values: JsonValue[] = [args];
  let isComplete = true;
  for (const step of steps) {
    const next: JsonValue[] = [];
    for (const value of values) {
      if (step === EVERY && Array.isArray(value)) {
        for (const element of value as JsonValue[]) next.push(element);
        if (value.length === 0) isComplete = false;
      } else if (step !== EVERY && hasStep(value, step)) {
        next.push((value as Readonly<Record<string, JsonValue>>)[step] as JsonValue);
      } else {
        isComplete = false;
      }
    }
    values = next;
  }
  return { values, isComplete };
}

/** Own data only, so that no name of Object.prototype means anything. */
function hasStep(value: JsonValue, step: string | number): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (typeof step === 'number')) return false;
  return Object.hasOwn(value, step);
}
