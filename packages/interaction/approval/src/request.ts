import { describeIssues, snapshotJson } from '@sluice/core-schema';
import type { ApprovalRequest } from '@sluice/core-tools';

/** The pipeline has limits of its own; here it only has to end. */
const LIMITS = { maxDepth: 1_000_000, maxNodes: 100_000_000 };

/**
 * The request as everybody gets to see it: checked, its arguments a frozen copy, its signal the question's own.
 *
 * @throws TypeError on misuse by whoever asks
 */
export function ownRequest(request: ApprovalRequest, scopePath: readonly string[], signal: AbortSignal): ApprovalRequest {
  const { id, toolName, callId, scope, reason, view } = request;
  for (const [name, value] of Object.entries({ id, toolName, callId })) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`approval: "${name}" of a request must be a non-empty string`);
  }
  for (const [name, value] of Object.entries({ scope, reason })) {
    if (value !== undefined && typeof value !== 'string') throw new TypeError(`approval: "${name}" of a request must be a string`);
  }
  const args = snapshotJson(request.arguments, LIMITS);
  if (!args.ok) throw new TypeError(`approval: the arguments of a request must be plain JSON: ${describeIssues([args.issue])}`);
  const where = scope ?? scopePath.join('/');
  return Object.freeze({
    id,
    ...(where === '' ? {} : { scope: where }),
    toolName,
    callId,
    arguments: args.value,
    view: (view as typeof view | undefined) ?? Object.freeze({ card: 'generic' as const, title: toolName }),
    ...(reason === undefined ? {} : { reason }),
    signal,
  });
}

/** The asker's own signal; it is not the one that answerers see. @throws TypeError */
export function askerSignal(request: ApprovalRequest): AbortSignal | undefined {
  const signal: unknown = request.signal;
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new TypeError('approval: "signal" of a request must be an AbortSignal');
}
