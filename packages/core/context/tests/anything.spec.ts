import type { AsyncDisposer, Context, Plugin, PluginHandle } from '@sluice/core-context';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aContext, EMPTY } from './support.ts';

const SERVICES = ['hostTestClock', 'hostTestStore', 'hostTestBound'] as const;

const ticks = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await Promise.resolve();
};

const isCode = (error: unknown, ...codes: string[]): boolean => codes.includes((error as { code: string }).code);

/** A tree to which anything is done, by numbers drawn one by one; it notes what must never be. */
class Bed {
  readonly ctx = aContext().ctx;
  readonly wrongs: string[] = [];
  liveEffects = 0;
  readonly #draw: (below: number) => number;
  #scopes: Context[] = [this.ctx];
  readonly #handles: PluginHandle[] = [];
  readonly #offs: AsyncDisposer[] = [];
  readonly #pending: Promise<unknown>[] = [];
  #names = 0;

  constructor(draw: (below: number) => number) {
    this.#draw = draw;
  }

  async step(): Promise<void> {
    // Scopes end with those above.
    this.#scopes = this.#scopes.filter((scope) => !scope.signal.aborted);
    const scope = this.#scopes[this.#draw(this.#scopes.length)]!;
    switch (this.#draw(8)) {
      case 0: case 1:
        this.#handles.push(scope.plugin(this.#plugin(0)));
        return;
      case 2:
        try {
          this.#offs.push(scope.provide(SERVICES[this.#draw(3)]!, { now: () => 1, name: 'x', reader: 'x' }));
        } catch (error) {
          if (!isCode(error, 'SERVICE_DUPLICATE')) throw error;
        }
        return;
      case 3:
        this.#wait(this.#offs.splice(this.#draw(this.#offs.length + 1), 1)[0]?.());
        return;
      case 4:
        if (this.#scopes.length < 6) this.#scopes.push(scope.scope(`s${this.#names++}`));
        return;
      case 5:
        // It may fail, or be too late, as it likes.
        this.#pending.push(Promise.resolve(this.#handles[this.#draw(this.#handles.length + 1)]?.update({})).catch(() => undefined));
        return;
      case 6:
        if (this.#draw(2) === 0) this.#wait(this.#handles.splice(this.#draw(this.#handles.length + 1), 1)[0]?.dispose());
        for (let i = 0; i < 3; i++) this.#wait(scope.waterfall('host-test/ask', [String(this.#draw(5))], () => 'x'));
        return;
      case 7:
        await ticks(this.#draw(8));
        if (this.#scopes.length > 1 && this.#draw(3) === 0) this.#wait(this.#scopes.splice(1 + this.#draw(this.#scopes.length - 1), 1)[0]?.dispose());
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#pending);
    await this.ctx.dispose();
  }

  #wait(promise: Promise<unknown> | undefined): void {
    if (promise !== undefined) this.#pending.push(promise.catch((error: unknown) => this.wrongs.push(String(error))));
  }

  #plugin(depth: number): Plugin {
    const name = `p${this.#names++}`;
    const inject = SERVICES.filter(() => this.#draw(3) === 0);
    const provides = SERVICES[this.#draw(6)];
    const nested = depth < 2 && this.#draw(3) === 0 ? this.#plugin(depth + 1) : undefined;
    const [isAsync, isFailing, isSlowToEnd] = [this.#draw(3) === 0, this.#draw(9) === 0, this.#draw(2) === 0];
    const begin = (ctx: Context, isCleaned: () => boolean): void | (() => Promise<void>) => {
      ctx.on('host-test/ask', async (question, next) => {
        await ticks(Number(question));
        if (isCleaned()) this.wrongs.push(`${name} is asked after its cleanup`);
        const answer = await next();
        if (isCleaned()) this.wrongs.push(`${name} is cleaned up while it answers`);
        return answer;
      });
      try {
        if (provides !== undefined) ctx.provide(provides, { now: () => 1, name, reader: name });
      } catch (error) {
        if (!isCode(error, 'SERVICE_DUPLICATE')) throw error;
      }
      if (nested !== undefined) ctx.plugin(nested);
      if (isFailing) throw new Error('fails');
      if (!isSlowToEnd) return undefined;
      return async () => {
        await ticks(3);
        for (const service of inject) if (ctx.get(service) === undefined) this.wrongs.push(`${name} ends without ${service}`);
      };
    };
    return {
      name, inject, gate: this.#draw(3) === 0,
      apply: (ctx) => {
        let cleanups = 0;
        this.liveEffects++;
        ctx.effect(() => () => {
          this.liveEffects--;
          if (++cleanups > 1) this.wrongs.push(`${name} is cleaned up twice`);
        });
        if (!isAsync) return begin(ctx, () => cleanups > 0);
        return ticks(4).then(() => begin(ctx, () => cleanups > 0)).catch((error: unknown) => {
          if (!isCode(error, 'CONTEXT_DISPOSED')) throw error;
        });
      },
    };
  }
}

describe('whatever is done to a tree of plugins, services and scopes, in whatever order', () => {
  it('no plugin is asked after its cleanup, or cleaned up while it answers, or twice, and nothing is left in the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(0xffff)), fc.integer({ min: 5, max: 40 }), async (numbers, steps) => {
        const bed = new Bed((below) => (numbers.next().value as number) % below);
        for (let i = 0; i < steps; i++) await bed.step();
        await bed.end();
        expect(bed.wrongs).toEqual([]);
        expect(bed.liveEffects).toBe(0);
        expect(bed.ctx.inspect()).toMatchObject({ counts: EMPTY, children: [] });
      }),
      { numRuns: 100 },
    );
  });
});
