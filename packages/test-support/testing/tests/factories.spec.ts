import { describe, expect, it } from 'vitest';
import { aCall, aGate, aHost, aLogger, aTool } from '../src/index.ts';

describe('aTool and aCall', () => {
  it('fit each other: the call runs the tool, which gives its arguments back', async () => {
    await using host = aHost();
    host.ctx.tools.register(aTool());
    expect(await host.ctx.tools.execute(aCall())).toMatchObject({
      isError: false,
      value: { message: 'hello' },
      content: [{ type: 'text', text: '{"message":"hello"}' }],
    });
  });

  it('give a fresh object each time', () => {
    expect(aTool()).not.toBe(aTool());
    expect(aCall()).not.toBe(aCall());
    expect(aCall().arguments).not.toBe(aCall().arguments);
  });

  it('take whatever matters to the test', async () => {
    await using host = aHost();
    host.ctx.tools.register(aTool({ name: 'twice', timeoutMs: 50, execute: ({ n }) => Number(n) * 2 }));
    expect(host.ctx.tools.get('twice')).toMatchObject({ timeoutMs: 50 });
    const result = await host.ctx.tools.execute(aCall({ name: 'twice', argumentsText: '{"n":21}', callId: 'c1' }));
    expect(result).toMatchObject({ isError: false, callId: 'c1', value: 42 });
  });
});

describe('aGate', () => {
  it('holds a body until the test opens it', async () => {
    await using host = aHost();
    const gate = aGate();
    const done: string[] = [];
    host.ctx.tools.register(aTool({ execute: () => gate.opened.then(() => done.push('body')) }));
    const call = host.ctx.tools.execute(aCall()).then(() => done.push('call'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual([]);
    gate.open();
    gate.open();
    await call;
    expect(done).toEqual(['body', 'call']);
  });
});

describe('aLogger', () => {
  it('keeps every line with its level and data', () => {
    const log = aLogger();
    log.warn('look', { at: 1 });
    log.error('bad');
    expect(log.entries).toEqual([
      { level: 'warn', message: 'look', data: { at: 1 } },
      { level: 'error', message: 'bad' },
    ]);
    expect(log.messages('error')).toEqual(['bad']);
    expect(log.messages('info')).toEqual([]);
  });
});

describe('aHost', () => {
  it('has tools mounted and logs to its own logger', async () => {
    await using host = aHost();
    host.ctx.logger.info('hello');
    expect(host.log.messages('info')).toEqual(['hello']);
    expect(host.ctx.tools.schemas()).toEqual([]);
  });

  it('ends its context, once', async () => {
    const host = aHost();
    await host.dispose();
    await host.dispose();
    expect(() => host.ctx.scope('late')).toThrow('disposed');
  });

  it('rejects when something outlives the context', async () => {
    const host = aHost();
    const gate = aGate();
    host.ctx.tools.register(aTool({ execute: () => gate.opened }));
    const call = host.ctx.tools.execute(aCall());
    host.ctx.dispose = () => Promise.resolve();
    await expect(host.dispose()).rejects.toThrow('still holds something');
    gate.open();
    await call;
  });
});
