import { describe, expect, it } from 'vitest';
import { ChainIndex } from '../src/chain-index.ts';
import type { ListenerRecord } from '../src/chain.ts';
import type { Fiber } from '../src/fiber.ts';
import { Layer } from '../src/layer.ts';

// Chains look at nothing else of a fiber.
const fiber: Fiber = JSON.parse('{ "owner": "sample", "state": "open" }');
const record = (listener: () => unknown): ListenerRecord => ({ hook: 'h', key: [1], fiber, listener });

describe('the index of chains', () => {
  it('lists the chain that a scope has now, and none before anybody asks', () => {
    const index = new ChainIndex();
    const layer = new Layer('root', undefined, index);
    layer.hook('h').add(record(() => 1));
    expect(index.of('h').size).toBe(0);
    layer.listeners('h');
    layer.listeners('h');
    expect(index.of('h').size).toBe(1);
    layer.hook('h').add(record(() => 2));
    layer.listeners('h');
    expect(index.of('h').size).toBe(1);
  });

  it('lists an older one only while something in it is in flight', async () => {
    const index = new ChainIndex();
    const layer = new Layer('root', undefined, index);
    let end!: () => void;
    layer.hook('h').add(record(() => new Promise<void>((resolve) => { end = resolve; })));
    const [entry] = layer.listeners('h');
    layer.hook('h').add(record(() => 2));
    layer.listeners('h');
    const running = entry!.invoke();
    expect(index.of('h').size).toBe(2);
    end();
    await running;
    expect(index.of('h').size).toBe(1);
  });

  it('keeps none of a scope that has ended, whether asked for before or after', () => {
    const index = new ChainIndex();
    const root = new Layer('root', undefined, index);
    root.hook('h').add(record(() => 1));
    root.hook('i').add(record(() => 1));
    const layer = new Layer('x', root, index);
    layer.listeners('h');
    layer.close();
    expect(index.of('h').size).toBe(0);
    root.hook('h').add(record(() => 2));
    expect(layer.listeners('h')).toHaveLength(2);
    expect(layer.listeners('i')).toHaveLength(1);
    expect([index.of('h').size, index.of('i').size]).toEqual([0, 0]);
  });
});
