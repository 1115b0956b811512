import type { JsonValue, SchemaIssue, SnapshotLimits } from '@sluice/core-schema';
import { parseJsonText, snapshotJson } from '@sluice/core-schema';
import { isAbortSignal } from './signal.ts';
import { thrownMessage } from './thrown.ts';
import type { ToolCallInput } from './types.ts';

/** A call as its caller put it, each property read exactly once; arguments are a detached frozen snapshot by now. */
export interface ReadInput {
  readonly name: string;
  readonly callId: string | undefined;
  readonly arguments: JsonValue | undefined;
  readonly argumentsText: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Why the arguments are no JSON value, if they are none. */
  readonly problem: SchemaIssue | undefined;
}

/** @throws TypeError for misuse by the host; an accessor that throws is the model's or a plugin's fault and becomes `problem` */
export function readInput(input: ToolCallInput, limits: SnapshotLimits): ReadInput {
  if (typeof input !== 'object' || (input as unknown) === null) {
    throw new TypeError('core-tools: execute() takes { name, arguments?, argumentsText?, callId?, signal? }');
  }
  let name: unknown = '';
  let callId: unknown;
  let signal: unknown;
  let argumentsText: unknown;
  let value: unknown;
  let isGiven = false;
  let problem: SchemaIssue | undefined;
  let reading = 'name';
  try {
    name = input.name;
    reading = 'callId';
    callId = input.callId;
    reading = 'signal';
    signal = input.signal;
    reading = 'argumentsText';
    argumentsText = input.argumentsText;
    reading = 'arguments';
    value = input.arguments;
    // An explicit `arguments: undefined` is no JSON value; leaving both out is a call without arguments.
    isGiven = value !== undefined || (argumentsText === undefined && 'arguments' in input);
  } catch (error) {
    problem = unreadable(reading, error);
  }
  if (typeof name !== 'string') throw new TypeError('core-tools: a call needs a name, a string');
  if (callId !== undefined && typeof callId !== 'string') throw new TypeError('core-tools: callId must be a string');
  if (signal !== undefined && !isAbortSignal(signal)) throw new TypeError('core-tools: signal must be an AbortSignal');
  if (argumentsText !== undefined && typeof argumentsText !== 'string') {
    throw new TypeError('core-tools: argumentsText must be a string');
  }
  if (argumentsText !== undefined && value !== undefined) {
    throw new TypeError('core-tools: give a call arguments or argumentsText, not both');
  }
  const text = argumentsText;
  if (problem !== undefined) return { name, callId, arguments: undefined, argumentsText: text, signal, problem };
  const snapshot = isGiven ? snapshotJson(value, limits) : parseJsonText(text ?? '', limits);
  return snapshot.ok
    ? { name, callId, arguments: snapshot.value, argumentsText: text, signal, problem: undefined }
    : { name, callId, arguments: undefined, argumentsText: text, signal, problem: snapshot.issue };
}

function unreadable(key: string, error: unknown): SchemaIssue {
  return {
    path: '',
    message: `reading "${key}" of the call failed: ${thrownMessage(error)}`,
    expected: 'a JSON value',
    received: 'an accessor that throws',
  };
}
