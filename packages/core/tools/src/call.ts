import type { Context, ScopeRef } from '@sluice/core-context';
import type { JsonValue, SchemaIssue, SnapshotLimits } from '@sluice/core-schema';
import { describeIssues, parseJsonText, snapshotJson } from '@sluice/core-schema';
import type { Attempt } from './attempt.ts';
import { codes } from './errors.ts';
import type { FailureParts } from './outcome.ts';
import { closestNames, RESERVED_NAME } from './registry/name.ts';
import type { RegisteredTool } from './registry/registered-tool.ts';
import type { Registry } from './registry/registry.ts';
import type { LiveCalls } from './live-calls.ts';
import type { LockRequest, LockTable } from './locks.ts';
import { isAbortSignal, watch, type Watch } from './signal.ts';
import { thrownMessage } from './thrown.ts';
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

/** A call as its caller put it, each property read exactly once; arguments are a detached frozen snapshot by now. */
export interface ReadInput {
  readonly name: string;
  readonly callId: string | undefined;
  readonly arguments: JsonValue | undefined;
  readonly argumentsText: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Why the arguments are no JSON value, if they are none. */
  readonly problem: SchemaIssue | undefined;
}

/** @throws TypeError for misuse by the host; an accessor that throws is the model's or a plugin's fault and becomes `problem` */
export function readInput(input: ToolCallInput, limits: SnapshotLimits): ReadInput {
  if (typeof input !== 'object' || (input as unknown) === null) {
    throw new TypeError('core-tools: execute() takes { name, arguments?, argumentsText?, callId?, signal? }');
  }
  let name: unknown = '';
  let callId: unknown;
  let signal: unknown;
  let argumentsText: unknown;
  let value: unknown;
  let isGiven = false;
  let problem: SchemaIssue | undefined;
  let reading = 'name';
  try {
    name = input.name;
    reading = 'callId';
    callId = input.callId;
    reading = 'signal';
    signal = input.signal;
    reading = 'argumentsText';
    argumentsText = input.argumentsText;
    reading = 'arguments';
    value = input.arguments;
    // An explicit `arguments: undefined` is no JSON value; leaving both out is a call without arguments.
    isGiven = value !== undefined || (argumentsText === undefined && 'arguments' in input);
  } catch (error) {
    problem = unreadable(reading, error);
  }
  if (typeof name !== 'string') throw new TypeError('core-tools: a call needs a name, a string');
  if (callId !== undefined && typeof callId !== 'string') throw new TypeError('core-tools: callId must be a string');
  if (signal !== undefined && !isAbortSignal(signal)) throw new TypeError('core-tools: signal must be an AbortSignal');
  if (argumentsText !== undefined && typeof argumentsText !== 'string') {
    throw new TypeError('core-tools: argumentsText must be a string');
  }
  if (argumentsText !== undefined && value !== undefined) {
    throw new TypeError('core-tools: give a call arguments or argumentsText, not both');
  }
  const text = argumentsText;
  if (problem !== undefined) return { name, callId, arguments: undefined, argumentsText: text, signal, problem };
  const snapshot = isGiven ? snapshotJson(value, limits) : parseJsonText(text ?? '', limits);
  return snapshot.ok
    ? { name, callId, arguments: snapshot.value, argumentsText: text, signal, problem: undefined }
    : { name, callId, arguments: undefined, argumentsText: text, signal, problem: snapshot.issue };
}

function unreadable(key: string, error: unknown): SchemaIssue {
  return {
    path: '',
    message: `reading "${key}" of the call failed: ${thrownMessage(error)}`,
    expected: 'a JSON value',
    received: 'an accessor that throws',
  };
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

function rejectionOf(input: ReadInput, tool: RegisteredTool | undefined, call: Call): FailureParts | undefined {
  if (input.problem !== undefined) return invalidArguments([input.problem]);
  if (tool === undefined) return unknownTool(input.name, call);
  const issues = tool.parameters.validate(input.arguments as JsonValue);
  return issues.length === 0 ? undefined : invalidArguments(issues);
}

function invalidArguments(issues: readonly SchemaIssue[]): FailureParts {
  return {
    code: codes.INVALID_ARGS,
    message: `invalid arguments: ${describeIssues(issues)}`,
    hint: 'Nothing ran. Correct the arguments and call again.',
  };
}

/** Whether a direct call of `name` is none: under `code` all tools but `run_code` are for programs. */
export function isCollapsed(registry: Registry, scope: ScopeRef, name: string): boolean {
  return name !== RESERVED_NAME && registry.mode(scope) === 'code';
}

function collapsed(name: string): FailureParts {
  return {
    code: codes.UNKNOWN_TOOL,
    message: `unknown tool ${JSON.stringify(name)}: the only tool to be called directly is "${RESERVED_NAME}"`,
    hint: `Nothing ran. Call "${RESERVED_NAME}" with a program that awaits tools[${JSON.stringify(name)}](…).`,
  };
}

/** Also used when the tool goes away between entry and dispatch. */
export function unknownTool(name: string, call: Pick<Call, 'engine' | 'ctx'>): FailureParts {
  const near = closestNames(name, call.engine.registry.names(call.ctx.scopeRef));
  return {
    code: codes.UNKNOWN_TOOL,
    message: `unknown tool ${JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)}`,
    hint: near.length === 0 ? 'Use one of the tools you were given.' : `Did you mean ${near.map((n) => `"${n}"`).join(' or ')}?`,
  };
}
