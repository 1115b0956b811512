import { describeIssues, snapshotJson, type JsonValue } from '@sluice/core-schema';
import type { Call } from '../call.ts';
import type { Attempt } from '../attempt.ts';
import { codes } from '../errors.ts';
import { disown } from '../disown.ts';
import { Lane } from '../scheduler.ts';
import { onAbort } from '../signal.ts';
import type { ToolExecution, ToolExecutionResult, ToolRun } from '../types.ts';
import { ToolCallError } from './tool-call-error.ts';

/** Source of an additional context that carries a sub-call's images. Source of the name: dsh core/tools. */
const IMAGE_SOURCE = 'tools-code-mode';

export interface BridgeOptions {
  /** Bodies of sub-calls that may overlap. */
  readonly maxParallelSubCalls: number;
  /** Calls that one program may make. */
  readonly maxSubCalls: number;
}

/** The side of the host that a program's calls arrive at. */
export interface BridgeSide {
  readonly call: Call;
  readonly attempt: Attempt;
  readonly run: ToolRun;
}

/**
 * The calls of one program: each goes through the whole pipeline, on one lane, as if its `run_code` call's body had made it.
 * When the program is over the lane is told to stop, and `end` waits until nothing of it runs any more.
 */
export class Bridge {
  readonly #side: BridgeSide;
  readonly #options: BridgeOptions;
  readonly #lane: Lane;
  readonly #laneEnded: Promise<void>;
  readonly #controller = new AbortController();
  readonly #unwatch: () => void;
  #submitted = 0;
  #over: string | undefined;

  constructor(side: BridgeSide, options: BridgeOptions) {
    this.#side = side;
    this.#options = options;
    const { call, run } = side;
    const { signal } = this.#controller;
    this.#lane = new Lane(call.engine, call.ctx, { maxParallel: options.maxParallelSubCalls, signal }, call);
    this.#laneEnded = this.#lane.run();
    const outer = run.signal;
    const follow = (): void => { this.#controller.abort(outer.reason); };
    if (outer.aborted) follow();
    this.#unwatch = outer.aborted ? () => undefined : onAbort(outer, follow);
  }

  /** The function that a program finds for a tool. Rejects with a ToolCallError. */
  binding(name: string): (args: JsonValue) => Promise<JsonValue> {
    return (args) => this.#submit(name, args);
  }

  /** The program is over, for whatever reason. Resolves when all its calls have ended. */
  async end(reason: string): Promise<void> {
    this.#over = reason;
    this.#unwatch();
    this.#controller.abort(new Error('run_code settled'));
    this.#lane.close();
    await this.#laneEnded;
  }

  #submit(name: string, args: unknown): Promise<JsonValue> {
    if (this.#over !== undefined) return this.#refuse(name, codes.ABORTED_BEFORE_DISPATCH, this.#isOver(`${name} not dispatched`));
    const { call, run } = this.#side;
    const snapshot = snapshotJson(args, call.engine.limits);
    if (!snapshot.ok) {
      disown(args);
      return this.#refuse(name, codes.INVALID_ARGS, `tool arguments must be lossless JSON: ${describeIssues([snapshot.issue])}`);
    }
    if (this.#submitted >= this.#options.maxSubCalls) {
      return this.#refuse(name, codes.DENIED, `this program has made the ${this.#options.maxSubCalls} calls that one program may make`);
    }
    this.#submitted += 1;
    const input = {
      name,
      callId: `${run.callId}:code:${this.#submitted}`,
      arguments: snapshot.value,
      argumentsText: undefined,
      signal: undefined,
      problem: undefined,
    };
    return new Promise((resolve, reject) => {
      let exec: ToolExecution | undefined;
      this.#lane.submit({
        input,
        started: (identity) => {
          exec = identity;
          call.ctx.emit('tools/code-dispatch-start', identity);
        },
        settle: (result) => {
          if (exec !== undefined) this.#collect(exec, result);
          if (this.#over !== undefined) {
            const what = exec === undefined ? 'tool call abandoned' : 'result discarded';
            reject(new ToolCallError(name, codes.ABORTED, this.#isOver(`${name} ${what}`)));
          } else if (result.isError) reject(new ToolCallError(name, result.error.info.code, result.error.message));
          else resolve(result.value);
        },
      });
    });
  }

  /** What a sub-call leaves for the conversation, in the order of the calls. Values are the program's business. */
  #collect(exec: ToolExecution, result: ToolExecutionResult): void {
    const { call, attempt } = this.#side;
    call.ctx.emit('tools/code-dispatch', exec, result);
    if (!attempt.live || call.settled) return;
    const added = result.additionalContexts ?? [];
    const hasImage = !result.isError && result.content.some(({ type }) => type === 'image');
    const images = hasImage ? [Object.freeze({ source: IMAGE_SOURCE, content: result.content })] : [];
    if (images.length + added.length > 0) attempt.contexts = [...attempt.contexts, ...images, ...added];
    if (!result.isError && result.concludesTurn === true) attempt.concludesTurn = true;
  }

  #refuse(name: string, code: string, message: string): Promise<never> {
    return Promise.reject(new ToolCallError(name, code, message));
  }

  #isOver(what: string): string {
    return `run_code run is over (${String(this.#over)}); ${what}`;
  }
}
