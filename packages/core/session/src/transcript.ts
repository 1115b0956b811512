import type { AnySessionEvent, PromptSet } from './index.ts';
import type { SessionMessage } from './messages.ts';

/** A call of the latest reply that has no result. */
export interface OpenCall {
  readonly turn: number;
  readonly step: number;
  readonly callId: string;
  readonly name: string;
  /** Absent if it never started. */
  callSeq?: number;
}

/**
 * A conversation, folded from its events one by one. The same fold serves a running session and a log that is read back, so
 * the two cannot differ.
 */
export class Transcript {
  #messages: SessionMessage[] = [];
  #frozen: readonly SessionMessage[] | undefined;
  #open: OpenCall[] = [];
  #turns = 0;
  #openTurn: number | undefined;
  #prompt: PromptSet | undefined;

  add(event: AnySessionEvent): void {
    switch (event.type) {
      case 'turn/start':
        this.#turns = this.#openTurn = event.data.turn;
        return;
      case 'turn/end':
        this.#openTurn = undefined;
        return;
      case 'prompt/set':
        this.#prompt = event.data;
        return;
      case 'user/message':
        this.#say({ role: 'user', content: event.data.content });
        return;
      case 'context/injected':
        this.#say({ role: 'user', content: event.data.content, source: event.data.source });
        return;
      case 'assistant/message': {
        const { turn, step, content } = event.data;
        if (content.length > 0) this.#say({ role: 'assistant', content });
        this.#open = content.flatMap((part) =>
          part.type === 'tool-call' && part.providerExecuted !== true ? [{ turn, step, callId: part.callId, name: part.name }] : [],
        );
        return;
      }
      case 'tool/call': {
        const call = this.#open.find(({ callId, callSeq }) => callId === event.data.callId && callSeq === undefined);
        if (call !== undefined) call.callSeq = event.seq;
        return;
      }
      case 'tool/result': {
        const { callId, name, content, isError, callSeq } = event.data;
        const index = this.#open.findIndex((call) => call.callId === callId && call.callSeq === callSeq);
        if (index >= 0) this.#open.splice(index, 1);
        this.#say({ role: 'tool', callId, name, content, isError });
        return;
      }
      default:
    }
  }

  /** The same array until something joins the conversation. */
  get messages(): readonly SessionMessage[] {
    return (this.#frozen ??= Object.freeze([...this.#messages]));
  }

  get prompt(): PromptSet | undefined {
    return this.#prompt;
  }

  /** In the order of the reply. */
  get openCalls(): readonly OpenCall[] {
    return this.#open;
  }

  get openTurn(): number | undefined {
    return this.#openTurn;
  }

  /** Number of the latest turn; 0 before the first. */
  get turns(): number {
    return this.#turns;
  }

  #say(message: SessionMessage): void {
    this.#messages.push(Object.freeze(message));
    this.#frozen = undefined;
  }
}
