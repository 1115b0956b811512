import type { Context } from '@sluice/core-context';
import type { ToolCallPart } from '@sluice/core-session';
import type { ToolExecution, ToolExecutionResult, ToolFailure } from '@sluice/core-tools';
import type { Conversation } from './conversation.ts';

/** Code of the result of a call that the turn could not afford. */
export const CALL_BUDGET = 'CALL_BUDGET';

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

  /** @throws what the log throws */
  async run(ctx: Context): Promise<ToolExecutionResult[]> {
    const { signal, maxParallel, budget } = this.#options;
    const affordable = this.#calls.slice(0, budget);
    const inputs = affordable.map(({ callId, name, argumentsText }) => ({ callId, name, argumentsText }));
    const results = await ctx.tools.executeAll(inputs, { signal, maxParallel, onResult: (result, index) => this.#settle(result, index) });
    for (const call of this.#calls.slice(budget)) {
      const refused = overBudget(call);
      this.#settle(refused, results.push(refused) - 1);
    }
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

function overBudget({ callId, name }: ToolCallPart): ToolFailure {
  const message = 'this call was not made: the calls that one turn may make are used up';
  return Object.freeze<ToolFailure>({
    isError: true,
    callId,
    name,
    error: { message, info: { name: 'CallBudgetError', code: CALL_BUDGET, started: false } },
    content: Object.freeze([Object.freeze({ type: 'text', text: `Error: ${message}. Nothing of it ran.` } as const)]),
  });
}
