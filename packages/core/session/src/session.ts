import { describeIssues, snapshotJson, SluiceError } from '@sluice/core-schema';
import type { Disposer, Logger } from '@sluice/core-context';
import { codes } from './errors.ts';
import type { PromptSet } from './events.ts';
import type { AnySessionEvent, SessionEvent, SessionEvents, SessionEventType } from './index.ts';
import { eventLine } from './log-format.ts';
import type { LogSink } from './log-file.ts';
import type { SessionMessage } from './messages.ts';
import { lostResult } from './repair.ts';
import { Transcript } from './transcript.ts';

/** What can be read from a log. */
export interface SessionView {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** All of them, in order. The array grows as things are appended. */
  readonly events: readonly AnySessionEvent[];
  /** Exactly what the model saw or will see next, without the system prompt. Frozen; the same array until something joins. */
  deriveMessages(): readonly SessionMessage[];
  /** System prompt and tools of the latest request; undefined before the first. */
  readonly prompt: PromptSet | undefined;
  /** Number of the latest turn, 0 before the first; and whether it has not ended. */
  readonly turn: { readonly number: number; readonly isOpen: boolean };
}

export interface AppendOptions {
  /** A reader that does not know the type must refuse the log. Default false. Types of this package need no mark. */
  readonly required?: boolean;
}

/** The log of one conversation. Only grows. */
export interface Session extends SessionView {
  /**
   * Adds an event; it is part of the log at once, and on the disk after `flush()`.
   *
   * @throws TypeError if the data is no JSON; SluiceError `SESSION_CLOSED`, `SESSION_WRITE_FAILED`
   */
  append<K extends SessionEventType>(type: K, data: SessionEvents[K], options?: AppendOptions): SessionEvent<K>;
  /** Resolves when everything appended so far would survive a power cut. @throws SluiceError `SESSION_WRITE_FAILED` (rejects) */
  flush(): Promise<void>;
  /**
   * Closes what a crash left open: gives each call of the last reply that has no result one that says so, and ends the turn.
   * Call it before going on with a log, never while a turn runs. Returns what it appended.
   */
  repair(): readonly AnySessionEvent[];
  /** Calls back after each event. What the listener throws is logged and stays with it. */
  subscribe(listener: (event: AnySessionEvent) => void): Disposer;
  /** Flushes, and gives the file up. Twice is the same promise. */
  close(): Promise<void>;
}

export interface SessionParts {
  readonly id: string;
  readonly createdAt: number;
  readonly events: AnySessionEvent[];
  readonly sink: LogSink;
  readonly logger: Logger;
}

export class LoggedSession implements Session {
  readonly id: string;
  readonly createdAt: number;
  readonly events: AnySessionEvent[];
  readonly #sink: LogSink;
  readonly #logger: Logger;
  readonly #transcript = new Transcript();
  readonly #listeners = new Set<{ listener: (event: AnySessionEvent) => void }>();
  #closing: Promise<void> | undefined;

  constructor({ id, createdAt, events, sink, logger }: SessionParts) {
    this.id = id;
    this.createdAt = createdAt;
    this.events = events;
    this.#sink = sink;
    this.#logger = logger;
    for (const event of events) this.#transcript.add(event);
  }

  append<K extends SessionEventType>(type: K, data: SessionEvents[K], { required = false }: AppendOptions = {}): SessionEvent<K> {
    if (this.#closing !== undefined) {
      throw new SluiceError(codes.SESSION_CLOSED, `core-session: "${type}" cannot be written: session "${this.id}" is closed`);
    }
    if (this.#sink.failure !== undefined) throw this.#sink.failure;
    if (typeof type !== 'string' || (type as string) === '') throw new TypeError('core-session: an event needs a type, a non-empty string');
    const snapshot = snapshotJson(data);
    if (!snapshot.ok) throw new TypeError(`core-session: the data of "${type}" is no JSON: ${describeIssues([snapshot.issue], 'data')}`);
    if (typeof snapshot.value !== 'object' || snapshot.value === null) throw new TypeError(`core-session: the data of "${type}" must be an object`);
    const event = Object.freeze({
      seq: this.events.length + 1,
      at: Date.now(),
      type,
      data: snapshot.value,
      ...(required ? { required } : {}),
    }) as unknown as SessionEvent<K>;
    const entry = event as unknown as AnySessionEvent;
    this.events.push(entry);
    this.#transcript.add(entry);
    this.#sink.append(eventLine(entry));
    for (const { listener } of [...this.#listeners]) this.#tell(listener, entry);
    return event;
  }

  flush(): Promise<void> {
    return this.#sink.flush();
  }

  deriveMessages(): readonly SessionMessage[] {
    return this.#transcript.messages;
  }

  get prompt(): PromptSet | undefined {
    return this.#transcript.prompt;
  }

  get turn(): { readonly number: number; readonly isOpen: boolean } {
    return { number: this.#transcript.turns, isOpen: this.#transcript.openTurn !== undefined };
  }

  repair(): readonly AnySessionEvent[] {
    const before = this.events.length;
    for (const call of [...this.#transcript.openCalls]) this.append('tool/result', lostResult(call));
    const turn = this.#transcript.openTurn;
    if (turn !== undefined) this.append('turn/end', { turn, reason: 'interrupted', message: 'the program ended within this turn' });
    return this.events.slice(before);
  }

  subscribe(listener: (event: AnySessionEvent) => void): Disposer {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#sink.close();
    return this.#closing;
  }

  #tell(listener: (event: AnySessionEvent) => unknown, event: AnySessionEvent): void {
    const failed = (error: unknown): void => {
      this.#logger.error(`core-session: a listener threw on "${event.type}"`, error);
    };
    try {
      const answer = listener(event);
      if (answer instanceof Promise) answer.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
