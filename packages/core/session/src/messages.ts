import type { JsonObject, JsonValue } from '@sluice/core-schema';
import type { ContentBlock } from '@sluice/core-tools';

/** What a provider wants back unchanged with a part, such as a signature. By provider. */
interface WithProviderOptions {
  readonly providerOptions?: JsonObject;
}

export interface TextPart extends WithProviderOptions {
  readonly type: 'text';
  readonly text: string;
}
export interface ReasoningPart extends WithProviderOptions {
  readonly type: 'reasoning';
  readonly text: string;
}
/** `data` is base64. */
export interface FilePart extends WithProviderOptions {
  readonly type: 'file';
  readonly data: string;
  readonly mediaType: string;
}
export interface ToolCallPart extends WithProviderOptions {
  readonly type: 'tool-call';
  readonly callId: string;
  readonly name: string;
  /** As the model sent it, JSON or not. */
  readonly argumentsText: string;
  /** The provider runs it by itself; nobody here does. */
  readonly providerExecuted?: true;
}
/** What a call that the provider ran by itself came to. */
export interface ProviderResultPart extends WithProviderOptions {
  readonly type: 'tool-result';
  readonly callId: string;
  readonly name: string;
  readonly value: JsonValue;
  readonly isError?: true;
}
export type AssistantPart = TextPart | ReasoningPart | FilePart | ToolCallPart | ProviderResultPart;

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly ContentBlock[];
  /** Who wrote it for the person, such as a plugin's name. Absent when it was the person. */
  readonly source?: string;
}
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantPart[];
}
export interface ToolMessage {
  readonly role: 'tool';
  readonly callId: string;
  readonly name: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
}
/** One message of a conversation, as a model sees it. Deep-frozen. */
export type SessionMessage = UserMessage | AssistantMessage | ToolMessage;
