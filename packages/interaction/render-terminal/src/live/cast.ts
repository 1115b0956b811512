import { contextOf, type Context, type ContextNode } from '@sluice/core-context';
import { Story, type Presenter } from '../story/story.ts';
import type { CallLimits } from '../story/call.ts';

/** Whose story it is: a session, or where there is none, a scope. */
export interface Part {
  readonly story: Story;
  /** Name of its scope. */
  readonly label: string;
  /** It has a session that writes everything down but calls that are made past its loop. */
  readonly hasLog: boolean;
}

/** Everybody who has a story, for as long as they live. */
export class Cast {
  readonly #ctx: Context;
  readonly #limits: CallLimits;
  readonly #parts = new WeakMap<object, Part>();

  constructor(ctx: Context, limits: CallLimits) {
    this.#ctx = ctx;
    this.#limits = limits;
  }

  /** The story of whatever happens in a scope without a session. */
  ofScope(scopePath: readonly string[]): Part {
    return this.#part(scopePath, scopePath, false);
  }

  ofSession(session: object): Part {
    const known = this.#parts.get(session);
    if (known !== undefined) return known;
    const home = contextOf(this.#ctx.scopePath);
    return this.#part(session, home === undefined ? undefined : scopeWith(session, home.inspect()), true);
  }

  #part(key: object, scopePath: readonly string[] | undefined, hasLog: boolean): Part {
    const known = this.#parts.get(key);
    if (known !== undefined) return known;
    const presenter = (): Presenter | undefined => (scopePath === undefined ? this.#ctx : contextOf(scopePath))?.get('tools');
    const part = { story: new Story({ ...this.#limits, presenter }), label: scopePath === undefined || scopePath.length === 0 ? 'root' : scopePath.join('/'), hasLog };
    this.#parts.set(key, part);
    return part;
  }
}

/** The session in view of a scope, if any: `@sluice/core-session` need not be there. */
export function sessionOf(scopePath: readonly string[]): object | undefined {
  const found: unknown = (contextOf(scopePath) as { get(name: string): unknown } | undefined)?.get('session');
  return typeof found === 'object' && found !== null ? found : undefined;
}

/** The outermost scope that has this session. */
function scopeWith(session: object, node: ContextNode): readonly string[] | undefined {
  if (node.kind !== 'plugin' && sessionOf(node.scopePath) === session) return node.scopePath;
  for (const child of node.children) {
    const found = scopeWith(session, child);
    if (found !== undefined) return found;
  }
  return undefined;
}
