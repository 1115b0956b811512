import { describe, expect, it } from 'vitest';
import { contextOf, createContext } from '../src/index.ts';

describe('contextOf', () => {
  it('gives the context of the scope whose path it is told, from anywhere', async () => {
    const root = createContext();
    const other = createContext();
    const agent = root.scope('agent');
    expect(contextOf(root.scopePath)).toBe(root);
    expect(contextOf(other.scopePath)).toBe(other);
    expect(contextOf(agent.scopePath)).toBe(agent);
    let seen: unknown;
    root.plugin({ name: 'p', apply: (ctx) => { seen = contextOf(ctx.scopePath); } });
    expect(seen).toBe(root);
    await Promise.all([root.dispose(), other.dispose()]);
  });

  it('knows no array but the very one, so that a scope of the same name is never taken for another', async () => {
    const root = createContext();
    const first = root.scope('agent');
    const path = first.scopePath;
    await first.dispose();
    const second = root.scope('agent');
    expect(contextOf([...path])).toBeUndefined();
    expect(contextOf(path)).toBe(first);
    expect(contextOf(second.scopePath)).toBe(second);
    await root.dispose();
  });
});
