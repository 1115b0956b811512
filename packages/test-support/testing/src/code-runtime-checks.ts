import { bindings } from './code-runtime/bindings.ts';
import { escapes } from './code-runtime/escapes.ts';
import { lifecycle } from './code-runtime/lifecycle.ts';
import { limits } from './code-runtime/limits.ts';
import { programs } from './code-runtime/programs.ts';
import { withRuntime, type CodeRuntimeFixture } from './code-runtime/world.ts';

export interface CodeRuntimeCheckOptions {
  /** Programs that run in a row before it is looked what they left. Default 60. */
  readonly rows?: number;
  /** Ways out, by name, that the provider documents as leading to an object of another realm and no further. Default: none. */
  readonly documented?: readonly string[];
}

/**
 * The contract of `@sluice/code-runtime`, for runtimes of TypeScript, as checks without a test framework. They run real programs,
 * some of them into their limits, so each takes up to a few seconds.
 */
export function codeRuntimeChecks(fixture: CodeRuntimeFixture, { rows = 60, documented = [] }: CodeRuntimeCheckOptions = {}): { readonly name: string; run(): Promise<void> }[] {
  return [...programs, ...bindings, ...limits, ...escapes(documented), ...lifecycle(rows)].map((check) => ({ name: check.name, run: () => withRuntime(fixture, check) }));
}
