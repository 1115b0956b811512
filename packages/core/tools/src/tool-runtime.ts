import type { Disposer } from '@sluice/core-context';
import type { ToolCallView, ToolResultView } from './cards.ts';
import type { SdkRenderer } from './code-mode/sdk/sdk-renderer.ts';
import type {
  ExecuteAllOptions,
  ExecutionMode,
  Guard,
  PresentableResult,
  Presentation,
  PresentationMode,
  Restriction,
  ToolCallInput,
  ToolDefinition,
  ToolExecutionResult,
  ToolSchema,
} from './types.ts';

/** `ctx.tools`. The context it is read from is the scope, and owns what is registered through it. */
export interface ToolRuntime {
  /** @throws TypeError (shape), SluiceError `INVALID_SCHEMA`, `TOOL_DUPLICATE`, `CONTEXT_DISPOSED` */
  register(definition: ToolDefinition): Disposer;
  /** Hides inherited tools from this scope and its children. Visibility, not authority. @throws SluiceError `INVALID_RESTRICTION` */
  restrict(restriction: Restriction): Disposer;
  /** @throws TypeError if it is no function */
  guard(guard: Guard): Disposer;
  /** The definition that a call by this name would run here. */
  get(name: string): ToolDefinition | undefined;
  /**
   * Every tool that can be reached here, by whatever mode, in registration order, `run_code` last; deep-frozen; the same array
   * until something changes. What a model is shown is `presentation()`.
   */
  schemas(): readonly ToolSchema[];
  /** How tools reach the model of this scope and its children, until disposed. @throws TypeError (root, no mode, a second one) */
  presentAs(mode: PresentationMode): Disposer;
  /** @throws SluiceError `CODE_RUNTIME_MISSING`, `SDK_UNKNOWN_LANGUAGE`: a mode with programs needs somebody who runs them */
  presentation(): Presentation;
  /** How tools are described to programs of a language, from this scope down. `typescript` is there. @throws SluiceError `SDK_DUPLICATE` */
  sdk(language: string, renderer: SdkRenderer): Disposer;
  executionMode(call: { readonly name: string; readonly arguments?: unknown }): ExecutionMode;
  /** Resolves for whatever a model or plugin can cause. @throws TypeError on misuse by the host (rejects) */
  execute(input: ToolCallInput): Promise<ToolExecutionResult>;
  /** Results in call order. @throws TypeError on misuse (rejects, before anything started) */
  executeAll(inputs: readonly ToolCallInput[], options?: ExecuteAllOptions): Promise<ToolExecutionResult[]>;
  /** The card for a call, or for its result when one is given. Falls back to a generic card; never throws for bad arguments. */
  present(call: { readonly name: string; readonly arguments?: unknown }): ToolCallView;
  present(call: { readonly name: string; readonly arguments?: unknown }, result: PresentableResult): ToolResultView;
}
