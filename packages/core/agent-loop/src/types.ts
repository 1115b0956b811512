import type { Context } from '@sluice/core-context';
import type { AssistantPart, Session, SessionMessage } from '@sluice/core-session';
import type { AdditionalContext, ContentBlock, ToolExecutionResult, ToolProgress, ToolSchema } from '@sluice/core-tools';
import type { LanguageModel, ModelSettings } from './model.ts';
import type { Usage } from './reply.ts';

export interface AgentOptions {
  /** Name of its scope: unique among the living below the context that creates it. */
  readonly name: string;
  readonly model: LanguageModel;
  /** Begins the system prompt. */
  readonly instructions?: string;
  /** Requests to the model per turn; positive integer. Default: the plugin's, 50. */
  readonly maxSteps?: number;
  /** Calls that one turn may make; positive integer. Default: the plugin's, which is no bound. */
  readonly maxToolCalls?: number;
  /** Bodies of one reply's calls that may overlap; positive integer. Default: the plugin's, 10. */
  readonly maxParallelToolCalls?: number;
  /** Its log: a file to begin or to go on with, or a session that is open. Default: a new one in memory. */
  readonly session?: Session | { readonly file?: string; readonly id?: string; readonly knownEvents?: readonly string[] };
  readonly settings?: ModelSettings;
}

export type AgentInput = string | readonly ContentBlock[];

export interface RunOptions {
  readonly signal?: AbortSignal;
}

/** One conversation with one model. Runs one turn at a time. */
export interface Agent extends AsyncDisposable {
  readonly name: string;
  /** Its scope: what is registered here, only it and its children see. */
  readonly ctx: Context;
  readonly session: Session;
  readonly isRunning: boolean;
  /**
   * Begins a turn at once. Iterate for its events, or wait for `ended`; leaving an iteration early aborts the turn.
   *
   * @throws SluiceError `AGENT_BUSY` while a turn runs (see `steer`), `AGENT_DISPOSED`; TypeError
   */
  run(input: AgentInput, options?: RunOptions): AgentRun;
  /** Adds a message of the person before the next request: of the turn that runs, or else of the next one. */
  steer(input: AgentInput): void;
  /** Aborts what runs, waits for it, and closes the log if it was opened here. */
  dispose(): Promise<void>;
}

export interface AgentRun extends AsyncIterable<AgentEvent> {
  /** Never rejects: what went wrong is the reason. */
  readonly ended: Promise<TurnResult>;
}

/**
 * Why a turn ended.
 *
 * | reason | meaning |
 * | --- | --- |
 * | `done` | the model made no more calls |
 * | `concluded` | a tool ended it |
 * | `stopped` | a listener on `agent/pre-step` did |
 * | `aborted` | by the signal, or because the agent was disposed |
 * | `max-steps` `max-tool-calls` | a budget was used up |
 * | `length` `content-filter` | the provider cut the reply off; its calls were not made |
 * | `model-error` | the model failed, or its stream broke; nothing half-formed ran |
 * | `failed` | a listener, the prompt or the log failed |
 */
export type TurnEndReason =
  | 'done'
  | 'concluded'
  | 'stopped'
  | 'aborted'
  | 'max-steps'
  | 'max-tool-calls'
  | 'length'
  | 'content-filter'
  | 'model-error'
  | 'failed';

export interface TurnResult {
  readonly turn: number;
  readonly reason: TurnEndReason;
  readonly message?: string;
  /** What was thrown, for `model-error` and `failed`. */
  readonly cause?: unknown;
  /** Text of the latest reply. */
  readonly text: string;
  readonly steps: number;
  readonly toolCalls: number;
  /** Summed over the steps. */
  readonly usage: Usage;
}

/** What happens in a turn, for whoever shows it. What is kept is in the log. */
export type AgentEvent =
  | { readonly type: 'turn-start'; readonly turn: number }
  | { readonly type: 'step-start'; readonly turn: number; readonly step: number }
  | { readonly type: 'text' | 'reasoning'; readonly delta: string }
  | { readonly type: 'reply'; readonly content: readonly AssistantPart[]; readonly finishReason?: string; readonly isInterrupted: boolean }
  | { readonly type: 'tool-call'; readonly callId: string; readonly name: string; readonly argumentsText: string }
  | { readonly type: 'tool-progress'; readonly callId: string; readonly progress: ToolProgress }
  | { readonly type: 'tool-result'; readonly result: ToolExecutionResult }
  | { readonly type: 'message'; readonly content: readonly ContentBlock[] }
  | { readonly type: 'context'; readonly context: AdditionalContext }
  | { readonly type: 'step-end'; readonly turn: number; readonly step: number; readonly usage: Usage }
  | { readonly type: 'turn-end'; readonly result: TurnResult };

/** What is about to be asked. A listener on `agent/request` may answer another one; what it answers is what the model sees. */
export interface AgentRequest {
  readonly system: string;
  readonly messages: readonly SessionMessage[];
  readonly tools: readonly ToolSchema[];
  readonly settings: ModelSettings;
}

export interface AgentRequestInfo {
  readonly scopePath: readonly string[];
  readonly turn: number;
  readonly step: number;
}

/** What a step came to, all of it committed. */
export interface AgentStepResult extends AgentRequestInfo {
  readonly content: readonly AssistantPart[];
  readonly finishReason: string;
  readonly usage: Usage;
  /** In the order of the calls. */
  readonly results: readonly ToolExecutionResult[];
}

/** `ctx.agents`. The context that it is read from is the parent of the agents' scopes. */
export interface Agents {
  /**
   * @throws TypeError on wrong options; SluiceError `SCOPE_DUPLICATE`, and what `openSession` throws
   */
  create(options: AgentOptions): Agent;
}
