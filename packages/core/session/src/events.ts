import type { JsonObject, JsonValue } from '@sluice/core-schema';
import type { ContentBlock, ToolSchema } from '@sluice/core-tools';
import type { AssistantPart } from './messages.ts';

/** Where in a conversation something happened. Both count from 1; steps within their turn. */
export interface AtStep {
  readonly turn: number;
  readonly step: number;
}

export interface TurnStart {
  readonly turn: number;
}

export interface TurnEnd {
  readonly turn: number;
  /** Such as `done`; `interrupted` when `repair()` closed it. */
  readonly reason: string;
  readonly message?: string;
}

/** What stands before the messages, from here on. Written when it differs from what was written before. */
export interface PromptSet {
  readonly system: string;
  readonly tools: readonly ToolSchema[];
}

export interface UserMessageEvent {
  readonly content: readonly ContentBlock[];
}

/** A message that somebody else than the person put in: a plugin, a tool. */
export interface ContextInjected {
  readonly source: string;
  readonly content: readonly ContentBlock[];
  readonly meta?: JsonValue;
}

export interface AssistantMessageEvent extends AtStep {
  readonly content: readonly AssistantPart[];
  readonly finishReason?: string;
  readonly usage?: JsonObject;
  /** The reply was cut off; what is here is what had arrived, without calls. */
  readonly interrupted?: true;
}

/** Written before the call enters the pipeline. */
export interface ToolCallEvent extends AtStep {
  readonly callId: string;
  readonly name: string;
  /** As the model sent it. */
  readonly argumentsText: string;
}

export interface ToolResultEvent extends AtStep {
  /** The model's id, which need not be unique. */
  readonly callId: string;
  /** `seq` of the `tool/call` that this is the result of; absent if it never started. */
  readonly callSeq?: number;
  readonly name: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
  readonly error?: { readonly name: string; readonly code: string };
  readonly meta?: JsonValue;
  readonly stillRunning?: true;
}

/** A call that another call's body or program makes. Never shown to the model. */
export interface NestedCallEvent {
  /** Unique within a process, unlike `callId`. */
  readonly id: string;
  readonly callId: string;
  readonly parentCallId: string;
  readonly rootCallId: string;
  readonly name: string;
  readonly arguments?: JsonValue;
}

export interface NestedResultEvent {
  readonly id: string;
  readonly callId: string;
  readonly rootCallId: string;
  readonly name: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
  readonly error?: { readonly name: string; readonly code: string };
}

export interface ApprovalAsked {
  readonly id: string;
  readonly callId: string;
  readonly toolName: string;
  readonly reason?: string;
}

export interface ApprovalDecided {
  readonly id: string;
  readonly callId: string;
  /** The outcome as the pipeline got it: its `kind`, and what came with it. */
  readonly outcome: JsonObject;
}
