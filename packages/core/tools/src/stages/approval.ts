import type { Call } from '../call.ts';
import { disown } from '../disown.ts';
import { codes } from '../errors.ts';
import { aborted, fail, type FailureParts } from '../outcome.ts';
import { gaveUp, withPatience } from '../patience.ts';
import { ended, endedByHook, type Ended } from '../pipeline-state.ts';
import { pendingCard } from '../present.ts';
import { bounded } from '../thrown.ts';
import { answerRecord, HookFailure, Nonsense } from '../waterfall.ts';
import type { ApprovalOutcome, ApprovalRequest, ApprovalService } from '../services.ts';

/** Puts the exact call before a person. `undefined` is a yes; everything else ends the call. */
export async function approval(call: Call, reason: string | undefined): Promise<undefined | Ended> {
  try {
    const service = call.ctx.get('approval');
    return service === undefined ? nobody(call, reason) : await question(call, service, reason);
  } catch (error) {
    return endedByHook(call, new HookFailure('the approval service', 'approval', error));
  }
}

function nobody(call: Call, reason: string | undefined): Ended {
  return denied(call, {
    code: codes.APPROVAL_UNAVAILABLE,
    message: reason ?? `tool "${call.exec.name}" requires approval`,
    hint: 'It needs approval, and there is nobody here to ask. Choose another way, or report what you would have done.',
  });
}

async function question(call: Call, service: ApprovalService, reason: string | undefined): Promise<undefined | Ended> {
  hold(call, true);
  try {
    const outcome = await withPatience(call, ask(service, requestFor(call, reason)));
    return outcome === gaveUp ? ended(aborted(call)) : verdict(call, outcome);
  } finally {
    hold(call, false);
  }
}

async function ask(service: ApprovalService, request: ApprovalRequest): Promise<ApprovalOutcome> {
  const answer: unknown = await service.request(request);
  try {
    return parseOutcome(answer);
  } catch (error) {
    disown(answer);
    throw error;
  }
}

function requestFor(call: Call, reason: string | undefined): ApprovalRequest {
  const { exec } = call;
  const request: { -readonly [K in keyof ApprovalRequest]: ApprovalRequest[K] } = {
    id: exec.id,
    toolName: exec.name,
    callId: exec.callId,
    arguments: exec.arguments ?? null,
    view: pendingCard(call.tool, exec, { limits: call.engine.limits, logger: call.ctx.logger }),
    signal: exec.signal,
  };
  if (exec.scopePath.length > 0) request.scope = exec.scopePath.join('/');
  if (reason !== undefined) request.reason = reason;
  return Object.freeze(request);
}

function verdict(call: Call, outcome: ApprovalOutcome): undefined | Ended {
  const { name } = call.exec;
  switch (outcome.kind) {
    case 'allowed-once':
    case 'allowed-always':
      return undefined;
    case 'rejected': {
      const said = outcome.feedback === undefined || outcome.feedback === '' ? '' : `: ${bounded(outcome.feedback)}`;
      return denied(call, { code: codes.APPROVAL_REJECTED, message: `the user rejected tool "${name}"${said}` });
    }
    case 'cancelled':
      if (call.isAborted) return ended(aborted(call));
      return denied(call, { code: codes.APPROVAL_CANCELLED, message: `approval for tool "${name}" was cancelled` });
    case 'unavailable':
      return denied(call, {
        code: codes.APPROVAL_UNAVAILABLE,
        message: `no approval channel is available for tool "${name}": ${bounded(outcome.why)}`,
      });
  }
}

/** @throws Nonsense for an outcome that is none of the five; never a grant */
function parseOutcome(answer: unknown): ApprovalOutcome {
  const { kind, feedback, why, rule } = answerRecord(answer, 'an approval outcome');
  switch (kind) {
    case 'allowed-once':
    case 'cancelled':
      return { kind };
    case 'allowed-always':
      return { kind, rule };
    case 'rejected':
      return typeof feedback === 'string' ? { kind, feedback } : { kind };
    case 'unavailable':
      return { kind, why: typeof why === 'string' ? why : 'no reason given' };
    default:
      throw new Nonsense(`it answered an outcome of unknown kind ${JSON.stringify(String(kind).slice(0, 40))}`);
  }
}

function denied(call: Call, parts: FailureParts): Ended {
  return ended(fail(call, parts));
}

/** Deadlines of this call and of those that wait for it pause while a person thinks. */
function hold(call: Call, held: boolean): void {
  for (let at: Call | undefined = call; at !== undefined; at = at.parent) {
    call.ctx.emit('tools/hold', Object.freeze({ callId: at.exec.callId, held }));
    at.held(held);
  }
}
