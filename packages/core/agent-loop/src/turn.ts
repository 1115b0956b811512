import type { Context } from '@sluice/core-context';
import type { AssistantPart, ToolCallPart } from '@sluice/core-session';
import type { AgentStepDecision, ContentBlock, ToolExecutionResult } from '@sluice/core-tools';
import { Batch, CALL_BUDGET } from './batch.ts';
import type { Conversation } from './conversation.ts';
import type { LanguageModel, ModelSettings, SpecificationVersion } from './model.ts';
import { promptOf, toolsOf } from './prompt.ts';
import { NO_REASON, readReply, type Reply, type Usage } from './reply.ts';
import { nextRequest } from './request.ts';
import type { AgentRequest, TurnEndReason, TurnResult } from './types.ts';

export interface TurnParts {
  readonly ctx: Context;
  readonly conversation: Conversation;
  readonly model: LanguageModel;
  readonly instructions: string;
  readonly settings: ModelSettings;
  readonly maxSteps: number;
  readonly maxToolCalls: number;
  readonly maxParallelToolCalls: number;
  /** Messages of the person that wait for the next request; takes them. */
  readonly takeSteering: () => readonly (readonly ContentBlock[])[];
  /** Tells which batch runs, so that its calls are logged as they start. */
  readonly onBatch: (batch: Batch | undefined) => void;
}

/** Reasons to finish that mean that there would have been more. */
const CUT_OFF: ReadonlySet<string> = new Set(['length', 'content-filter', 'error', 'interrupted']);

/** Why a turn is over, said once and from anywhere within it. */
interface Ending {
  readonly reason: TurnEndReason;
  readonly message?: string;
  readonly cause?: unknown;
}

/**
 * One turn: the model is asked, its calls are made, it is asked again with their results, until something ends it. Whatever
 * ends it, every call of every reply has one result in the log, and the log can be gone on with.
 */
export class Turn {
  readonly #parts: TurnParts;
  readonly #number: number;
  readonly #signal: AbortSignal;
  #step = 0;
  #calls = 0;
  #text = '';
  #usage: Usage = { inputTokens: 0, outputTokens: 0 };

  constructor(parts: TurnParts, number: number, signal: AbortSignal) {
    this.#parts = parts;
    this.#number = number;
    this.#signal = signal;
  }

