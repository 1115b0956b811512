import { describe, it } from 'vitest';
import { codeRuntimeChecks, type CodeRuntimeCheckOptions } from './code-runtime-checks.ts';
import type { CodeRuntimeFixture } from './code-runtime/world.ts';

/** Milliseconds; a busy machine needs many of them to start threads. */
const TIMEOUT_MS = 120_000;

/**
 * The checks of `codeRuntimeChecks` as tests, one each. Write it at the top level of a spec file:
 * `describeCodeRuntime('my-provider', { mount: (ctx, config) => { ctx.plugin(myProvider, config); } })`.
 */
export function describeCodeRuntime(name: string, fixture: CodeRuntimeFixture, options: CodeRuntimeCheckOptions = {}): void {
  describe(`the code runtime contract of ${name}`, () => {
    const timeoutMs = Math.max(TIMEOUT_MS, 1_000 * (options.rows ?? 0));
    for (const check of codeRuntimeChecks(fixture, options)) it(check.name, () => check.run(), timeoutMs);
  });
}
