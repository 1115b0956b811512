import type { Context } from '@sluice/core-context';
import { Call, type Engine } from './call.ts';
import { codes } from './errors.ts';
import { executionMode } from './execution-mode.ts';
import { aborted, fail } from './outcome.ts';
import { gaveUp, withPatience } from './patience.ts';
import { decide, dispatch, enter, finish, hasPolicy } from './pipeline.ts';
import { ended, type Ended } from './pipeline-state.ts';
import { readInput, type ReadInput } from './read-input.ts';
import { fuse, isAbortSignal, onAbort, type Fused } from './signal.ts';
import { lockRequest } from './stages/lock.ts';
import type { ExecuteAllOptions, ExecutionMode, ToolCallInput, ToolExecution, ToolExecutionResult } from './types.ts';

/** Bodies that may overlap when nothing else is said. Source: dsh core/agent-loop, maxParallelToolCalls. */
export const DEFAULT_MAX_PARALLEL = 10;

/** How often in a row the next call is judged anew because its tool was replaced meanwhile. */
const MAX_RECONSIDERED = 100;

/** Runs calls as a bounded rolling pool. @throws TypeError or RangeError (rejects) for misuse, before anything starts */
export async function runBatch(
  engine: Engine,
  ctx: Context,
  inputs: readonly ToolCallInput[],
  options: ExecuteAllOptions = {},
  parent?: Call,
): Promise<ToolExecutionResult[]> {
  if (!Array.isArray(inputs)) throw new TypeError('core-tools: executeAll() takes an array of calls');
  const { maxParallel = DEFAULT_MAX_PARALLEL, signal = ctx.signal, onResult } = options;
  if (!Number.isSafeInteger(maxParallel) || maxParallel < 1) {
    throw new RangeError(`core-tools: maxParallel must be a positive integer; got ${String(maxParallel)}`);
  }
  if (!isAbortSignal(signal)) throw new TypeError('core-tools: signal must be an AbortSignal');
  if (onResult !== undefined && typeof onResult !== 'function') throw new TypeError('core-tools: onResult must be a function');

  const results: ToolExecutionResult[] = [];
  const failed = (error: unknown): void => { ctx.logger.error('core-tools: onResult of executeAll threw', error); };
  const settle = (result: ToolExecutionResult): void => {
    const index = results.push(result) - 1;
    try {
      const answer: unknown = onResult?.(result, index);
      if (answer instanceof Promise) answer.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
  const lane = new Lane(engine, ctx, { maxParallel, signal }, parent);
  // Not by map, which passes over holes: nothing starts before all are read.
  for (const input of Array.from(inputs, (each: ToolCallInput) => readInput(each, engine.limits))) lane.submit({ input, settle });
  lane.close();
  await lane.run();
  return results;
}

/** A call that somebody wants made. Neither function may throw. */
export interface Submission {
  readonly input: ReadInput;
  /** Called as the call starts; not for one that was given up before. */
  readonly started?: (exec: ToolExecution) => void;
  readonly settle: (result: ToolExecutionResult) => void;
}

export interface LaneOptions {
  /** Bodies that may overlap. */
  readonly maxParallel: number;
  /** No new starts after it aborts. */
  readonly signal: AbortSignal;
}

/** A call that may be next. */
interface Candidate {
  readonly submission: Submission;
  readonly call: Call;
  readonly fused: Fused;
}

interface Started extends Candidate {
  /** Exclusive: nothing else of the lane runs beside it. */
  readonly isBarrier: boolean;
  /** Set once its body has ended, or it never got there. */
  outcome: Ended | undefined;
}

/**
 * Calls in the order in which they were submitted: it commits the next result in that order if that is ready, else starts the
 * next call if it may, else waits. So policy and results keep order, one at a time, and only wrappers and bodies overlap.
 */
export class Lane {
  readonly #engine: Engine;
  readonly #ctx: Context;
  readonly #options: LaneOptions;
  readonly #parent: Call | undefined;
  readonly #submitted: (Submission | undefined)[] = [];
  /** Index of the first submission that has not started. */
  #next = 0;
  #isClosed = false;
  /** Started and not committed, in order. */
  readonly #started: Started[] = [];
  /** Committed calls whose bodies outlived them. */
  #orphans: Started[] = [];
  #inFlight = 0;
  #reconsidered = 0;
  #candidate: Candidate | undefined;
  /** Something happened since the lane last looked around. */
  #isStirred = false;
  #wake: () => void = () => undefined;

  constructor(engine: Engine, ctx: Context, options: LaneOptions, parent: Call | undefined) {
    this.#engine = engine;
    this.#ctx = ctx;
    this.#options = options;
    this.#parent = parent;
  }

  submit(submission: Submission): void {
    this.#submitted.push(submission);
    this.#stir();
  }

  /** Nothing more will be submitted. */
  close(): void {
    this.#isClosed = true;
    this.#stir();
  }

  /** Drives the lane until it is closed and everything submitted has its result. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    const unwatch = signal.aborted ? undefined : onAbort(signal, () => { this.#stir(); });
    while (!this.#isClosed || this.#started.length > 0 || this.#hasMore()) {
      this.#isStirred = false;
      const head = this.#started[0];
      if (head?.outcome !== undefined) await this.#commit(head, head.outcome);
      else if (head === undefined && this.#isAborted() && this.#hasMore()) this.#skip();
      else if (!(await this.#start())) await this.#stirred();
    }
    unwatch?.();
  }

  /** Starts the next call if it may start now, and says whether it did. */
  async #start(): Promise<boolean> {
    if (this.#isAborted() || !this.#hasMore() || this.#inFlight >= this.#options.maxParallel) return false;
    if (this.#started.some((each) => each.isBarrier)) return false;

    // Decided anew each time, so that a registry or classifier that changed in between is heard, and decided once: what is
    // started is what was judged.
    const candidate = this.#upNext();
    const { call, submission } = candidate;
    const isBarrier = (await this.#mode(call)) === 'exclusive';
    if (this.#isAborted() || (isBarrier && this.#started.length > 0)) return false;
    // A classifier that replaces its own tool would have it asked for ever; the call then goes on, to fail as UNKNOWN_TOOL.
    if (!call.isRegistered && (this.#reconsidered += 1) <= MAX_RECONSIDERED) return this.#start();
    this.#reconsidered = 0;
    this.#take();
    const started: Started = { ...candidate, isBarrier, outcome: undefined };
    this.#started.push(started);
    submission.started?.(call.exec);
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

  #hasMore(): boolean {
    return this.#next < this.#submitted.length;
  }

  #isAborted(): boolean {
    return this.#options.signal.aborted;
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
    this.#started.shift();
    started.submission.settle(result);
  }

  /** Never entered: no hook sees it, but every call has its result. */
  #skip(): void {
    const candidate = this.#upNext();
    this.#take();
    drop(candidate);
    candidate.submission.settle(aborted(candidate.call));
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
  #upNext(): Candidate {
    if (this.#candidate?.call.isRegistered === true) return this.#candidate;
    if (this.#candidate !== undefined) drop(this.#candidate);
    const submission = this.#submitted[this.#next] as Submission;
    const { signal } = this.#options;
    const own = submission.input.signal;
    const fused = fuse(own === undefined ? [signal] : [signal, own]);
    const call = new Call(this.#engine, this.#ctx, submission.input, fused.signal, this.#parent);
    this.#candidate = { submission, call, fused };
    return this.#candidate;
  }

  /** It is not next any more; a long lane does not keep what it is done with. */
  #take(): void {
    this.#candidate = undefined;
    this.#submitted[this.#next] = undefined;
    this.#next += 1;
  }
}

/** A call that never entered: nothing of it stays on anybody's signal. */
function drop({ call, fused }: Candidate): void {
  call.finish();
  fused.release();
}
