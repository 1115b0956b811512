import type {
  ApprovalAsked,
  ApprovalDecided,
  AssistantMessageEvent,
  ContextInjected,
  NestedCallEvent,
  NestedResultEvent,
  PromptSet,
  ToolCallEvent,
  ToolResultEvent,
  TurnEnd,
  TurnStart,
  UserMessageEvent,
} from './events.ts';

export { session, session as default, type SessionConfig } from './plugin.ts';
export { openSession, readSession, type OpenSessionOptions, type ReadSessionOptions } from './open-session.ts';
export { deriveMessages } from './derive-messages.ts';
export { codes as sessionCodes } from './errors.ts';
export type { AppendOptions, Session, SessionView } from './session.ts';
export type * from './events.ts';
export type * from './messages.ts';

// Declared here, because TypeScript merges what other packages add only into the module they name.

/**
 * What a log may hold: the type of each event's data, by event type. A package adds its own:
 * `declare module '@sluice/core-session' { interface SessionEvents { 'todo/write': TodoWrite } }`.
 */
export interface SessionEvents {
  'turn/start': TurnStart;
  'turn/end': TurnEnd;
  'prompt/set': PromptSet;
  'user/message': UserMessageEvent;
  'context/injected': ContextInjected;
  'assistant/message': AssistantMessageEvent;
  'tool/call': ToolCallEvent;
  'tool/result': ToolResultEvent;
  'tools/nested-call': NestedCallEvent;
  'tools/nested-result': NestedResultEvent;
  'tools/code-dispatch-start': NestedCallEvent;
  'tools/code-dispatch': NestedResultEvent;
  'approval/asked': ApprovalAsked;
  'approval/decided': ApprovalDecided;
}

export type SessionEventType = Extract<keyof SessionEvents, string>;

/** One entry of a log. Deep-frozen. */
export interface SessionEvent<K extends SessionEventType> {
  /** Counts from 1, without gaps. */
  readonly seq: number;
  /** Milliseconds since 1970, by the clock of the machine. */
  readonly at: number;
  readonly type: K;
  readonly data: SessionEvents[K];
  /** A reader that does not know the type must not go on. */
  readonly required?: true;
}

/** Any entry; `switch (event.type)` tells which. */
export type AnySessionEvent = { [K in SessionEventType]: SessionEvent<K> }[SessionEventType];
