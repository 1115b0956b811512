import type { Context } from '@sluice/core-context';
import type { SnapshotLimits } from '@sluice/core-schema';
import type { Attempt } from './attempt.ts';
import type { LiveCalls } from './live-calls.ts';
import type { LockRequest, LockTable } from './locks.ts';
import type { FailureParts } from './outcome.ts';
import type { ReadInput } from './read-input.ts';
import { RESERVED_NAME } from './registry/name.ts';
import type { RegisteredTool } from './registry/registered-tool.ts';
import type { Registry } from './registry/registry.ts';
import { collapsed, isCollapsed, rejectionOf } from './rejection.ts';
import { watch, type Watch } from './signal.ts';
import type { ExecuteAllOptions, ToolCallInput, ToolExecution, ToolExecutionResult } from './types.ts';

/** What all calls of one `tools` plugin share. */
export interface Engine {
  readonly registry: Registry;
  readonly locks: LockTable;
  readonly limits: SnapshotLimits;
  readonly live: LiveCalls;
  mintId(): string;
  /** The pipeline and the scheduler, for calls that a body makes. */
  readonly run: (call: Call) => Promise<ToolExecutionResult>;
  readonly runAll: (
    engine: Engine,
    ctx: Context,
    inputs: readonly ToolCallInput[],
    options: ExecuteAllOptions,
    parent: Call,
  ) => Promise<ToolExecutionResult[]>;
}

/** One execution of one tool: its frozen identity, and the little state that stages share. */
export class Call {
  readonly engine: Engine;
  /** The context the call was made through: its scope, hooks and lifetime. */
  readonly ctx: Context;
  readonly parent: Call | undefined;
  readonly exec: ToolExecution;
  /** Captured on entry; this one runs, or none. */
  readonly tool: RegisteredTool | undefined;
  /** Why the call cannot run at all: `INVALID_ARGS` or `UNKNOWN_TOOL`. */
  readonly rejection: FailureParts | undefined;
  /** A direct call where tools are for programs only. */
  readonly isCollapsed: boolean;

  /** Sticky: true once any attempt entered the body. */
  started = false;
  /** No attempt may start any more. */
  settled = false;
  /** The latest attempt; earlier ones hang on it. It may be running. */
  attempt: Attempt | undefined;
  /** What the last attempt gave, or the last wrapper around one. */
  latest: ToolExecutionResult | undefined;
  /** Results that wrappers made and the pipeline checked. */
  authored: ToolExecutionResult[] | undefined;
  /** The attempt whose body has not ended yet. */
  running: Attempt | undefined;

  livePlace = -1;

  #holdListeners: Set<(held: boolean) => void> | undefined;

  /** Keys this call needs, asked for once. */
  lockRequest: Promise<LockRequest> | undefined;

  #release: (() => void) | undefined;
  #abortWatchers: (() => void)[] | undefined;
  #ownWatch: Watch | undefined;
  #callerWatch: Watch | undefined;

  constructor(engine: Engine, ctx: Context, input: ReadInput, signal: AbortSignal, parent?: Call) {
    this.engine = engine;
    this.ctx = ctx;
    this.parent = parent;
    // A program, or a body, does not start programs.
    const tool = parent !== undefined && input.name === RESERVED_NAME ? undefined : engine.registry.resolve(ctx.scopeRef, input.name);
    this.tool = tool;
    const rejection = rejectionOf(input, tool, this);
    this.isCollapsed = rejection === undefined && parent === undefined && isCollapsed(engine.registry, ctx.scopeRef, input.name);
    this.rejection = this.isCollapsed ? collapsed(input.name) : rejection;
    const id = engine.mintId();
    const callId = input.callId ?? id;
    const exec: { -readonly [K in keyof ToolExecution]: ToolExecution[K] } = {
      id,
      callId,
      rootCallId: parent === undefined ? callId : parent.exec.rootCallId,
      name: input.name,
      arguments: input.arguments,
      scopePath: ctx.scopePath,
      signal,
    };
    if (parent !== undefined) exec.parentCallId = parent.exec.callId;
    if (input.argumentsText !== undefined) exec.argumentsText = input.argumentsText;
    if (tool !== undefined) exec.tool = tool.facts;
    this.exec = Object.freeze(exec);
  }

  /** It has its result, but its body goes on. */
  get isOutlived(): boolean {
    return this.settled && this.running !== undefined;
  }

  /** The caller gave up, or the context that the call was made through is being disposed. */
  get isAborted(): boolean {
    return this.exec.signal.aborted || this.ctx.signal.aborted;
  }

  /** Whether the captured definition is still the one that this scope would run. */
  get isRegistered(): boolean {
    return this.engine.registry.resolve(this.ctx.scopeRef, this.exec.name) === this.tool;
  }

  /**
   * Calls `watcher` when the call is aborted. All stages share one listener per source; `finish` takes it off. Must not be
   * aborted yet.
   */
  onAbort(watcher: () => void): () => void {
    if (this.#abortWatchers === undefined) {
      const watchers: (() => void)[] = [];
      this.#abortWatchers = watchers;
      const run = (): void => {
        this.#stopWatching();
        for (const each of [...watchers]) each();
      };
      const own = this.ctx.signal;
      this.#ownWatch = watch(own, run, true);
      if (this.exec.signal !== own) this.#callerWatch = watch(this.exec.signal, run);
    }
    const watchers = this.#abortWatchers;
    watchers.push(watcher);
    return () => {
      const at = watchers.indexOf(watcher);
      if (at >= 0) watchers.splice(at, 1);
    };
  }

  /** Calls back when a person begins or ends to be asked, for this call or a descendant. */
  onHold(listener: (held: boolean) => void): () => void {
    const listeners = (this.#holdListeners ??= new Set());
    const own = (held: boolean): void => { listener(held); };
    listeners.add(own);
    return () => listeners.delete(own);
  }

  held(held: boolean): void {
    for (const listener of this.#holdListeners ?? []) listener(held);
  }

  holdLocks(release: () => void): void {
    this.#release = release;
  }

  /** The execute stage is over. A body that outlives it keeps its locks until it ends; whoever waits for them hears so. */
  leaveBody(): void {
    this.settled = true;
    if (this.running === undefined) this.releaseLocks();
    else this.engine.locks.orphan(this);
  }

  releaseLocks(): void {
    this.#release?.();
    this.#release = undefined;
  }

  /** The result is final: nothing of this call stays on anybody's signal. */
  finish(): void {
    this.settled = true;
    this.#stopWatching();
  }

  #stopWatching(): void {
    this.#ownWatch?.stop();
    this.#callerWatch?.stop();
    this.#ownWatch = this.#callerWatch = undefined;
  }
}
