import type { Context } from '@sluice/core-context';
import type { ToolCallPart } from '@sluice/core-session';
import type { ToolExecution, ToolExecutionResult, ToolFailure } from '@sluice/core-tools';
import type { Conversation } from './conversation.ts';

/** Code of the result of a call that the turn could not afford. */
export const CALL_BUDGET = 'CALL_BUDGET';
/** Of one that nobody could make. */
const NOT_STARTED = 'NOT_STARTED';

export interface BatchOptions {
  readonly at: { readonly turn: number; readonly step: number };
  readonly signal: AbortSignal;
  readonly maxParallel: number;
  /** Calls that the turn may still make. */
  readonly budget: number;
}

/**
 * Makes the calls of one reply. Each is logged as it starts and again with its result, in the order of the reply: also those
 * that never start, because of an abort or the budget. So calls and results always pair up.
 */
export class Batch {
  readonly #conversation: Conversation;
  readonly #calls: readonly ToolCallPart[];
  readonly #options: BatchOptions;
  /** `seq` of the calls that have started, in order. */
  readonly #started: number[] = [];
  #failure: { readonly error: unknown } | undefined;

  constructor(conversation: Conversation, calls: readonly ToolCallPart[], options: BatchOptions) {
    this.#conversation = conversation;
    this.#calls = calls;
    this.#options = options;
  }

  /** A call entered the pipeline. Calls start in order, so it is the next of ours or none of ours. */
  entered(exec: ToolExecution): void {
    const next = this.#calls[this.#started.length];
    if (next === undefined || exec.parentCallId !== undefined) return;
    if (exec.callId === next.callId && exec.name === next.name) this.#start(next);
  }

  /** @throws what the log throws; what `ctx.tools` throws when it is not there any more */
  async run(ctx: Context): Promise<ToolExecutionResult[]> {
    const { signal, maxParallel, budget } = this.#options;
    const inputs = this.#calls.slice(0, budget).map(({ callId, name, argumentsText }) => ({ callId, name, argumentsText }));
    const results: ToolExecutionResult[] = [];
    const settle = (result: ToolExecutionResult): void => { this.#settle(result, results.push(result) - 1); };
    try {
      await ctx.tools.executeAll(inputs, { signal, maxParallel, onResult: settle });
    } catch (error) {
      this.#failure ??= { error };
      for (const call of this.#calls.slice(results.length)) settle(notMade(call, NOT_STARTED, 'the tools are gone'));
    }
    for (const call of this.#calls.slice(results.length)) settle(notMade(call, CALL_BUDGET, 'the calls that one turn may make are used up'));
    if (this.#failure !== undefined) throw this.#failure.error;
    return results;
  }

  #start(call: ToolCallPart): void {
    this.#guarded(() => { this.#started.push(this.#conversation.call(this.#options.at, call)); });
  }

  #settle(result: ToolExecutionResult, index: number): void {
    const call = this.#calls[index] as ToolCallPart;
    if (this.#started.length <= index) this.#start(call);
    this.#guarded(() => { this.#conversation.result(this.#options.at, this.#started[index] as number, result); });
  }

  /** Called from within the pipeline, which would only log what is thrown; a turn whose log fails has to end. */
  #guarded(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}

function notMade({ callId, name }: ToolCallPart, code: string, why: string): ToolFailure {
  const message = `this call was not made: ${why}`;
  return Object.freeze<ToolFailure>({
    isError: true,
    callId,
    name,
    error: { message, info: { name: 'CallNotMadeError', code, started: false } },
    content: Object.freeze([Object.freeze({ type: 'text', text: `Error: ${message}. Nothing of it ran.` } as const)]),
  });
}
