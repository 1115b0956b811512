import type { LanguageModel, ModelCallOptions } from './model.ts';

export interface ScriptedCall {
  readonly name: string;
  /** Default `{}`. */
  readonly arguments?: unknown;
  /** The raw text in place of `arguments`, JSON or not. */
  readonly argumentsText?: string;
  /** Default: `call-1`, `call-2`, … over the whole script. */
  readonly callId?: string;
}

/** One reply of the model; a string is its text. */
export type ScriptedReply =
  | string
  | {
      readonly reasoning?: string;
      readonly text?: string;
      readonly calls?: readonly ScriptedCall[];
      /** Default: `tool-calls` if there are any, else `stop`. */
      readonly finishReason?: string;
      /** The stream fails with this after everything else, in place of its end. */
      readonly error?: unknown;
      /** The stream ends without saying so. */
      readonly isCut?: boolean;
      /** Waits for this before the end, or for an abort. */
      readonly until?: Promise<unknown>;
    };

export interface ScriptedOptions {
  /** Specification that it speaks. Default `v3`. */
  readonly specificationVersion?: 'v2' | 'v3' | 'v4';
  /** Characters of one piece of text. Default 8. */
  readonly chunkChars?: number;
}

export interface ScriptedModel extends LanguageModel {
  /** What it was asked, oldest first. */
  readonly requests: readonly ModelCallOptions[];
}

/**
 * A model that says what it was told to, for tests and demonstrations: one reply per request, from a list or a function. It
 * streams as real ones do, and fails when it is asked more often than the list is long.
 */
export function scriptedModel(
  script: readonly ScriptedReply[] | ((request: ModelCallOptions, index: number) => ScriptedReply),
  { specificationVersion = 'v3', chunkChars = 8 }: ScriptedOptions = {},
): ScriptedModel {
  const requests: ModelCallOptions[] = [];
  let calls = 0;
  return {
    specificationVersion,
    provider: 'scripted',
    modelId: 'scripted',
    requests,
    // eslint-disable-next-line @typescript-eslint/require-await -- so that what it throws is a rejection, as with real ones
    async doStream(options) {
      const index = requests.push(options) - 1;
      const reply = typeof script === 'function' ? script(options, index) : script[index];
      if (reply === undefined) throw new Error(`the script of the model is over: it has ${script.length} replies, and this is request ${index + 1}`);
      const parts = partsOf(typeof reply === 'string' ? { text: reply } : reply, { specificationVersion, chunkChars, mint: () => `call-${(calls += 1)}` });
      return { stream: streamOf(parts, options.abortSignal) };
    },
  };
}

type Part = { readonly type: string } & Readonly<Record<string, unknown>>;

async function* partsOf(
  { reasoning, text, calls = [], finishReason, error, isCut = false, until }: Exclude<ScriptedReply, string>,
  { specificationVersion, chunkChars, mint }: Required<ScriptedOptions> & { mint: () => string },
): AsyncGenerator<Part> {
  yield { type: 'stream-start', warnings: [] };
  for (const [type, words] of [['reasoning', reasoning], ['text', text]] as const) {
    if (words === undefined) continue;
    yield { type: `${type}-start`, id: '0' };
    for (let at = 0; at < words.length; at += chunkChars) yield { type: `${type}-delta`, id: '0', delta: words.slice(at, at + chunkChars) };
    yield { type: `${type}-end`, id: '0' };
  }
  for (const { name, arguments: args = {}, argumentsText = JSON.stringify(args), callId = mint() } of calls) {
    yield { type: 'tool-input-start', id: callId, toolName: name };
    yield { type: 'tool-input-delta', id: callId, delta: argumentsText };
    yield { type: 'tool-input-end', id: callId };
    yield { type: 'tool-call', toolCallId: callId, toolName: name, input: argumentsText };
  }
  await until;
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- real streams fail with anything
  if (error !== undefined) throw error;
  if (isCut) return;
  const reason = finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop');
  const [inputTokens, outputTokens] = [100, 10];
  yield specificationVersion === 'v2'
    ? { type: 'finish', finishReason: reason, usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } }
    : { type: 'finish', finishReason: { unified: reason, raw: reason }, usage: { inputTokens: { total: inputTokens }, outputTokens: { total: outputTokens } } };
}

function streamOf(parts: AsyncGenerator<Part>, signal: AbortSignal | undefined): ReadableStream<Part> {
  return new ReadableStream({
    async pull(controller) {
      try {
        signal?.throwIfAborted();
        const next = await parts.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      } catch (error) {
        controller.error(error);
      }
    },
  });
}
