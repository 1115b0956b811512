import type { Context, PluginHandle } from '@sluice/core-context';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aContext, aPlugin } from './support.ts';

/** The words of all listeners in view, outermost first. */
function order(ctx: Context): string[] {
  const words: string[] = [];
  for (const entry of ctx.listeners('host-test/said')) words.push(String(entry.invoke('')));
  return words;
}

const says = (ctx: Context, word: string, prepend = false): (() => void) => ctx.on('host-test/said', () => word, { prepend });

describe('order of listeners', () => {
  it('is the order of registration, over plugins and the context alike', () => {
    const { ctx } = aContext();
    says(ctx, 'first');
    ctx.plugin(aPlugin((inner) => { says(inner, 'a'); says(inner, 'b'); }));
    says(ctx, 'last');
    expect(order(ctx)).toEqual(['first', 'a', 'b', 'last']);
  });

  it('is decided by when a plugin was mounted, not by when it gets around to listening', () => {
    const { ctx } = aContext();
    let inner!: Context;
    ctx.plugin(aPlugin((given) => { inner = given; }));
    says(ctx, 'app');
    says(inner, 'late');
    expect(order(ctx)).toEqual(['late', 'app']);
  });

  it('has a place right before a mounted plugin, as often as somebody wants one', () => {
    const { ctx } = aContext();
    const mount = (word: string, before?: PluginHandle): PluginHandle => ctx.plugin(aPlugin((inner) => void says(inner, word)), undefined, before && { before });
    mount('a');
    const z = mount('z');
    const m = mount('m', z);
    mount('n', z);
    mount('l', m);
    mount('after');
    expect(order(ctx)).toEqual(['a', 'l', 'm', 'n', 'z', 'after']);
  });

  it('keeps the order of any sequence of insertions and ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ at: fc.nat(), isEnd: fc.boolean() }), { maxLength: 40 }), async (steps) => {
        const { ctx } = aContext();
        const expected: { word: string; handle: PluginHandle }[] = [];
        for (const [index, { at, isEnd }] of steps.entries()) {
          const place = at % (expected.length + 1);
          const next = expected[place]?.handle;
          if (isEnd && next !== undefined) {
            await next.dispose();
            expected.splice(place, 1);
          } else {
            const word = `w${index}`;
            const handle = ctx.plugin(aPlugin((inner) => void says(inner, word)), undefined, next && { before: next });
            expected.splice(place, 0, { word, handle });
          }
        }
        expect(order(ctx)).toEqual(expected.map(({ word }) => word));
      }),
      { numRuns: 60 },
    );
  });

  it('refuses a place before what is mounted elsewhere, has ended, or is no handle', async () => {
    const { ctx } = aContext();
    const elsewhere = ctx.scope('s').plugin(aPlugin(() => {}));
    const ended = ctx.plugin(aPlugin(() => {}));
    await ended.dispose();
    for (const before of [elsewhere, ended, {} as PluginHandle]) {
      expect(() => ctx.plugin(aPlugin(() => {}), undefined, { before })).toThrow(/mounted in the same context, and not disposed/);
    }
  });

  it('puts a plugin that waited where it was mounted', () => {
    const { ctx } = aContext();
    ctx.plugin(aPlugin((inner) => void says(inner, 'waited'), { inject: ['hostTestClock'] }));
    ctx.plugin(aPlugin((inner) => void says(inner, 'second')));
    ctx.provide('hostTestClock', { now: () => 1 });
    expect(order(ctx)).toEqual(['waited', 'second']);
  });

  it('puts nested plugins inside the slot of the outer one', () => {
    const { ctx } = aContext();
    ctx.plugin(aPlugin((outer) => {
      says(outer, 'outer 1');
      outer.plugin(aPlugin((nested) => void says(nested, 'nested')));
      says(outer, 'outer 2');
    }));
    says(ctx, 'last');
    expect(order(ctx)).toEqual(['outer 1', 'nested', 'outer 2', 'last']);
  });

  it('mixes the listeners of a scope with those above by the same rule', () => {
    const { ctx } = aContext();
    const agent = ctx.scope('agent');
    says(ctx, 'root 1');
    says(agent, 'agent 1');
    says(ctx, 'root 2');
    agent.plugin(aPlugin((inner) => void says(inner, 'agent plugin')));
    says(ctx, 'root 3');
    expect(order(agent)).toEqual(['root 1', 'agent 1', 'root 2', 'agent plugin', 'root 3']);
    expect(order(ctx)).toEqual(['root 1', 'root 2', 'root 3']);
  });

  it('puts a prepended one before everything registered so far', () => {
    const { ctx } = aContext();
    says(ctx, 'a');
    says(ctx, 'b', true);
    ctx.plugin(aPlugin((inner) => { says(inner, 'c'); says(inner, 'd', true); says(inner, 'e', true); }));
    says(ctx, 'f', true);
    expect(order(ctx)).toEqual(['f', 'e', 'd', 'b', 'a', 'c']);
  });
});

