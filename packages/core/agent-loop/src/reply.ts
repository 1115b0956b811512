import type { AssistantPart, ToolCallPart } from '@sluice/core-session';
import type { JsonObject, JsonValue } from '@sluice/core-tools';
import { onAbort } from '@sluice/core-tools';
import type { LanguageModel, ModelCallOptions, ModelStreamReader } from './model.ts';

export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** What a model said in one step. */
export interface Reply {
  readonly parts: readonly AssistantPart[];
  /** Such as `stop`, `tool-calls`, `length`; `unknown` when the provider gave none. Absent when the stream did not come to its end. */
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** Why it did not. */
  readonly broken?: unknown;
}

/** Text as it arrives. */
export interface Delta {
  readonly type: 'text' | 'reasoning';
  readonly delta: string;
}

/**
 * Asks the model and reads its stream to the end. A stream that breaks, or that ends without saying so, or an abort, gives
 * what had arrived until then with the reason in `broken`. Does not reject, and does not wait for a model that ignores `signal`.
 */
export async function readReply(model: LanguageModel, options: ModelCallOptions, signal: AbortSignal, onDelta: (delta: Delta) => void): Promise<Reply> {
  const builder = new ReplyBuilder(onDelta);
  let reader: ModelStreamReader | undefined;
  try {
    const asked = Promise.resolve(model.doStream({ ...options, abortSignal: signal }));
    // One that arrives after the abort is given up unread.
    asked.then(({ stream }) => (signal.aborted && reader === undefined ? stream.getReader().cancel() : undefined)).catch(() => undefined);
    reader = (await unlessAborted(asked, signal)).stream.getReader();
    for (;;) {
      const { done, value } = await unlessAborted(reader.read(), signal);
      if (done || value === undefined) break;
      builder.add(value);
    }
  } catch (error) {
    reader?.cancel(error).catch(() => undefined);
    // A reply that was complete stays so, whatever happens to its stream afterwards.
    if (!builder.isFinished || signal.aborted) return builder.build(error);
  }
  return builder.build(builder.isFinished ? undefined : new Error('the stream of the model ended before its reply did'));
}

/** @throws the reason of the abort, as soon as there is one */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // It may reject when nobody waits for it any more.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let unwatch: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is whatever the aborter gave
    unwatch = onAbort(signal, () => { reject(signal.reason); });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    unwatch();
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** A part of a stream, of either specification, before anything is known of it. */
type Raw = Readonly<Record<string, unknown>>;

class ReplyBuilder {
  readonly #onDelta: (delta: Delta) => void;
  readonly #parts: Writable<AssistantPart>[] = [];
  /** Texts that are being written, by their id. */
  readonly #open = new Map<string, { type: 'text' | 'reasoning'; text: string; providerOptions?: JsonObject }>();
  #finish: { finishReason: string; usage: Usage } | undefined;

  constructor(onDelta: (delta: Delta) => void) {
    this.#onDelta = onDelta;
  }

  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** @throws what the model reports as an error, or what is wrong with the part */
  add(part: { readonly type: string }): void {
    const raw = part as unknown as Raw;
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#write('text', raw);
        return;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#write('reasoning', raw);
        return;
      case 'tool-call':
        this.#parts.push(toolCall(raw));
        return;
      case 'tool-result':
        this.#parts.push({
          type: 'tool-result',
          callId: text(raw, 'toolCallId'),
          name: text(raw, 'toolName'),
          value: plain(raw['result']) ?? null,
          ...(raw['isError'] === true ? { isError: true } : {}),
          ...metadata(raw),
        });
        return;
      case 'file':
        this.#parts.push({ type: 'file', mediaType: text(raw, 'mediaType'), data: fileData(raw['data']), ...metadata(raw) });
        return;
      case 'finish':
        this.#finish = { finishReason: finishReason(raw['finishReason']), usage: usage(raw['usage']) };
        return;
      case 'error':
        throw raw['error'];
      default:
      // Sources, warnings, the pieces of a call's input: nothing that goes back to the model.
    }
  }

  build(broken?: unknown): Reply {
    const parts = this.#parts.filter((part) => part.type !== 'text' || part.text !== '');
    if (this.#finish === undefined || broken !== undefined) return { parts, broken };
    return { parts, ...this.#finish };
  }

  #write(type: 'text' | 'reasoning', raw: Raw): void {
    const key = `${type}:${text(raw, 'id')}`;
    let part = this.#open.get(key);
    if (part === undefined) {
      part = { type, text: '' };
      this.#open.set(key, part);
      this.#parts.push(part);
    }
    Object.assign(part, metadata(raw));
    const { delta } = raw;
    if (typeof delta === 'string' && delta !== '') {
      part.text += delta;
      this.#onDelta({ type, delta });
    }
    // Its id may be used again.
    if (raw['type'] === `${type}-end`) this.#open.delete(key);
  }
}

function toolCall(raw: Raw): ToolCallPart {
  return {
    type: 'tool-call',
    callId: text(raw, 'toolCallId'),
    name: text(raw, 'toolName'),
    argumentsText: text(raw, 'input'),
    ...(raw['providerExecuted'] === true ? { providerExecuted: true } : {}),
    ...metadata(raw),
  };
}

function text(raw: Raw, key: string): string {
  const value = raw[key];
  if (typeof value === 'string') return value;
  throw new TypeError(`the model sent a part "${String(raw['type'])}" whose ${key} is ${value === null ? 'null' : typeof value}, not a string`);
}

/** The bytes themselves until `v3`; in `v4` inside `{ type: 'data', data }`, or an address in `{ type: 'url', url }`. */
function fileData(given: unknown): string {
  const { data, url } = typeof given === 'object' && given !== null && !(given instanceof Uint8Array) ? (given as Raw) : { data: given };
  const value = data ?? url;
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value);
}

function metadata({ providerMetadata }: Raw): { providerOptions?: JsonObject } {
  const options = plain(providerMetadata);
  return typeof options === 'object' && options !== null ? { providerOptions: options as JsonObject } : {};
}

/** As JSON makes it: a provider's own values are often not as plain as a log wants them. */
function plain(value: unknown): JsonValue | undefined {
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? undefined : (JSON.parse(json) as JsonValue);
}

/** What a provider package says when the provider gave no reason at all, as when a connection was closed in the middle. */
export const NO_REASON = 'unknown';

/** A word in `v2`, `{ unified, raw }` from `v3` on. */
function finishReason(reason: unknown): string {
  if (typeof reason !== 'object' || reason === null) return typeof reason === 'string' ? reason : NO_REASON;
  const { unified, raw } = reason as Raw;
  if (typeof unified !== 'string') return NO_REASON;
  return unified === 'other' && raw === undefined ? NO_REASON : unified;
}

/** Numbers in `v2`, `{ total }` from `v3` on. */
function usage(given: unknown): Usage {
  if (typeof given !== 'object' || given === null) return {};
  const count = (key: string): number | undefined => {
    const value = (given as Raw)[key];
    const total: unknown = typeof value === 'object' && value !== null ? (value as Raw)['total'] : value;
    return typeof total === 'number' && Number.isFinite(total) ? total : undefined;
  };
  const [inputTokens, outputTokens] = [count('inputTokens'), count('outputTokens')];
  return { ...(inputTokens === undefined ? {} : { inputTokens }), ...(outputTokens === undefined ? {} : { outputTokens }) };
}
