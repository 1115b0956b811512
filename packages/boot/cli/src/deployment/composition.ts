import { definePlugin, type Context, type Disposer } from '@sluice/core-context';
import type {} from '@sluice/core-tools';
import { meant, type Located, type ScopeEntry } from '../file/body.ts';
import type { Problem } from '../file/problem.ts';
import { CallsInFlight } from './calls-in-flight.ts';
import { holdCalls } from './hold.ts';
import { Level, type Failure, type ListPlan } from './level.ts';
import type { ReadDeployment, ReadPlugin, ReadScope } from './read.ts';
import { messageOf, startProblem, whyNotActive } from './start-problem.ts';

/** What a change did, by the ids of plugins (`scope/id` inside scopes) and the names of scopes. */
export interface Changes {
  readonly mounted: readonly string[];
  readonly updated: readonly string[];
  readonly disposed: readonly string[];
  readonly scopesAdded: readonly string[];
  readonly scopesRemoved: readonly string[];
}

export interface CompositionOptions {
  /** Milliseconds that plugins may take to start. */
  readonly startMs: number;
  /** Milliseconds that a scope's calls may take to end when the scope is taken away. */
  readonly drainMs: number;
}

interface Scope {
  readonly name: string;
  readonly parent: string | undefined;
  readonly level: Level;
  /** What is in force of its restriction and presentation. */
  entry: ScopeEntry | undefined;
  disposers: Disposer[];
}

const EMPTY: ReadDeployment = { plugins: [], scopes: [], files: [], sources: new Map() };

/** A deployment in force: what is mounted where, and the way from one state to the next. */
export class Composition {
  readonly #root: Context;
  readonly #options: CompositionOptions;
  readonly #calls: CallsInFlight;
  /** Everything of the file is mounted in here, apart from what the application mounts itself. */
  readonly #inside: Context;
  readonly #level: Level;
  #scopes = new Map<string, Scope>();
  #current = EMPTY;
  readonly #endings = new Set<Promise<unknown>>();

  constructor(root: Context, options: CompositionOptions) {
    this.#root = root;
    this.#options = options;
    let inside: Context | undefined;
    root.plugin(definePlugin({ name: 'deployment', apply: (ctx) => void (inside = ctx) }));
    this.#inside = inside as unknown as Context;
    this.#calls = new CallsInFlight(this.#inside);
    this.#level = new Level(this.#inside);
  }

  /** What is in force. */
  get current(): ReadDeployment {
    return this.#current;
  }

