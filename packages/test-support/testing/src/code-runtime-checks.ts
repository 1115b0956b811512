import { bindings } from './code-runtime/bindings.ts';
import { escapes } from './code-runtime/escapes.ts';
import { lifecycle } from './code-runtime/lifecycle.ts';
import { limits } from './code-runtime/limits.ts';
import { programs } from './code-runtime/programs.ts';
import { withRuntime, type CodeRuntimeFixture } from './code-runtime/world.ts';

export interface CodeRuntimeCheckOptions {
  /** Programs that run in a row before it is looked what they left. Default 100. */
  readonly rows?: number;
}

/**
 * The contract of `@sluice/code-runtime`, for runtimes of TypeScript, as checks without a test framework. They run real programs,
 * some of them into their limits, so each takes up to a few seconds.
 */
export function codeRuntimeChecks(fixture: CodeRuntimeFixture, { rows = 100 }: CodeRuntimeCheckOptions = {}): { readonly name: string; run(): Promise<void> }[] {
  return [...programs, ...bindings, ...limits, ...escapes, ...lifecycle(rows)].map((check) => ({ name: check.name, run: () => withRuntime(fixture, check) }));
}
