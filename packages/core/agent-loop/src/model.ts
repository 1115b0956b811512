/**
 * A language model object of the AI SDK, by shape: whatever a provider package of that ecosystem gives, specification `v2`,
 * `v3` or `v4`, is one. Wider than the original where this package does not look, so that it depends on no version of it.
 */
export interface LanguageModel {
  /** `v2`, `v3` or `v4`; anything else is refused when an agent is created. */
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: ModelCallOptions): PromiseLike<{ readonly stream: ModelStream }>;
}

/** What a model is asked with. Members that are not named here are passed on as they are. */
export interface ModelCallOptions {
  readonly prompt: readonly object[];
  readonly tools?: readonly object[];
  readonly toolChoice?: object;
  readonly abortSignal?: AbortSignal;
}

/** The part of a web ReadableStream that is used. */
export interface ModelStream {
  getReader(): ModelStreamReader;
}
export interface ModelStreamReader {
  read(): Promise<{ done: boolean; value?: { readonly type: string } | undefined }>;
  cancel(reason?: unknown): Promise<unknown>;
}

/** How a model is to answer; all of it optional, as its provider understands it. */
export interface ModelSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly toolChoice?: { readonly type: 'auto' | 'none' | 'required' } | { readonly type: 'tool'; readonly toolName: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly providerOptions?: object;
}

export const SPECIFICATIONS = ['v2', 'v3', 'v4'] as const;
export type SpecificationVersion = (typeof SPECIFICATIONS)[number];