  get scopeNames(): readonly string[] {
    return [...this.#scopes.keys()];
  }

  scope(name: string): Context | undefined {
    return this.#scopes.get(name)?.level.ctx;
  }

  /** The mounted plugins of the root, or of a scope. */
  level(scope?: string): Level | undefined {
    return scope === undefined ? this.#level : this.#scopes.get(scope)?.level;
  }

  /**
   * Goes over to another state of the deployment. If anything of it does not start, goes back to the one before.
   * Resolves when one of the two is in force; what was replaced may still be ending.
   */
  async apply(next: ReadDeployment): Promise<{ readonly changes: Changes } | { readonly problems: readonly Problem[] }> {
    const previous = this.#current;
    const release = this.#holdFor(next);
    try {
      const { changes, problems } = await this.#step(next);
      if (problems.length === 0) {
        this.#current = next;
        return { changes };
      }
      await this.#step(previous, true);
      return { problems };
    } finally {
      release?.();
    }
  }

  /** Resolves when all that was replaced has ended. */
  async ended(): Promise<void> {
    while (this.#endings.size > 0) await Promise.allSettled(this.#endings);
  }

  /** Calls are denied over a change that takes something away and puts something in place: for a moment neither is in force. */
  #holdFor(next: ReadDeployment): Disposer | undefined {
    const plans = this.#plans(next);
    const ends = plans.some(({ ending }) => ending.length > 0);
    const replaces = plans.some(({ mounting, updating }) => mounting.length > 0 || updating.length > 0);
    return ends && replaces ? holdCalls(this.#root) : undefined;
  }

  #plans(next: ReadDeployment): ListPlan[] {
    return [this.#level.plan(next.plugins), ...next.scopes.flatMap(({ entry, plugins }) => this.#scopes.get(entry.name)?.level.plan(plugins) ?? [])];
  }

  async #step(next: ReadDeployment, isWayBack = false): Promise<{ changes: Changes; problems: Problem[] }> {
    const work = { endings: [] as Promise<unknown>[], updates: [] as Promise<void>[], failures: [] as Failure[] };
    const changes = { mounted: [] as string[], updated: [] as string[], disposed: [] as string[], scopesAdded: [] as string[], scopesRemoved: [] as string[] };
    const apply = (level: Level, plugins: readonly ReadPlugin[], prefix: string): void => {
      const plan = level.plan(plugins);
      changes.mounted.push(...plan.mounting.map(({ entry }) => prefix + entry.id));
      changes.updated.push(...plan.updating.map(({ read }) => prefix + read.entry.id));
      changes.disposed.push(...plan.ending.map(({ read }) => prefix + read.entry.id));
      level.apply(plugins, plan, work);
    };
    const { moved, gone } = this.#leaving(next);
    this.#drop(moved, changes.scopesRemoved);
    apply(this.#level, next.plugins, '');
    for (const scope of next.scopes) {
      if (!this.#scopes.has(scope.entry.name)) changes.scopesAdded.push(scope.entry.name);
      apply(this.#enter(scope).level, scope.plugins, `${scope.entry.name}/`);
    }
    for (const ending of work.endings) this.#track(ending);
    const problems = await this.#settle(work, next.scopes);
    if (problems.length === 0) problems.push(...this.#shapeScopes(next.scopes));
    // Only now: whoever holds the context of a scope should keep it if there is a way back.
    if (problems.length === 0 || isWayBack) this.#drop(gone, changes.scopesRemoved);
    return { changes, problems };
  }

  #track(ending: Promise<unknown>): void {
    const logged = ending.catch((error: unknown) => { this.#root.logger.error(error instanceof Error ? error.message : String(error), error); });
    this.#endings.add(logged);
    void logged.then(() => this.#endings.delete(logged));
  }

  /** Scopes that are no more, and those that are no more inside the same one, each with those inside of it. */
  #leaving(next: ReadDeployment): { readonly moved: readonly Scope[]; readonly gone: readonly Scope[] } {
    const entryOf = ({ name }: Scope): ScopeEntry | undefined => next.scopes.find(({ entry }) => entry.name === name)?.entry;
    const stays = (scope: Scope): boolean => {
      const parent = scope.parent === undefined ? undefined : this.#scopes.get(scope.parent);
      return entryOf(scope)?.extends?.value === scope.parent && (parent === undefined || stays(parent));
    };
    const leaving = [...this.#scopes.values()].filter((scope) => entryOf(scope) === undefined || !stays(scope)).reverse();
    return { moved: leaving.filter((scope) => entryOf(scope) !== undefined), gone: leaving.filter((scope) => entryOf(scope) === undefined) };
  }

  #drop(scopes: readonly Scope[], removed: string[]): void {
    for (const scope of scopes) {
      this.#scopes.delete(scope.name);
      removed.push(scope.name);
      this.#track(this.#endScope(scope));
    }
  }

  /** Calls that run in it are let finish; new ones are denied. */
  async #endScope({ level: { ctx } }: Scope): Promise<void> {
    holdCalls(ctx);
    await this.#calls.none(ctx.scopePath, this.#options.drainMs);
    await ctx.dispose();
  }

  #enter({ entry }: ReadScope): Scope {
    const known = this.#scopes.get(entry.name);
    if (known !== undefined) return known;
    const parent = entry.extends === undefined ? this.#inside : (this.#scopes.get(entry.extends.value) as Scope).level.ctx;
    const scope: Scope = { name: entry.name, parent: entry.extends?.value, level: new Level(parent.scope(entry.name)), entry: undefined, disposers: [] };
    this.#scopes.set(entry.name, scope);
    return scope;
  }

  /** Waits until nothing is starting any more; then says what of the root and these scopes has not started, and why. */
  async #settle({ updates, failures }: { readonly updates: readonly Promise<void>[]; readonly failures: readonly Failure[] }, scopes: readonly ReadScope[]): Promise<Problem[]> {
    let timer: NodeJS.Timeout | undefined;
    let notReady = '';
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.#options.startMs)));
    const ready = Promise.all(updates)
      .then(() => this.#inside.ready())
      .catch((error: unknown) => void (notReady = error instanceof Error ? error.message : ''));
    await Promise.race([ready, late]);
    clearTimeout(timer);
    const problems = failures.map(({ read, error }) => startProblem(read, messageOf((error as Error).cause ?? error), error));
    for (const level of [this.#level, ...scopes.map(({ entry }) => this.#scopes.get(entry.name)?.level)]) {
      for (const { read, handle } of level?.mounted ?? []) {
        if (handle.status === 'active') continue;
        problems.push(await whyNotActive(read, handle, { notReady, startMs: this.#options.startMs }));
      }
    }
    return problems;
  }

  /** Restrictions and presentations, once there are tools to restrict. */
  #shapeScopes(scopes: readonly ReadScope[]): Problem[] {
    const problems: Problem[] = [];
    for (const { entry } of scopes) {
      const scope = this.#scopes.get(entry.name) as Scope;
      if (scope.entry !== undefined && isSameShape(scope.entry, entry)) {
        scope.entry = entry;
        continue;
      }
      for (const off of scope.disposers) off();
      scope.disposers = [];
      scope.entry = undefined;
      problems.push(...this.#shape(scope, entry));
      if (problems.length === 0) scope.entry = entry;
    }
    return problems;
  }

  #shape(scope: Scope, entry: ScopeEntry): Problem[] {
    const { ctx } = scope.level;
    const { allow, deny, presentation } = entry;
    const where = `scope "${entry.name}"`;
    const tools = ctx.get('tools');
    if (tools === undefined) {
      if (allow === undefined && deny === undefined && presentation === undefined) return [];
      return [{ at: entry.at, message: `${where} says something about tools, and nothing provides them`, remedy: 'Add "@sluice/core-tools" to "plugins".' }];
    }
    const inherited = (scope.parent === undefined ? this.#inside : (this.#scopes.get(scope.parent) as Scope).level.ctx).tools.schemas().map(({ name }) => name);
    const unknown = [...(allow ?? []), ...(deny ?? [])].filter(({ value }) => !value.includes('*') && !inherited.includes(value));
    if (unknown.length > 0) return unknown.map(({ value, at }) => ({ at, message: `${where} inherits no tool "${value}"`, remedy: meant(value, inherited) ?? `It inherits ${inherited.length === 0 ? 'none' : inherited.join(', ')}. Patterns with * may match nothing.` }));
    try {
      if (allow !== undefined || deny !== undefined) scope.disposers.push(tools.restrict({ ...(allow && { allow: values(allow) }), ...(deny && { deny: values(deny) }) }));
      if (presentation !== undefined) {
        scope.disposers.push(tools.presentAs(presentation.value));
        tools.presentation();
      }
      return [];
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      const at = (presentation ?? (allow ?? deny)?.[0])?.at ?? entry.at;
      if (code === 'CODE_RUNTIME_MISSING') {
        return [{ at, message: `${where} presents tools to programs, and nothing runs programs`, remedy: 'Add "@sluice/code-runtime-quickjs" to "plugins".', cause: error }];
      }
      return [{ at, message: `${where}: ${messageOf(error)}`, cause: error }];
    }
  }
}

function values(list: readonly Located[]): string[] {
  return list.map(({ value }) => value);
}

function isSameShape(a: ScopeEntry, b: ScopeEntry): boolean {
  const shape = ({ allow, deny, presentation }: ScopeEntry): string => JSON.stringify([allow && values(allow), deny && values(deny), presentation?.value]);
  return shape(a) === shape(b);
}
