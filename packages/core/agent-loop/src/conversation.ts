import type { AssistantPart, Session } from '@sluice/core-session';
import { checkContexts, type AdditionalContext, type AgentMessage, type ContentBlock, type ToolExecutionResult } from '@sluice/core-tools';
import type { Reply } from './reply.ts';
import type { AgentEvent } from './types.ts';

interface At {
  readonly turn: number;
  readonly step: number;
}

/** The one place where something joins a conversation: into the log first, then to whoever watches. */
export class Conversation {
  readonly log: Session;
  /** Set while a turn runs. */
  watch: (event: AgentEvent) => void = () => undefined;
  /** What has joined since the latest request. */
  #incoming: AgentMessage[] = [];

  constructor(log: Session) {
    this.log = log;
  }

  say(content: readonly ContentBlock[]): void {
    this.log.append('user/message', { content });
    this.#incoming.push({ role: 'user', content });
    this.watch({ type: 'message', content });
  }

  /** @throws TypeError on a malformed context: once in the log it would fail every request from then on */
  inject(given: AdditionalContext): void {
    const context = checkedContext(given);
    const { source, content, meta } = context;
    this.log.append('context/injected', { source, content, ...(meta === undefined ? {} : { meta }) });
    this.#incoming.push({ role: 'user', source, content });
    this.watch({ type: 'context', context });
  }

  reply(at: At, content: readonly AssistantPart[], { finishReason, usage }: Reply, isInterrupted: boolean): void {
    this.log.append('assistant/message', {
      ...at,
      content,
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(usage === undefined ? {} : { usage: { ...usage } }),
      ...(isInterrupted ? { interrupted: true } : {}),
    });
    this.watch({ type: 'reply', content, ...(finishReason === undefined ? {} : { finishReason }), isInterrupted });
  }

  /** Returns the `seq` that the result refers to. */
  call(at: At, { callId, name, argumentsText }: { callId: string; name: string; argumentsText: string }): number {
    const { seq } = this.log.append('tool/call', { ...at, callId, name, argumentsText });
    this.watch({ type: 'tool-call', callId, name, argumentsText });
    return seq;
  }

  result(at: At, callSeq: number, result: ToolExecutionResult): void {
    const { callId, name, content, isError, meta } = result;
    this.log.append('tool/result', {
      ...at,
      callId,
      callSeq,
      name,
      content,
      isError,
      ...(result.isError ? { error: { name: result.error.info.name, code: result.error.info.code } } : {}),
      ...(meta === undefined ? {} : { meta }),
      ...(result.isError && result.stillRunning === true ? { stillRunning: true } : {}),
    });
    this.#incoming.push({ role: 'tool', content });
    this.watch({ type: 'tool-result', result });
  }

  /** What a step's listeners are told of; from here on it counts as sent. */
  takeIncoming(): readonly AgentMessage[] {
    const taken = Object.freeze(this.#incoming);
    this.#incoming = [];
    return taken;
  }
}

function checkedContext(context: AdditionalContext): AdditionalContext {
  const checked = checkContexts([context]);
  if (checked.ok) return checked.contexts[0] as AdditionalContext;
  throw new TypeError(`core-agent-loop: ${checked.problem}`);
}
