import type { ContentBlock } from './blocks.ts';
import type { AdditionalContext } from './types.ts';

/** A message as an agent loop's hooks see it. */
export interface AgentMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  /** Who wrote a `user` message for the person: a plugin's name. Absent when it was the person. */
  readonly source?: string;
  readonly content: readonly ContentBlock[];
}

/** What an agent loop is about to send. */
export interface AgentStep {
  readonly scopePath: readonly string[];
  /** Messages that have joined the conversation since the step before, in order. */
  readonly incoming: readonly AgentMessage[];
  /** Counts from 1 within a turn. */
  readonly step: number;
}

export type AgentStepDecision =
  | { readonly kind: 'continue'; readonly additionalContexts?: readonly AdditionalContext[] }
  | { readonly kind: 'stop'; readonly reason: string };
