import { compileSchema, isObjectRoot, snapshotJson, type CompiledSchema } from '@sluice/core-schema';
import type { BridgeSide } from '../code-mode/bridge.ts';
import { isTyped } from '../define-tool.ts';
import type { LockKeys, ToolAnnotations, ToolDefinition, ToolExecution, ToolSchema } from '../types.ts';
import { assertToolName } from './name.ts';

/**
 * A definition as it was at registration: checked, compiled and captured, so that nothing done to the object later can
 * change what runs. Functions keep the definition as their receiver.
 */
export interface RegisteredTool {
  readonly name: string;
  readonly definition: ToolDefinition;
  /** Plugin that registered it. */
  readonly registrant: string;
  readonly parameters: CompiledSchema;
  readonly output: CompiledSchema;
  readonly schema: ToolSchema;
  /** `exec.tool` of every call of it. */
  readonly facts: NonNullable<ToolExecution['tool']>;
  readonly execute: ToolDefinition['execute'];
  /** The body of `run_code`, which sees more of its call than others do. */
  readonly executeInside?: InsideBody;
  readonly render: ToolDefinition['output']['render'];
  readonly presentationMeta: ToolDefinition['output']['presentationMeta'];
  readonly isConcurrencySafe: ToolDefinition['isConcurrencySafe'];
  readonly locks: ToolDefinition['locks'];
  readonly finalizeContent: ToolDefinition['finalizeContent'];
  readonly presentCall: ToolDefinition['presentCall'];
  readonly presentResult: ToolDefinition['presentResult'];
}

export type InsideBody = (args: unknown, side: BridgeSide) => Promise<unknown>;

/** As parameters, `{}` is the property map of no properties; as an output it is what it is in JSON Schema: any value. */
const ANY_VALUE = Object.freeze({ type: 'json' });

const annotationKeys = {
  title: 'string',
  readOnlyHint: 'boolean',
  destructiveHint: 'boolean',
  idempotentHint: 'boolean',
  openWorldHint: 'boolean',
} as const;

/** @throws TypeError naming the tool and what is wrong; SluiceError `INVALID_SCHEMA` */
export function captureTool(definition: ToolDefinition, registrant: string): RegisteredTool {
  if (typeof definition !== 'object' || (definition as unknown) === null) {
    throw new TypeError('core-tools: register() takes a tool definition, an object; see defineTool');
  }
  assertToolName(definition.name);
  return capture(definition, registrant);
}

/** `run_code`, under the name that no tool may have. */
export function captureTransport(definition: ToolDefinition, executeInside: InsideBody): RegisteredTool {
  return Object.freeze({ ...capture(definition, 'core-tools'), executeInside });
}

function capture(definition: ToolDefinition, registrant: string): RegisteredTool {
  const { name, description, parameters, output, timeoutMs } = definition;
  const wrong = (what: string): TypeError => new TypeError(`core-tools: tool "${name}": ${what}`);

  if (typeof description !== 'string') throw wrong('description must be a string');
  if (!isRecord(output) || !hasFunction(output, 'render') || (output.schema as unknown) === undefined) {
    throw wrong('output must be { schema, render, presentationMeta? }, an object with a schema and a render function');
  }
  if (output.presentationMeta !== undefined && !hasFunction(output, 'presentationMeta')) {
    throw wrong('output must be { schema, render, presentationMeta? }; presentationMeta is no function');
  }
  if (!hasFunction(definition, 'execute')) throw wrong('execute must be a function');
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw wrong(`timeoutMs must be a positive finite number of milliseconds; got ${String(timeoutMs)}`);
  }
  for (const key of ['isConcurrencySafe', 'locks', 'repeatKey', 'finalizeContent', 'presentCall', 'presentResult'] as const) {
    if (definition[key] !== undefined && !hasFunction(definition, key)) throw wrong(`${key} must be a function`);
  }

  const origin = isTyped(definition) ? 'own' : 'foreign';
  const compiledParameters = compileSchema(parameters, { origin, label: `tool "${name}" parameters` });
  if (!isObjectRoot(compiledParameters)) throw wrong('parameters must describe an object');
  const outputSource = isRecord(output.schema) && Reflect.ownKeys(output.schema).length === 0 ? ANY_VALUE : output.schema;
  const compiledOutput = compileSchema(outputSource, { origin, label: `tool "${name}" output.schema` });
  const annotations = captureAnnotations(definition.annotations, wrong);

  return Object.freeze({
    name,
    definition,
    registrant,
    parameters: compiledParameters,
    output: compiledOutput,
    schema: Object.freeze({ name, description, parameters: compiledParameters.json }),
    facts: Object.freeze({
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(definition.repeatKey === undefined ? {} : { repeatKey: definition.repeatKey.bind(definition) }),
    }),
    execute: definition.execute.bind(definition),
    render: output.render.bind(output),
    presentationMeta: output.presentationMeta?.bind(output),
    isConcurrencySafe: definition.isConcurrencySafe?.bind(definition),
    locks: definition.locks?.bind(definition),
    finalizeContent: definition.finalizeContent?.bind(definition),
    presentCall: definition.presentCall?.bind(definition),
    presentResult: definition.presentResult?.bind(definition),
  });
}

function captureAnnotations(annotations: unknown, wrong: (what: string) => TypeError): ToolAnnotations | undefined {
  if (annotations === undefined) return undefined;
  const snapshot = snapshotJson(annotations);
  if (!snapshot.ok || !isRecord(snapshot.value)) throw wrong('annotations must be a plain object');
  const copy = snapshot.value as Record<string, unknown>;
  for (const [key, type] of Object.entries(annotationKeys)) {
    if (Object.hasOwn(copy, key) && typeof copy[key] !== type) throw wrong(`annotations.${key} must be a ${type}`);
  }
  return copy;
}

function hasFunction<T extends object>(holder: T, key: keyof T): boolean {
  return typeof holder[key] === 'function';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The lock keys as plain lists. @throws TypeError if they are anything else */
export function checkLockKeys(keys: LockKeys): { read: readonly string[]; write: readonly string[] } {
  if (typeof keys !== 'object' || (keys as unknown) === null) throw new TypeError('locks must give { read?: string[], write?: string[] }');
  const list = (value: unknown): readonly string[] => {
    if (value === undefined) return [];
    if (!Array.isArray(value) || !value.every((key) => typeof key === 'string')) {
      throw new TypeError('lock keys must be arrays of strings');
    }
    return [...(value)];
  };
  return { read: list(keys.read), write: list(keys.write) };
}
