import type { Context, Disposer } from '@sluice/core-context';
import type { ToolSchema } from '@sluice/core-tools';

/** A part of the system prompt. */
export interface PromptSection {
  /** Unique within its scope. One of the same name in a scope further down takes its place there. */
  readonly name: string;
  /** Ascending; equal ones by name. Guidance on single tools lies between 100 and 199. Default 0. */
  readonly order?: number;
  /**
   * Final text: nothing in it is interpolated. A function is asked at every assembly, with the context that assembles; what it
   * gives back empty or undefined is left out. Contract: a throw fails the assembly, naming the section.
   */
  readonly text: string | ((scope: Context) => string | undefined | Promise<string | undefined>);
}

/** Asked at every assembly for tools beside those of `ctx.tools`. Contract: a throw fails the assembly. */
export type ToolProvider = (scope: Context) => readonly ToolSchema[] | Promise<readonly ToolSchema[]>;

export interface AssembledSection {
  readonly name: string;
  readonly order: number;
  readonly text: string;
}

/** What listeners on `system-prompt/assemble` may replace: in order, and taken as it is. */
export interface PromptParts {
  readonly sections: readonly AssembledSection[];
  readonly tools: readonly ToolSchema[];
}

/** Deep-frozen. */
export interface AssembledPrompt extends PromptParts {
  /** Texts of the sections, with an empty line between. */
  readonly system: string;
}

/** `ctx.systemPrompt`. The context it is read from is the scope, and owns what is registered through it. */
export interface SystemPrompt {
  /** @throws TypeError (shape), SluiceError `PROMPT_DUPLICATE_SECTION` */
  section(section: PromptSection): Disposer;
  /** @throws TypeError if it is no function */
  tools(provider: ToolProvider): Disposer;
  /** @throws SluiceError (rejects) `PROMPT_SECTION_FAILED`, `PROMPT_DUPLICATE_TOOL`, `PROMPT_INVALID`; what a provider or `ctx.tools` throws */
  assemble(): Promise<AssembledPrompt>;
}

/** What a listener is told of an assembly. */
export interface AssemblyRequest {
  readonly scopePath: readonly string[];
}