/** What the rule says, kept the simple way: a tree of slots, each with its listeners in order of time. */
interface Slot {
  word?: string;
  prepend?: boolean;
  children?: Slot[];
}

/** Prepended listeners come first, and later ones before earlier ones at each level; then the others in order of time. */
function predict(slots: readonly Slot[]): string[] {
  const collect = (list: readonly Slot[], prepended: boolean): string[] => {
    const ordered = prepended ? [...list].reverse() : list;
    return ordered.flatMap((slot) => {
      if (slot.children !== undefined) return collect(slot.children, prepended);
      return (slot.prepend ?? false) === prepended ? [slot.word!] : [];
    });
  };
  return [...collect(slots, true), ...collect(slots, false)];
}

interface Mounted {
  handle: PluginHandle;
  slot: Slot;
  /** The context of its present instance. */
  ctx: () => Context;
}

type Step =
  | { kind: 'listen'; prepend: boolean }
  | { kind: 'mount'; listens: boolean[] }
  | { kind: 'late'; which: number; prepend: boolean }
  | { kind: 'unmount' | 'update' | 'off'; which: number }
  | { kind: 'restart all' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('listen' as const), prepend: fc.boolean() }),
  fc.record({ kind: fc.constant('mount' as const), listens: fc.array(fc.boolean(), { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('late' as const), which: fc.nat(), prepend: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('unmount' as const, 'update' as const, 'off' as const), which: fc.nat() }),
  fc.constant({ kind: 'restart all' as const }),
);

/** A context, and beside it what the rule predicts for it. */
class Model {
  readonly ctx = aContext().ctx;
  readonly top: Slot[] = [];
  readonly #mounted: Mounted[] = [];
  readonly #own: { off: () => void; slot: Slot }[] = [];
  #offClock = this.ctx.provide('hostTestClock', { now: () => 0 });
  #names = 0;

  async run(now: Step): Promise<void> {
    switch (now.kind) {
      case 'listen': {
        const slot: Slot = { word: `own${this.#names++}`, prepend: now.prepend };
        this.top.push(slot);
        this.#own.push({ off: says(this.ctx, slot.word!, now.prepend), slot });
        return;
      }
      case 'mount':
        this.#mount(now.listens);
        return;
      case 'restart all':
        await this.#offClock();
        this.#offClock = this.ctx.provide('hostTestClock', { now: () => 1 });
        return;
      case 'off': {
        const gone = this.#own[now.which % this.#own.length];
        gone?.off();
        if (gone !== undefined) gone.slot.children = [];
        return;
      }
      case 'late': {
        const chosen = this.#mounted[now.which % this.#mounted.length];
        const word = `late${this.#names++}`;
        if (chosen === undefined) return;
        says(chosen.ctx(), word, now.prepend);
        chosen.slot.children!.push({ word, prepend: now.prepend });
        return;
      }
      case 'update':
        await this.#mounted[now.which % this.#mounted.length]?.handle.update({});
        return;
      case 'unmount': {
        const [chosen] = this.#mounted.splice(now.which % (this.#mounted.length || 1), 1);
        await chosen?.handle.dispose();
        if (chosen !== undefined) chosen.slot.children = [];
      }
    }
  }

  // Each instance registers the same: its listeners with a nested plugin that has some too in their midst.
  #mount(listens: boolean[]): void {
    const name = `p${this.#names++}`;
    const slot: Slot = { children: [] };
    this.top.push(slot);
    let instance!: Context;
    const plugin = aPlugin((inner) => {
      instance = inner;
      slot.children = [];
      const listen = (where: Context, slots: Slot[], prefix: string): void => {
        for (const [i, prepend] of listens.entries()) {
          says(where, `${prefix}.${i}`, prepend);
          slots.push({ word: `${prefix}.${i}`, prepend });
        }
      };
      listen(inner, slot.children, name);
      const nested: Slot = { children: [] };
      slot.children.push(nested);
      inner.plugin(aPlugin((deep) => listen(deep, nested.children!, `${name}.nested`)));
      listen(inner, slot.children, `${name}.after`);
    }, { name, inject: ['hostTestClock'] });
    this.#mounted.push({ handle: this.ctx.plugin(plugin), slot, ctx: () => instance });
  }
}

describe('after any sequence of mounting, unmounting, restarting, updating and prepending', () => {
  it('the order is the one the rule predicts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const model = new Model();
        for (const now of steps) {
          await model.run(now);
          expect(order(model.ctx)).toEqual(predict(model.top));
        }
        await model.ctx.dispose();
        expect(order(model.ctx)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
