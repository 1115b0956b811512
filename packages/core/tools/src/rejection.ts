import type { ScopeRef } from '@sluice/core-context';
import { describeIssues, type JsonValue, type SchemaIssue } from '@sluice/core-schema';
import type { Call } from './call.ts';
import { codes } from './errors.ts';
import type { FailureParts } from './outcome.ts';
import type { ReadInput } from './read-input.ts';
import { closestNames, RESERVED_NAME } from './registry/name.ts';
import type { RegisteredTool } from './registry/registered-tool.ts';
import type { Registry } from './registry/registry.ts';

/** Why a call cannot run at all, if it cannot. */
export function rejectionOf(input: ReadInput, tool: RegisteredTool | undefined, call: Call): FailureParts | undefined {
  if (input.problem !== undefined) return invalidArguments([input.problem]);
  if (tool === undefined) return unknownTool(input.name, call);
  const issues = tool.parameters.validate(input.arguments as JsonValue);
  return issues.length === 0 ? undefined : invalidArguments(issues);
}

function invalidArguments(issues: readonly SchemaIssue[]): FailureParts {
  return {
    code: codes.INVALID_ARGS,
    message: `invalid arguments: ${describeIssues(issues)}`,
    hint: 'Nothing ran. Correct the arguments and call again.',
  };
}

/** Whether a direct call of `name` is none: under `code` all tools but `run_code` are for programs. */
export function isCollapsed(registry: Registry, scope: ScopeRef, name: string): boolean {
  return name !== RESERVED_NAME && registry.mode(scope) === 'code';
}

export function collapsed(name: string): FailureParts {
  return {
    code: codes.UNKNOWN_TOOL,
    message: `unknown tool ${JSON.stringify(name)}: the only tool to be called directly is "${RESERVED_NAME}"`,
    hint: `Nothing ran. Call "${RESERVED_NAME}" with a program that awaits tools[${JSON.stringify(name)}](…).`,
  };
}

/** Also used when the tool goes away between entry and dispatch. */
export function unknownTool(name: string, call: Pick<Call, 'engine' | 'ctx'>): FailureParts {
  const near = closestNames(name, call.engine.registry.names(call.ctx.scopeRef));
  return {
    code: codes.UNKNOWN_TOOL,
    message: `unknown tool ${JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)}`,
    hint: near.length === 0 ? 'Use one of the tools you were given.' : `Did you mean ${near.map((n) => `"${n}"`).join(' or ')}?`,
  };
}
