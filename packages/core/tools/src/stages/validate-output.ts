import { describeIssues, snapshotJson, type JsonValue } from '@sluice/core-schema';
import type { Attempt } from '../attempt.ts';
import type { Call } from '../call.ts';
import { checkContent } from '../content.ts';
import { disown } from '../disown.ts';
import { codes } from '../errors.ts';
import { fail, RAN_HINT, succeed } from '../outcome.ts';
import type { RegisteredTool } from '../registry/registered-tool.ts';
import { thrownMessage } from '../thrown.ts';
import type { ContentBlock } from '../blocks.ts';
import type { AdditionalContext, ToolExecutionResult } from '../types.ts';

/** Where a value comes from decides what is kept with it. */
export interface ValueSource {
  /** Absent for a value that a wrapper or listener made: render makes its content, and nothing concludes the turn. */
  readonly attempt?: Attempt | undefined;
  readonly contexts: readonly AdditionalContext[];
  readonly concludesTurn: boolean;
}

/** Value to success: snapshot, schema, freeze, content, meta. Whatever goes wrong is `INVALID_TOOL_OUTPUT` and keeps the contexts. */
export function validateOutput(call: Call, tool: RegisteredTool, value: unknown, source: ValueSource): ToolExecutionResult {
  const invalid = (problem: string): ToolExecutionResult =>
    fail(call, {
      code: codes.INVALID_TOOL_OUTPUT,
      message: `tool "${tool.name}" returned invalid output: ${problem}`,
      hint: call.started ? RAN_HINT : undefined,
      contexts: source.contexts,
    });

  const snapshot = snapshotJson(value, call.engine.limits);
  if (!snapshot.ok) {
    disown(value);
    return invalid(describeIssues([snapshot.issue], 'value'));
  }
  const issues = tool.output.validate(snapshot.value);
  if (issues.length > 0) return invalid(describeIssues(issues, 'value'));

  const args = call.exec.arguments as JsonValue;
  let content: readonly ContentBlock[];
  const supplied = source.attempt?.content;
  try {
    const checked = checkContent(supplied === undefined ? tool.render(args, snapshot.value) : supplied);
    if (!checked.ok) return invalid(`${supplied === undefined ? 'output.render' : 'exec.content'} gave no content: ${checked.problem}`);
    content = checked.content;
  } catch (error) {
    return invalid(`output.render failed: ${thrownMessage(error)}`);
  }

  let meta: JsonValue | undefined;
  // Only a root call has a card; a nested one belongs to its caller.
  if (tool.presentationMeta !== undefined && call.parent === undefined) {
    try {
      const made = tool.presentationMeta(args, snapshot.value);
      if (made !== undefined) {
        const checked = snapshotJson(made, call.engine.limits);
        if (!checked.ok) {
          disown(made);
          return invalid(`output.presentationMeta: ${describeIssues([checked.issue], 'meta')}`);
        }
        meta = checked.value;
      }
    } catch (error) {
      return invalid(`output.presentationMeta failed: ${thrownMessage(error)}`);
    }
  }
  return succeed(call, snapshot.value, content, meta, source.contexts, source.concludesTurn);
}
