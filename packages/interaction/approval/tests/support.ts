import { createContext, tools, type ApprovalOutcome, type ApprovalRequest, type Context, type ToolExecutionResult } from '@sluice/core-tools';
import { aLogger, aTool, type RecordingLogger } from '@sluice/testing';
import { afterEach, expect } from 'vitest';
import { approval, approvals, type ApprovalConfig, type Approvals } from '../src/index.ts';

export interface Bed {
  readonly ctx: Context;
  readonly log: RecordingLogger;
  readonly approvals: Approvals;
  /** `asked:<id>`, and `<kind>:<id>` when decided. */
  readonly told: string[];
}

const opened: Context[] = [];
/** Answers that nobody gave; a listener in flight would hold up the end of its context. */
const unanswered = new Set<(outcome: ApprovalOutcome) => void>();

afterEach(async () => {
  for (const ctx of opened.splice(0)) {
    const disposal = ctx.dispose();
    while (unanswered.size > 0) {
      for (const answer of unanswered) answer(no);
      await settled();
    }
    await disposal;
    expect(ctx.inspect().counts).toMatchObject({ plugins: 0, listeners: 0, services: 0, contributions: 0, effects: 0, running: 0 });
  }
});

/** A context with `approval` mounted, a tool `echo` that policy asks about, and nobody who answers. */
export function aBed(config?: Partial<ApprovalConfig>): Bed {
  const log = aLogger();
  const ctx = createContext({ logger: log });
  opened.push(ctx);
  ctx.plugin(tools);
  ctx.plugin(approval, config);
  ctx.tools.register(aTool());
  ctx.on('tools/pre-execute', () => ({ kind: 'ask', reason: 'policy says so' }));
  const told: string[] = [];
  ctx.on('approval/asked', ({ id }) => told.push(`asked:${id}`));
  ctx.on('approval/decided', ({ id }, { kind }) => told.push(`${kind}:${id}`));
  return { ctx, log, approvals: approvals(ctx), told };
}

let count = 0;

export function aRequest(overrides: Partial<ApprovalRequest> = {}): ApprovalRequest {
  count += 1;
  return {
    id: `q${count}`,
    toolName: 'echo',
    callId: `call-${count}`,
    arguments: { message: 'hello' },
    view: { card: 'generic', title: 'echo' },
    signal: new AbortController().signal,
    ...overrides,
  };
}

export interface Asked {
  readonly request: ApprovalRequest;
  readonly answer: (outcome: ApprovalOutcome) => void;
}

/** An answerer in whose name the test answers, however late: what it has been asked, oldest first. */
export function aPerson(ctx: Context): Asked[] {
  const asked: Asked[] = [];
  ctx.on(
    'approval/request',
    (request) =>
      new Promise((resolve) => {
        const answer = (outcome: ApprovalOutcome): void => {
          unanswered.delete(answer);
          resolve(outcome);
        };
        unanswered.add(answer);
        asked.push({ request, answer });
      }),
  );
  return asked;
}

export const codeOf = (result: ToolExecutionResult): string => (result.isError ? result.error.info.code : 'ok');

/** Lets everything that is ready to go on do so. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) await Promise.resolve();
}

export const once: ApprovalOutcome = { kind: 'allowed-once' };
export const no: ApprovalOutcome = { kind: 'rejected' };
export const always = (remember = 'session'): ApprovalOutcome => ({ kind: 'allowed-always', rule: { tool: 'echo', decision: 'allow', remember } });
