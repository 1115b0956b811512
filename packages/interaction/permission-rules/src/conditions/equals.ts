import { canonicalJson, type JsonValue } from '@sluice/core-tools';
import { hasCommand } from '../command.ts';
import { foldings } from '../encoding.ts';
import { anyText, type Judge } from './condition.ts';

/**
 * Exactly one of the values: the same JSON, to the last code unit. An ask or a deny takes every spelling of them; for a
 * command also a line that has one of them among its parts, and for an object also one that has more members.
 * @param isCommandKey whether a member of an object holds a command
 */
export function equalsOneOf(values: readonly JsonValue[], isCommand: boolean, isCommandKey: (key: string) => boolean): Judge {
  const exact = new Set(values.map(canonicalJson));
  const folded = new Set(values.flatMap((value) => foldings(textOf(value))));
  const commands = new Set(isCommand ? values.filter((value) => typeof value === 'string').map(wordsOf) : []);
  const objects = values.filter(isObject).map((value) => memberJudges(value, isCommandKey));
  const mayBe = (text: string): boolean => foldings(text).some((folding) => folded.has(folding)) || (commands.size > 0 && hasCommand(text, commands));
  return {
    surely: (value) => exact.has(canonicalJson(value)),
    possibly: (value) =>
      mayBe(textOf(value)) ||
      anyText(value, mayBe) ||
      (isObject(value) && objects.some((judges) => judges.every(([key, judge]) => Object.hasOwn(value, key) && judge.possibly(value[key] as JsonValue)))),
  };
}

type JsonMembers = Readonly<Record<string, JsonValue>>;

/** One level deep: the arguments of a call. What is further in is compared as text. */
function memberJudges(value: JsonMembers, isCommandKey: (key: string) => boolean): readonly (readonly [string, Judge])[] {
  return Object.entries(value).map(([key, member]) => [key, equalsOneOf([member], isCommandKey(key), () => false)]);
}

function isObject(value: JsonValue): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: JsonValue): string {
  return typeof value === 'object' ? canonicalJson(value) : String(value);
}

function wordsOf(command: string): string {
  return (foldings(command)[0] as string).split(/\s+/).join(' ');
}