  /** Does not reject. */
  async run(input: readonly ContentBlock[]): Promise<TurnResult> {
    const { conversation } = this.#parts;
    const { log } = conversation;
    const turn = this.#number;
    let ending: Ending;
    try {
      log.append('turn/start', { turn });
      conversation.watch({ type: 'turn-start', turn });
      ending = await this.#steps(input);
    } catch (error) {
      ending = this.#signal.aborted ? { reason: 'aborted' } : { reason: 'failed', message: messageOf(error), cause: error };
    }
    try {
      log.append('turn/end', { turn, reason: ending.reason, ...(ending.message === undefined ? {} : { message: ending.message }) });
      await log.flush();
    } catch (error) {
      // What cannot be kept did not end well, whatever the model said.
      ending = { reason: 'failed', message: messageOf(error), cause: error };
    }
    return { turn, ...ending, text: this.#text, steps: this.#step, toolCalls: this.#calls, usage: this.#usage };
  }

  async #steps(input: readonly ContentBlock[]): Promise<Ending> {
    const { conversation, maxSteps, maxToolCalls, takeSteering } = this.#parts;
    const turn = this.#number;
    for (const message of [...takeSteering(), input]) conversation.say(message);

    for (;;) {
      if (this.#isAborted()) return { reason: 'aborted' };
      if (this.#step >= maxSteps) return { reason: 'max-steps', message: `the ${maxSteps} steps of one turn are used up` };
      this.#step += 1;
      const step = this.#step;
      conversation.watch({ type: 'step-start', turn, step });

      const stopped = await this.#before();
      if (stopped !== undefined) return stopped;
      const reply = await this.#ask();
      const cutOff = this.#cutOff(reply);
      if (cutOff !== undefined) return cutOff;
      conversation.reply({ turn, step }, reply.parts, reply, false);

      const calls = reply.parts.filter(isOwnCall);
      const results = await this.#call(calls);
      // After all results: a message between two of them would part them from their calls.
      for (const result of results) for (const context of result.additionalContexts ?? []) conversation.inject(context);
      this.#after(reply, results);

      if (this.#isAborted()) return { reason: 'aborted' };
      if (results.some(isOverBudget)) return { reason: 'max-tool-calls', message: `the ${maxToolCalls} calls of one turn are used up` };
      // A person who spoke meanwhile is answered, even if a tool would have ended the turn. Contexts alone do not keep it open.
      const steering = step < maxSteps ? takeSteering() : [];
      for (const message of steering) conversation.say(message);
      if (steering.length > 0) continue;
      if (results.some((result) => !result.isError && result.concludesTurn === true)) return { reason: 'concluded' };
      if (calls.length === 0) return { reason: 'done' };
    }
  }

  /** Listeners may add to the conversation, or end the turn, before the model is asked. */
  async #before(): Promise<Ending | undefined> {
    const { ctx, conversation } = this.#parts;
    const step = Object.freeze({ scopePath: ctx.scopePath, incoming: conversation.takeIncoming(), step: this.#step });
    const goOn = (): AgentStepDecision => ({ kind: 'continue' });
    // Listeners are not all typed, or do not all keep to it.
    const decision = (await ctx.waterfall('agent/pre-step', [step], goOn)) as AgentStepDecision | undefined;
    if (decision?.kind === 'stop') return { reason: 'stopped', message: decision.reason };
    if (decision?.kind !== 'continue') {
      throw new TypeError('core-agent-loop: a listener on agent/pre-step must answer { kind: "continue" } or { kind: "stop", reason }');
    }
    for (const context of decision.additionalContexts ?? []) conversation.inject(context);
    return undefined;
  }

  async #ask(): Promise<Reply> {
    const { ctx, conversation, model, instructions, settings: own } = this.#parts;
    const info = Object.freeze({ scopePath: ctx.scopePath, turn: this.#number, step: this.#step });
    const { system, messages, tools, settings }: AgentRequest = await nextRequest(ctx, conversation.log, info, { instructions, settings: own });
    const prompt = promptOf(system, messages, model.specificationVersion as SpecificationVersion);
    const options = { ...settings, prompt, ...(tools.length === 0 ? {} : { tools: toolsOf(tools) }) };
    const reply = await readReply(model, options, this.#signal, (delta) => conversation.watch(delta));
    this.#usage = sum(this.#usage, reply.usage);
    this.#text = textOf(reply.parts);
    return reply;
  }

  /** A reply that is not whole: its text is kept, its calls are not made and not kept, for they may lack their ends. */
  #cutOff(reply: Reply): Ending | undefined {
    const { finishReason, broken } = reply;
    // Providers' packages also end a stream in good order that broke off, calls with half their arguments included.
    const isBrokenOff = finishReason === NO_REASON && reply.parts.some(isOwnCall);
    if (!isBrokenOff && finishReason !== undefined && !CUT_OFF.has(finishReason)) return undefined;
    const { conversation } = this.#parts;
    const said = reply.parts.filter(({ type }) => type === 'text');
    if (said.length > 0) conversation.reply({ turn: this.#number, step: this.#step }, said, reply, true);
    if (finishReason === 'length') return { reason: 'length', message: 'the reply was cut off at the length that the provider allows' };
    if (finishReason === 'content-filter') return { reason: 'content-filter', message: 'the provider withheld the rest of the reply' };
    if (this.#isAborted()) return { reason: 'aborted' };
    const why = isBrokenOff || finishReason === 'interrupted' ? 'the reply ended without a reason, in the middle of a call perhaps' : 'the model reported an error';
    return { reason: 'model-error', message: broken === undefined ? why : messageOf(broken), cause: broken };
  }

  async #call(calls: readonly ToolCallPart[]): Promise<readonly ToolExecutionResult[]> {
    if (calls.length === 0) return [];
    const { ctx, conversation, maxToolCalls, maxParallelToolCalls, onBatch } = this.#parts;
    const at = { turn: this.#number, step: this.#step };
    const budget = maxToolCalls - this.#calls;
    const batch = new Batch(conversation, calls, { at, signal: this.#signal, maxParallel: maxParallelToolCalls, budget });
    this.#calls += Math.min(calls.length, budget);
    onBatch(batch);
    try {
      return await batch.run(ctx);
    } finally {
      onBatch(undefined);
    }
  }

  #isAborted(): boolean {
    return this.#signal.aborted;
  }

  #after({ parts, finishReason = 'unknown', usage = {} }: Reply, results: readonly ToolExecutionResult[]): void {
    const { ctx, conversation } = this.#parts;
    const at = { turn: this.#number, step: this.#step };
    conversation.watch({ type: 'step-end', ...at, usage });
    ctx.emit('agent/step-result', Object.freeze({ scopePath: ctx.scopePath, ...at, content: parts, finishReason, usage, results }));
  }
}

function isOwnCall(part: AssistantPart): part is ToolCallPart {
  return part.type === 'tool-call' && part.providerExecuted !== true;
}

function isOverBudget(result: ToolExecutionResult): boolean {
  return result.isError && result.error.info.code === CALL_BUDGET;
}

function textOf(parts: readonly AssistantPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function sum(a: Usage, b: Usage = {}): Usage {
  const inputTokens = (a.inputTokens ?? 0) + (b.inputTokens ?? 0);
  const outputTokens = (a.outputTokens ?? 0) + (b.outputTokens ?? 0);
  return { inputTokens, outputTokens };
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'an error that cannot be printed';
  }
}
