import { MessageChannel } from 'node:worker_threads';
import { aCall, aHost, aTool } from '@sluice/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline } from '../src/deadline.ts';
import { toolCallTimeoutPolicy } from '../src/index.ts';
import { code } from './support.ts';

const { setImmediate: nextTurn } = globalThis;

/** A turn of the event loop, which is there also while time is faked. */
async function realTurn(): Promise<void> {
  await new Promise((resolve) => nextTurn(resolve));
}

/** Numbers from 0 to below `limit`, the same for the same seed. */
function aRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

describe('Deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  /** When it passed, in milliseconds from now. */
  function aDeadline(ms: number): { deadline: Deadline; passed: number[] } {
    const began = performance.now();
    const passed: number[] = [];
    return { deadline: new Deadline(ms, () => { passed.push(performance.now() - began); }), passed };
  }

  it('passes once, synchronously in its timer when that is on time', () => {
    const { passed } = aDeadline(10);
    vi.advanceTimersByTime(9);
    expect(passed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(passed).toEqual([10]);
    vi.advanceTimersByTime(1_000);
    expect(passed).toEqual([10]);
  });

  it('does not pass any more once it is cancelled, and keeps no timer', () => {
    const { deadline, passed } = aDeadline(10);
    deadline.cancel();
    expect(vi.getTimerCount()).toBe(0);
    deadline.pause();
    deadline.resume();
    deadline.restart();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(100);
    expect(passed).toEqual([]);
  });

  it('keeps no timer while it is paused', () => {
    const { deadline, passed } = aDeadline(10);
    vi.advanceTimersByTime(4);
    deadline.pause();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(100);
    deadline.resume();
    vi.advanceTimersByTime(6);
    expect(passed).toEqual([110]);
  });

  it('starts over while it is paused: the whole time is left when it goes on', () => {
    const { deadline, passed } = aDeadline(10);
    vi.advanceTimersByTime(4);
    deadline.pause();
    deadline.restart();
    expect(vi.getTimerCount()).toBe(0);
    deadline.resume();
    vi.advanceTimersByTime(10);
    expect(passed).toEqual([14]);
  });

  it('counts fractions of milliseconds up, never down', () => {
    const { passed } = aDeadline(10.2);
    vi.advanceTimersByTime(10);
    expect(passed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(passed).toEqual([11]);
  });

  it('arms no timer longer than a timer can count', () => {
    const { deadline, passed } = aDeadline(2 ** 33);
    const began = performance.now();
    // One that is too long would fire after 1 ms.
    vi.advanceTimersToNextTimer();
    expect(performance.now() - began).toBe(2 ** 31 - 1);
    vi.advanceTimersToNextTimer();
    vi.advanceTimersToNextTimer();
    vi.advanceTimersToNextTimer();
    expect(passed).toEqual([]);
    vi.advanceTimersToNextTimer();
    expect(passed).toEqual([2 ** 33]);
    deadline.cancel();
  });

  it('when its timer is late, lets what came in meanwhile go first', () => {
    const { deadline, passed } = aDeadline(10);
    late(10, 50);
    expect(passed).toEqual([]);
    deadline.cancel();
  });

  it('when its timer is late, still passes if nothing came in', async () => {
    const { passed } = aDeadline(10);
    late(10, 50);
    await realTurn();
    expect(passed).toHaveLength(1);
  });

  it('when its timer is late, starts over if progress is what came in', async () => {
    const { deadline, passed } = aDeadline(10);
    late(10, 50);
    deadline.restart();
    await realTurn();
    expect(passed).toEqual([]);
    vi.advanceTimersByTime(10);
    expect(passed).toHaveLength(1);
  });

  it('when its timer is late, waits if a question to a person is what came in', async () => {
    const { deadline, passed } = aDeadline(10);
    late(10, 50);
    deadline.pause();
    await realTurn();
    expect(passed).toEqual([]);
    deadline.resume();
    vi.advanceTimersByTime(0);
    expect(passed).toHaveLength(1);
  });

  it('passes when the time that it was not paused since its last start adds up, whatever happens to it', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = aRandom(seed);
      const { deadline, passed } = aDeadline(100);
      const model = { now: 0, left: 100, pauses: 0, passed: [] as number[] };
      const pass = (ms: number): void => {
        for (let i = 0; i < ms; i += 1) {
          model.now += 1;
          if (model.pauses > 0 || model.passed.length > 0) continue;
          model.left -= 1;
          if (model.left === 0) model.passed.push(model.now);
        }
        vi.advanceTimersByTime(ms);
      };
      for (let step = 0; step < 12; step += 1) {
        const what = random(4);
        if (what === 0) {
          deadline.pause();
          model.pauses += 1;
        } else if (what === 1) {
          deadline.resume();
          model.pauses = Math.max(0, model.pauses - 1);
        } else if (what === 2) {
          deadline.restart();
          model.left = 100;
        }
        pass(random(80));
        expect(passed, `seed ${seed}, step ${step}`).toEqual(model.passed);
      }
      deadline.cancel();
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  /** Runs the timer that is due after `ms`, with the clock saying that it comes `lateMs` late. */
  function late(ms: number, lateMs: number): void {
    const now = vi.spyOn(performance, 'now');
    const at = performance.now();
    now.mockImplementation(() => at + ms + lateMs);
    vi.advanceTimersByTime(ms);
    now.mockRestore();
  }
});

describe('a blocked event loop', () => {
  const block = (ms: number): void => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };

  // Real time: what is tested is the order in which Node.js runs timers and what came in from outside.
  it('does not make a result late that was there in time', async () => {
    await using host = aHost();
    host.ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 15 });
    host.ctx.tools.register(
      aTool({
        execute: () =>
          new Promise((resolve) => {
            const { port1, port2 } = new MessageChannel();
            port1.once('message', (message) => {
              port1.close();
              resolve(message);
            });
            // There at once, but Node.js looks at timers first.
            port2.postMessage('in time');
          }),
      }),
    );
    const result = host.ctx.tools.execute(aCall());
    await Promise.resolve();
    block(30);
    expect(await result).toMatchObject({ isError: false, value: 'in time' });
  });

  it('does not make a body immune that blocks it and then goes on', async () => {
    await using host = aHost();
    host.ctx.plugin(toolCallTimeoutPolicy, { defaultMs: 5 });
    host.ctx.tools.register(
      aTool({
        async execute(_args, { signal }) {
          block(15);
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => { reject(signal.reason as Error); });
          });
        },
      }),
    );
    expect(code(await host.ctx.tools.execute(aCall()))).toBe('TOOL_TIMEOUT');
  });
});
