import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Turns } from '../src/index.ts';

describe('turns', () => {
  it('are taken in order for one key, and overlap for others; a failure passes the turn on', async () => {
    const turns = new Turns();
    const log: string[] = [];
    const job = (name: string, fails = false) => async (): Promise<string> => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
    const all = await Promise.allSettled([turns.take(['a'], job('1', true)), turns.take(['a'], job('2')), turns.take(['b'], job('3'))]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(log.indexOf('1 ends')).toBeLessThan(log.indexOf('2 begins'));
    expect(log.indexOf('3 begins')).toBeLessThan(log.indexOf('1 ends'));
    expect(turns.size).toBe(0);
  });

  it('of changes with several keys never overlap where they share one, never deadlock, and leave nothing [property]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 3 }), { maxLength: 12 }), async (jobs) => {
        const turns = new Turns();
        const held = new Map<string, number>();
        const order: number[] = [];
        await Promise.all(
          jobs.map((keys, i) =>
            turns.take(keys, async () => {
              order.push(i);
              for (const key of new Set(keys)) {
                expect(held.has(key)).toBe(false);
                held.set(key, i);
              }
              await Promise.resolve();
              await Promise.resolve();
              for (const key of new Set(keys)) held.delete(key);
            }),
          ),
        );
        expect(turns.size).toBe(0);
        for (const key of ['a', 'b', 'c', 'd'] as const) {
          const mine = order.filter((i) => jobs[i]?.includes(key));
          expect(mine).toEqual([...mine].sort((x, y) => x - y));
        }
      }),
    );
  });
});
