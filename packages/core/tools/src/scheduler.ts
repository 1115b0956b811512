import type { Context } from '@sluice/core-context';
import { Call, readInput, type Engine, type ReadInput } from './call.ts';
import { codes } from './errors.ts';
import { executionMode } from './execution-mode.ts';
import { aborted, fail } from './outcome.ts';
import { gaveUp, withPatience } from './patience.ts';
import { decide, dispatch, enter, finish, hasPolicy } from './pipeline.ts';
import { ended, type Ended } from './pipeline-state.ts';
import { fuse, isAbortSignal, onAbort, type Fused } from './signal.ts';
import { lockRequest } from './stages/lock.ts';
import type { ExecuteAllOptions, ExecutionMode, ToolCallInput, ToolExecutionResult } from './types.ts';

/** Bodies that may overlap when nothing else is said. Source: dsh core/agent-loop, maxParallelToolCalls. */
export const DEFAULT_MAX_PARALLEL = 10;

/** Everything about a batch that its caller decides, checked. */
interface BatchPlan {
  readonly inputs: readonly ReadInput[];
  readonly maxParallel: number;
  readonly signal: AbortSignal;
  readonly onResult: ExecuteAllOptions['onResult'];
}

/** Runs calls as a bounded rolling pool. @throws TypeError or RangeError (rejects) for misuse, before anything starts */
export async function runBatch(
  engine: Engine,
  ctx: Context,
  inputs: readonly ToolCallInput[],
  options: ExecuteAllOptions = {},
  parent?: Call,
): Promise<ToolExecutionResult[]> {
  return new Batch(engine, ctx, plan(engine, ctx, inputs, options), parent).run();
}

function plan(engine: Engine, ctx: Context, inputs: readonly ToolCallInput[], options: ExecuteAllOptions): BatchPlan {
  if (!Array.isArray(inputs)) throw new TypeError('core-tools: executeAll() takes an array of calls');
  const { maxParallel = DEFAULT_MAX_PARALLEL, signal = ctx.signal, onResult } = options;
  if (!Number.isSafeInteger(maxParallel) || maxParallel < 1) {
    throw new RangeError(`core-tools: maxParallel must be a positive integer; got ${String(maxParallel)}`);
  }
  if (!isAbortSignal(signal)) throw new TypeError('core-tools: signal must be an AbortSignal');
  if (onResult !== undefined && typeof onResult !== 'function') throw new TypeError('core-tools: onResult must be a function');
  return { inputs: inputs.map((input: ToolCallInput) => readInput(input, engine.limits)), maxParallel, signal, onResult };
}

/** A call that may be next. */
interface Candidate {
  readonly call: Call;
  readonly fused: Fused;
}

interface Started extends Candidate {
  /** Exclusive: nothing else of the batch runs beside it. */
  readonly isBarrier: boolean;
  /** Set once its body has ended, or it never got there. */
  outcome: Ended | undefined;
}

/**
 * One lane drives a batch: it commits the next result in call order if that is ready, else starts the next call if it may,
 * else waits. So policy and results keep call order, one at a time, and only wrappers and bodies overlap.
 */
class Batch {
  readonly #engine: Engine;
  readonly #ctx: Context;
  readonly #plan: BatchPlan;
  readonly #parent: Call | undefined;
  readonly #results: ToolExecutionResult[] = [];
  readonly #started: Started[] = [];
  /** Committed calls whose bodies outlived them. */
  #orphans: Started[] = [];
  #inFlight = 0;
  #candidate: Candidate | undefined;
  /** Something happened since the lane last looked around. */
  #isStirred = false;
  #wake: () => void = () => undefined;

  constructor(engine: Engine, ctx: Context, batch: BatchPlan, parent: Call | undefined) {
    this.#engine = engine;
    this.#ctx = ctx;
    this.#plan = batch;
    this.#parent = parent;
  }

