import type { Context, Disposer } from '@sluice/core-tools';
import { aHost, aTool } from '@sluice/testing';
import { expect } from 'vitest';
import { listOf, type Case, type JsonRecord, wordOf } from './case.ts';

const ordinals = ['first', 'second', 'third', 'fourth'];

/** Steps in order. Each successful registration gives a tool that answers with its ordinal. */
export async function runLifecycleCase(input: Case): Promise<void> {
  const { ctx, dispose } = aHost();
  try {
    const scopes = new Map<string, Context>();
    const inScope = (name: JsonRecord[string] | undefined): Context => {
      if (name === undefined) return ctx;
      const scope = scopes.get(wordOf(name)) ?? ctx.scope(wordOf(name));
      scopes.set(wordOf(name), scope);
      return scope;
    };
    const handles = new Map<string, Disposer>();
    let registered = 0;

    for (const [i, step] of listOf(input['steps']).entries()) {
      const at = `step ${i}: ${JSON.stringify(step)}`;
      if (step['register'] !== undefined) {
        const answer = ordinals[registered];
        const register = (): Disposer => inScope(step['scope']).tools.register(aTool({ name: wordOf(step['register']), execute: () => answer }));
        if (step['expect'] === 'throws') {
          expect(register, at).toThrow();
          continue;
        }
        expect(step['expect'], at).toBeUndefined();
        handles.set(wordOf(step['as']), register());
        registered += 1;
      } else if (step['dispose'] !== undefined) {
        const handle = handles.get(wordOf(step['dispose']));
        expect(handle, at).toBeDefined();
        handle?.();
      } else {
        const result = await inScope(step['agent']).tools.execute({ name: wordOf(step['call']) });
        expect(result.isError ? result.error.info.code : result.value, at).toBe(step['expect']);
      }
    }
  } finally {
    await dispose();
  }
}
