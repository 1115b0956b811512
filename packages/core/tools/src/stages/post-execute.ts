import type { Call } from '../call.ts';
import { checkContent, checkContexts, contentText } from '../content.ts';
import { codes } from '../errors.ts';
import type { MaybePromise } from '../maybe.ts';
import { aborted, fail, RAN_HINT, replaceByFailure, withContent, withContexts } from '../outcome.ts';
import { gaveUp } from '../patience.ts';
import { endedByHook } from '../pipeline-state.ts';
import { unknownTool } from '../rejection.ts';
import { answerRecord, Nonsense, WaterfallRun } from '../waterfall.ts';
import type { ContentBlock } from '../blocks.ts';
import type { PostToolDecision, ToolExecutionResult, ToolSuccess } from '../types.ts';
import { validateOutput } from './validate-output.ts';

const UNCHANGED: PostToolDecision = Object.freeze({ kind: 'accept' });

/** Text for a block whose feedback has no words. */
const BLOCKED_MESSAGE = 'the result was blocked by policy';

/** Policy on what came out. It may reshape a success, add contexts to anything, or block; it cannot turn a failure into a success. */
export function postExecute(call: Call, result: ToolExecutionResult): MaybePromise<ToolExecutionResult> {
  const waterfall = new WaterfallRun(
    'tools/post-execute',
    call.ctx.listeners('tools/post-execute'),
    (entry, next) => entry.enter(call.exec, result, next),
    () => UNCHANGED,
    (answer) => parseDecision(answer, result),
  );
  return waterfall.settle(
    call,
    (decision) => {
      const shaped = decision === gaveUp || decision === UNCHANGED ? result : apply(call, result, decision, waterfall.decidedBy);
      return !shaped.isError && call.isAborted ? aborted(call, shaped.additionalContexts) : shaped;
    },
    (failure) => endedByHook(call, failure, result).result,
  );
}

function apply(
  call: Call,
  result: ToolExecutionResult,
  decision: PostToolDecision,
  decidedBy: string | undefined,
): ToolExecutionResult {
  const added = decision.additionalContexts ?? [];
  if (decision.kind === 'block') {
    const text = contentText(decision.feedback);
    return replaceByFailure(call, result, {
      code: codes.BLOCKED,
      message: text === '' ? BLOCKED_MESSAGE : text,
      content: decision.feedback,
      listener: decidedBy,
      // What was collected before belongs to a result that is not to be seen.
      contexts: added,
    });
  }
  let shaped = result;
  if (decision.content !== undefined) shaped = withContent(shaped, decision.content);
  if (Object.hasOwn(decision, 'value') && !result.isError) shaped = withValue(call, result, decision.value);
  return withContexts(shaped, added);
}

function withValue(call: Call, result: ToolSuccess, value: unknown): ToolExecutionResult {
  const { tool } = call;
  const contexts = result.additionalContexts ?? [];
  if (tool === undefined || !call.isRegistered) return fail(call, { ...unknownTool(call.exec.name, call), ...(call.started ? { hint: RAN_HINT } : {}), contexts });
  return validateOutput(call, tool, value, { contexts, concludesTurn: result.concludesTurn === true });
}

/** Fails closed, as every decision does. The answer stays a decision, with checked parts, for the listeners outside. @throws Nonsense */
function parseDecision(answer: unknown, result: ToolExecutionResult): PostToolDecision {
  if (answer === UNCHANGED) return UNCHANGED;
  const record = answerRecord(answer, "{ kind: 'accept' | 'block' }");
  const checked = checkContexts(record['additionalContexts']);
  if (!checked.ok) throw new Nonsense(checked.problem);
  const contexts = checked.contexts.length === 0 ? {} : { additionalContexts: checked.contexts };
  switch (record['kind']) {
    case 'accept': {
      const hasContent = Object.hasOwn(record, 'content');
      const hasValue = Object.hasOwn(record, 'value');
      if (hasContent && hasValue) throw new Nonsense('it replaced content and value; choose one');
      if (hasValue && result.isError) throw new Nonsense('it replaced the value of a failure');
      if (hasValue) return Object.freeze({ kind: 'accept', value: record['value'], ...contexts });
      if (record['content'] === undefined) return Object.freeze({ kind: 'accept', ...contexts });
      return Object.freeze({ kind: 'accept', content: content(record['content']), ...contexts });
    }
    case 'block':
      return Object.freeze({ kind: 'block', feedback: content(record['feedback']), ...contexts });
    default:
      throw new Nonsense(`it answered a decision of unknown kind ${JSON.stringify(String(record['kind']).slice(0, 40))}`);
  }
}

function content(blocks: unknown): readonly ContentBlock[] {
  const checked = checkContent(blocks);
  if (!checked.ok) throw new Nonsense(checked.problem);
  return checked.content;
}