  async run(): Promise<ToolExecutionResult[]> {
    const { inputs, signal } = this.#plan;
    const unwatch = signal.aborted ? undefined : onAbort(signal, () => { this.#stir(); });
    while (this.#results.length < inputs.length) {
      this.#isStirred = false;
      const head = this.#started[this.#results.length];
      if (head?.outcome !== undefined) await this.#commit(head, head.outcome);
      else if (head === undefined && this.#isAborted()) this.#skip();
      else if (!(await this.#start())) await this.#stirred();
    }
    unwatch?.();
    return this.#results;
  }

  /** Starts the next call if it may start now, and says whether it did. */
  async #start(): Promise<boolean> {
    const { inputs, maxParallel } = this.#plan;
    if (this.#isAborted() || this.#started.length === inputs.length || this.#inFlight >= maxParallel) return false;
    const uncommitted = this.#started.slice(this.#results.length);
    if (uncommitted.some((each) => each.isBarrier)) return false;

    // Decided anew each time, so that a registry or classifier that changed in between is heard, and decided once: what is
    // started is what was judged.
    const { call, fused } = this.#next();
    const isBarrier = (await this.#mode(call)) === 'exclusive';
    if (this.#isAborted() || (isBarrier && uncommitted.length > 0)) return false;
    if (!call.isRegistered) return this.#start();
    this.#candidate = undefined;
    const started: Started = { call, fused, isBarrier, outcome: undefined };
    this.#started.push(started);
    started.outcome = enter(call) ?? this.#busy(started) ?? (hasPolicy(call) ? await decide(call) : undefined);
    if (started.outcome !== undefined) return true;
    this.#inFlight += 1;
    void dispatch(call).then((outcome) => {
      started.outcome = outcome;
      this.#inFlight -= 1;
      this.#stir();
    });
    return true;
  }

  #isAborted(): boolean {
    return this.#plan.signal.aborted;
  }

  #stir(): void {
    this.#isStirred = true;
    this.#wake();
  }

  /** Sleeps until something happens, unless it did while the lane was busy looking. */
  async #stirred(): Promise<void> {
    if (this.#isStirred) return;
    await new Promise<void>((resolve) => { this.#wake = resolve; });
  }

  async #commit(started: Started, outcome: Ended): Promise<void> {
    const result = await finish(started.call, outcome);
    started.fused.release();
    if (started.call.running !== undefined) this.#orphans.push(started);
    this.#push(result);
  }

  /** Never entered: no hook sees it, but every call has its result. */
  #skip(): void {
    const { call, fused } = this.#next();
    this.#candidate = undefined;
    drop({ call, fused });
    this.#started.push({ call, fused, isBarrier: false, outcome: undefined });
    this.#push(aborted(call));
  }

  #push(result: ToolExecutionResult): void {
    const index = this.#results.push(result) - 1;
    const failed = (error: unknown): void => this.#ctx.logger.error('core-tools: onResult of executeAll threw', error);
    try {
      const answer: unknown = this.#plan.onResult?.(result, index);
      if (answer instanceof Promise) answer.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** An exclusive body that outlived its call keeps its barrier; any body that did keeps exclusive calls out. */
  #busy({ call, isBarrier }: Started): Ended | undefined {
    this.#orphans = this.#orphans.filter((each) => each.call.running !== undefined);
    const holder = this.#orphans.find((each) => each.isBarrier || isBarrier);
    if (holder === undefined) return undefined;
    const { callId, name } = holder.call.exec;
    return ended(
      fail(call, {
        code: codes.TOOL_BUSY,
        message: `the body of call "${callId}" of "${name}" is still running after its call settled, and the two may not overlap`,
        hint: 'Nothing ran. Try again later, or work on something else first.',
      }),
    );
  }

  async #mode(call: Call): Promise<ExecutionMode> {
    if (call.rejection !== undefined) return 'exclusive';
    const { tool } = call;
    const args = call.exec.arguments;
    if (executionMode(tool, args) === 'exclusive') return 'exclusive';
    if (tool?.locks === undefined || args === undefined) return 'parallel';
    const request = await withPatience(call, (call.lockRequest ??= lockRequest(tool, args)));
    return request === gaveUp || request.everything === true ? 'exclusive' : 'parallel';
  }

  /** The next call in order, with the definition that is registered now. */
  #next(): Candidate {
    if (this.#candidate?.call.isRegistered === true) return this.#candidate;
    if (this.#candidate !== undefined) drop(this.#candidate);
    const input = this.#plan.inputs[this.#started.length] as ReadInput;
    const fused = fuse(input.signal === undefined ? [this.#plan.signal] : [this.#plan.signal, input.signal]);
    this.#candidate = { call: new Call(this.#engine, this.#ctx, input, fused.signal, this.#parent), fused };
    return this.#candidate;
  }
}

/** A call that never entered: nothing of it stays on anybody's signal. */
function drop({ call, fused }: Candidate): void {
  call.finish();
  fused.release();
}
