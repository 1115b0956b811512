import type { JsonObject } from '@sluice/core-schema';

/** A tool as a program sees it: arguments in, value out. */
export interface SdkTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: JsonObject;
  /** JSON Schema of the value. */
  readonly output: JsonObject;
}

/** Describes tools to the author of a program, in the language of the program. Pure: equal tools, equal text. */
export interface SdkRenderer {
  /** Text of `run_code`'s `code` parameter, such as `Body of an async TypeScript function.` */
  readonly codeDescription: string;
  /** The section of the system prompt. `tools` come sorted by name. */
  section(tools: readonly SdkTool[], catalog: SdkCatalog): string;
  /** The declaration of one tool, for `tools.$describe`. */
  describe(tool: SdkTool): string;
}

/** `full`: everything is declared. `summary`: names and one line each, the rest through `$describe` and `$search`. */
export type SdkCatalog = 'full' | 'summary';
