import { canonicalJson, type JsonValue } from '@sluice/core-tools';
import { hasCommand } from '../command.ts';
import { foldings } from '../encoding.ts';
import { anyText, type Judge } from './condition.ts';

/**
 * Exactly one of the values: the same JSON, to the last code unit. An ask or a deny takes every spelling of them, and, for a
 * command, also a line that has one of them among its parts.
 */
export function equalsOneOf(values: readonly JsonValue[], isCommand: boolean): Judge {
  const exact = new Set(values.map(canonicalJson));
  const folded = new Set(values.flatMap(spellings));
  const commands = new Set(isCommand ? values.filter((value) => typeof value === 'string').map(wordsOf) : []);
  const mayBe = (text: string): boolean =>
    foldings(text).some((folding) => folded.has(folding)) || (commands.size > 0 && hasCommand(text, commands));
  return {
    surely: (value) => exact.has(typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value)),
    possibly: (value) => exact.has(canonicalJson(value)) || foldings(canonicalJson(value)).some((text) => folded.has(text)) || anyText(value, mayBe),
  };
}

function spellings(value: JsonValue): readonly string[] {
  return typeof value === 'object' ? foldings(canonicalJson(value)) : foldings(String(value));
}

function wordsOf(command: string): string {
  return (foldings(command)[0] as string).split(/\s+/).join(' ');
}
