import type { JsonValue } from '@sluice/core-schema';
import type { ContentBlock } from '../blocks.ts';

/** What a program printed and returned. Source of the shape: dsh core/tools, run_code. */
export interface RunOutput {
  readonly logs: readonly string[];
  /** Absent when it returned nothing. */
  readonly result?: JsonValue;
}

export const runOutputSchema = {
  type: 'object',
  properties: { logs: { type: 'array', items: { type: 'string' } }, result: {} },
  required: ['logs'],
  additionalProperties: false,
} as const;

/** Levels that are laid out on lines of their own; deeper ones would be mostly indentation. Source: dsh core/tools. */
const PRETTY_DEPTH = 5;
const NO_OUTPUT = '(run_code completed with no output)';

/** Logs, then the result: a string as it is, anything else as JSON. */
export function renderRun(output: RunOutput): readonly ContentBlock[] {
  const parts = [...output.logs];
  if (output.result !== undefined) parts.push(typeof output.result === 'string' ? output.result : prettyJson(output.result));
  const text = parts.join('\n');
  return [{ type: 'text', text: text === '' ? NO_OUTPUT : text }];
}

interface Open {
  readonly keys: readonly string[] | undefined;
  readonly container: object;
  next: number;
}

/** JSON with two spaces of indentation down to `PRETTY_DEPTH` containers, and on one line below that. Iterative. */
export function prettyJson(root: JsonValue): string {
  const out: string[] = [];
  const stack: Open[] = [];
  const open = (value: JsonValue): void => {
    if (typeof value !== 'object' || value === null) {
      out.push(JSON.stringify(value));
      return;
    }
    const isList = Array.isArray(value);
    const keys = isList ? undefined : Object.keys(value);
    const size = isList ? value.length : (keys as readonly string[]).length;
    if (size === 0) out.push(isList ? '[]' : '{}');
    else {
      out.push(isList ? '[' : '{');
      stack.push({ keys, container: value, next: 0 });
    }
  };
  const newline = (levels: number): void => {
    if (levels <= PRETTY_DEPTH && stack.length <= PRETTY_DEPTH) out.push('\n', '  '.repeat(levels));
  };
  open(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { keys, container } = top;
    const size = keys?.length ?? (container as readonly JsonValue[]).length;
    if (top.next === size) {
      newline(stack.length - 1);
      out.push(keys === undefined ? ']' : '}');
      stack.pop();
      continue;
    }
    const index = top.next++;
    if (index > 0) out.push(',');
    newline(stack.length);
    if (keys === undefined) {
      open((container as readonly JsonValue[])[index] as JsonValue);
    } else {
      const key = keys[index] as string;
      out.push(JSON.stringify(key), stack.length <= PRETTY_DEPTH ? ': ' : ':');
      open((container as Readonly<Record<string, JsonValue>>)[key] as JsonValue);
    }
  }
  return out.join('');
}
