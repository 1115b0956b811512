import { compileSchema, type JsonObject } from '@sluice/core-schema';
import type { Call } from '../call.ts';
import { RESERVED_NAME } from '../registry/name.ts';
import { captureTransport, type RegisteredTool } from '../registry/registered-tool.ts';
import type { CodeRunOutcome, CodeRuntime } from '../services.ts';
import { bounded, thrownMessage } from '../thrown.ts';
import type { PresentationMode, ToolDefinition, ToolSchema } from '../types.ts';
import { Bridge, type BridgeOptions, type BridgeSide } from './bridge.ts';
import { lookups } from './catalog.ts';
import { CodeRunFailed } from './code-run-failed.ts';
import { renderRun, runOutputSchema, type RunOutput } from './run-output.ts';
import type { SdkRenderer, SdkTool } from './sdk/sdk-renderer.ts';
import { errorClass } from './tool-call-error.ts';

interface RunCodeArguments {
  readonly code: string;
  readonly description: string;
}

const DESCRIPTION =
  'Runs a program that may call every tool as a function. Give the program in `code`, and in `description` a few words on what ' +
  'it does. What it returns and prints comes back.';

function parametersFor(codeDescription: string): JsonObject {
  return {
    type: 'object',
    properties: {
      code: { type: 'string', description: codeDescription },
      description: { type: 'string', pattern: '\\S', description: 'A few words on what the program does, for the person who watches.' },
    },
    required: ['code', 'description'],
    additionalProperties: false,
  };
}

/** What a model is told of `run_code`, in the words of the runtime's language. */
export function runCodeSchema({ codeDescription }: SdkRenderer): ToolSchema {
  const { json } = compileSchema(parametersFor(codeDescription), { origin: 'own', label: RESERVED_NAME });
  return Object.freeze({ name: RESERVED_NAME, description: DESCRIPTION, parameters: json });
}

/** The transport of code mode: reserved, and found wherever a presentation mode has programs. */
export function runCodeTool(options: BridgeOptions, sdkFor: (call: Call) => { tools: readonly SdkTool[]; renderer: SdkRenderer | undefined }): RegisteredTool {
  const definition: ToolDefinition<RunCodeArguments, RunOutput> = {
    name: RESERVED_NAME,
    description: DESCRIPTION,
    parameters: parametersFor('Body of an async function.'),
    output: { schema: runOutputSchema, render: (_args, output) => renderRun(output) },
    execute() {
      throw new Error('core-tools: run_code has no body of its own');
    },
    presentCall: ({ code, description }) => ({ card: 'generic', kind: 'execute', title: description, rawInput: code }),
  };
  return captureTransport(definition, (args, side) => runProgram((args as RunCodeArguments).code, side, options, sdkFor(side.call)));
}

async function runProgram(
  program: string,
  side: BridgeSide,
  options: BridgeOptions,
  { tools, renderer }: { tools: readonly SdkTool[]; renderer: SdkRenderer | undefined },
): Promise<RunOutput> {
  const { call, run } = side;
  const runtime = call.ctx.get('codeRuntime');
  if (runtime === undefined) throw new CodeRunFailed('unavailable', noRuntime(call.engine.registry.mode(call.ctx.scopeRef), run.scopePath), []);
  const bridge = new Bridge(side, options);
  // Without a prototype, so that `__proto__` is a name like any other.
  const functions = Object.assign(Object.create(null) as object, renderer === undefined ? {} : lookups(tools, renderer));
  for (const { name } of tools) Object.defineProperty(functions, name, { value: bridge.binding(name), enumerable: true });

  let outcome: CodeRunOutcome;
  let reason = 'the program ended';
  try {
    const bindings = [Object.freeze({ global: 'tools', functions: Object.freeze(functions) as never, errorClass })];
    outcome = await runtime.run({ program, bindings, signal: run.signal, onHold: (listener) => call.onHold(listener) });
    if (outcome.error !== undefined) reason = outcome.error.kind;
  } catch (error) {
    reason = 'the runtime failed';
    throw error;
  } finally {
    await bridge.end(reason);
  }
  return outputOf(outcome, run.signal, runtime);
}

/** @throws CodeRunFailed, or the reason of an abort that ended the program */
function outputOf(outcome: CodeRunOutcome, signal: AbortSignal, runtime: CodeRuntime): RunOutput {
  const { value, logs, error } = outcome;
  if (error === undefined) return value === undefined ? { logs } : { logs, result: value };
  if (error.kind === 'abort' && signal.aborted) throw signal.reason;
  throw new CodeRunFailed(error.kind, `run_code failed (${error.kind}, ${runtime.isolation}): ${bounded(thrownMessage(error))}`, logs);
}

export function noRuntime(mode: PresentationMode, scopePath: readonly string[]): string {
  const where = scopePath.length === 0 ? 'here' : `in scope "${scopePath.join('/')}"`;
  return (
    `presentation mode "${mode}" ${where} needs a code runtime, and none is mounted; ` +
    'mount @sluice/code-runtime-quickjs or @sluice/code-runtime-worker-thread, or choose mode "native"'
  );
}
