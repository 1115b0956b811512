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

/** Line breaks with indentation, by level. */
const BREAKS = Array.from({ length: PRETTY_DEPTH + 1 }, (_, levels) => `\n${'  '.repeat(levels)}`);

/** JSON with two spaces of indentation down to `PRETTY_DEPTH` containers, and on one line below that. Iterative. */
export function prettyJson(root: JsonValue): string {
  // The same text, and many times as fast.
  if (!isDeeper(root, PRETTY_DEPTH)) return JSON.stringify(root, null, 2);
  let out = '';
  const stack: Open[] = [];
  const open = (value: JsonValue): void => {
    if (typeof value !== 'object' || value === null) {
      out += JSON.stringify(value);
      return;
    }
    const isList = Array.isArray(value);
    const keys = isList ? undefined : Object.keys(value);
    const size = isList ? value.length : (keys as readonly string[]).length;
    if (size === 0) out += isList ? '[]' : '{}';
    else {
      out += isList ? '[' : '{';
      stack.push({ keys, container: value, next: 0 });
    }
  };
  const newline = (levels: number): void => {
    if (levels <= PRETTY_DEPTH && stack.length <= PRETTY_DEPTH) out += BREAKS[levels] as string;
  };
  open(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { keys, container } = top;
    const size = keys?.length ?? (container as readonly JsonValue[]).length;
    if (top.next === size) {
      newline(stack.length - 1);
      out += keys === undefined ? ']' : '}';
      stack.pop();
      continue;
    }
    const index = top.next++;
    if (index > 0) out += ',';
    newline(stack.length);
    if (keys === undefined) {
      open((container as readonly JsonValue[])[index] as JsonValue);
    } else {
      const key = keys[index] as string;
      out += JSON.stringify(key) + (stack.length <= PRETTY_DEPTH ? ': ' : ':');
      open((container as Readonly<Record<string, JsonValue>>)[key] as JsonValue);
    }
  }
  return out;
}

/** Whether containers are nested in more than `levels` levels; an empty one is no level. */
function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const inner: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
  if (levels === 0) return inner.length > 0;
  return inner.some((each) => isDeeper(each, levels - 1));
}
