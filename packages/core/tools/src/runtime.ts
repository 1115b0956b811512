import type { Context, Disposer } from '@sluice/core-context';
import { Call, type Engine } from './call.ts';
import { assertMode } from './code-mode/mode.ts';
import type { Presentations } from './code-mode/presentation.ts';
import { executionMode } from './execution-mode.ts';
import { runCall } from './pipeline.ts';
import { completedCard, pendingCard, readArguments, type PresentableCall } from './present.ts';
import { readInput } from './read-input.ts';
import { captureTool } from './registry/registered-tool.ts';
import { assertKnown, compileRestriction } from './registry/restriction.ts';
import { isCollapsed } from './rejection.ts';
import { runBatch } from './scheduler.ts';
import type { PresentableResult, ToolChange, ToolRuntime } from './types.ts';

/** What `ctx.tools` is for one context: joins registry, pipeline and scheduler, and decides nothing. */
export function toolsFor(engine: Engine, presentations: Presentations, ctx: Context): ToolRuntime {
  const { registry } = engine;
  const scope = ctx.scopeRef;

  const contribute = (label: string, change: Pick<ToolChange, 'kind' | 'name'> | undefined, add: () => void, remove: () => void): Disposer => {
    const changed = (kind: ToolChange['kind']): void => {
      if (change !== undefined) ctx.emit('tools/change', Object.freeze({ ...change, kind, scopePath: ctx.scopePath }));
    };
    return ctx.contribute({
      label,
      attach() {
        add();
        if (change !== undefined) changed(change.kind);
      },
      detach() {
        remove();
        if (change !== undefined) changed(change.kind === 'register' ? 'unregister' : change.kind);
      },
    });
  };

  const around = { limits: engine.limits, logger: ctx.logger };
  const present = ((call: PresentableCall, result?: PresentableResult) => {
    const tool = registry.resolve(scope, call.name);
    return result === undefined ? pendingCard(tool, call, around) : completedCard(tool, call, result, around);
  }) as ToolRuntime['present'];

  return Object.freeze({
    register(definition) {
      const tool = captureTool(definition, ctx.owner);
      return contribute(
        `tool ${tool.name}`,
        { kind: 'register', name: tool.name },
        () => { registry.addTool(scope, tool); },
        () => { registry.removeTool(scope, tool); },
      );
    },
    restrict(restriction) {
      if (scope.parent === undefined) {
        throw new TypeError('core-tools: restrict() is for a scope (ctx.scope(name)); at the root, leave the tool out instead');
      }
      const compiled = compileRestriction(restriction);
      return contribute(
        'restriction',
        { kind: 'restrict' },
        () => {
          assertKnown(compiled.exactNames, registry.inheritedNames(scope));
          registry.addRestriction(scope, compiled);
        },
        () => { registry.removeRestriction(scope, compiled); },
      );
    },
    guard(guard) {
      if (typeof guard !== 'function') throw new TypeError('core-tools: guard() takes a function');
      const registered = Object.freeze({ guard, plugin: ctx.owner });
      return contribute(
        'guard',
        undefined,
        () => { registry.addGuard(scope, registered); },
        () => { registry.removeGuard(scope, registered); },
      );
    },
    presentAs(mode) {
      if (scope.parent === undefined) {
        throw new TypeError('core-tools: presentAs() is for a scope (ctx.scope(name)); for all of them, set `mode` in the config of tools');
      }
      assertMode(mode);
      return contribute(
        `presentation ${mode}`,
        { kind: 'present' },
        () => { registry.choose(scope, mode); },
        () => { registry.unchoose(scope); },
      );
    },
    presentation: () => presentations.of(ctx),
    sdk(language, renderer) {
      assertRenderer(language, renderer);
      return contribute(
        `sdk ${language}`,
        undefined,
        () => { registry.addSdk(scope, language, renderer); },
        () => { registry.removeSdk(scope, language); },
      );
    },
    get: (name) => registry.resolve(scope, name)?.definition,
    schemas: () => presentations.schemas(ctx),
    executionMode(call) {
      if (isCollapsed(registry, scope, call.name)) return 'exclusive';
      const tool = registry.resolve(scope, call.name);
      const args = readArguments(call, engine.limits);
      return executionMode(tool, args !== undefined && tool?.parameters.validate(args).length === 0 ? args : undefined);
    },
    execute(input) {
      try {
        const read = readInput(input, engine.limits);
        return runCall(new Call(engine, ctx, read, read.signal ?? ctx.signal));
      } catch (misuse) {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a TypeError of ours, as it is
        return Promise.reject(misuse);
      }
    },
    executeAll: (inputs, options) => runBatch(engine, ctx, inputs, options),
    present,
  } satisfies ToolRuntime);
}

function assertRenderer(language: unknown, renderer: unknown): void {
  if (typeof language !== 'string' || language === '') throw new TypeError('core-tools: sdk() takes a language, a string');
  const { codeDescription, section, describe } = (renderer ?? {}) as Partial<Record<string, unknown>>;
  if (typeof codeDescription !== 'string' || typeof section !== 'function' || typeof describe !== 'function') {
    throw new TypeError('core-tools: sdk() takes a renderer { codeDescription, section(tools, catalog), describe(tool) }');
  }
}
