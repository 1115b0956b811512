import { aLogger } from '@sluice/testing';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { deriveMessages, openSession, type AnySessionEvent, type SessionEvent } from '../src/index.ts';
import { aTurn, reply, text } from './support.ts';

declare module '../src/index.ts' {
  interface SessionEvents {
    'test/note': { readonly note: string };
  }
}

describe('the log', () => {
  it('counts its events from 1 without gaps, frozen to the bottom', () => {
    const session = openSession({ id: 's' });
    aTurn(session);
    expect(session.events.map(({ seq }) => seq)).toEqual(session.events.map((_event, index) => index + 1));
    const event = session.events[1] as AnySessionEvent;
    expect([event.type, Object.isFrozen(event), Object.isFrozen(event.data), Object.isFrozen((event.data as { content: object }).content)]).toEqual(['user/message', true, true, true]);
    expect(session.id).toBe('s');
  });

  it('keeps what it was given, not what the giver does with it afterwards', () => {
    const session = openSession();
    const data = { note: 'first' };
    session.append('test/note', data);
    data.note = 'second';
    expect(session.events[0]?.data).toEqual({ note: 'first' });
  });

  it.each([
    ['undefined', { note: undefined }, '"note"'],
    ['a number that JSON has not', { note: Number.NaN }, '"note"'],
    ['a class instance', { note: new Date(0) }, '"note"'],
    ['no object', 'note', 'must be an object'],
  ])('refuses data that JSON would change: %s', (_name, data, where) => {
    const session = openSession();
    expect(() => session.append('test/note', data as never)).toThrow(where);
    expect(() => session.append('test/note', data as never)).toThrow(TypeError);
    expect(session.events).toEqual([]);
  });

  it('refuses an event without a type', () => {
    expect(() => openSession().append('' as never, {} as never)).toThrow(TypeError);
  });

  it('tells its listeners of each event, whatever one of them throws', async () => {
    const logger = aLogger();
    const session = openSession({ logger });
    const seen: string[] = [];
    session.subscribe(() => {
      throw new Error('no');
    });
    session.subscribe(() => Promise.reject(new Error('later')) as unknown as void);
    const stop = session.subscribe(({ type }) => void seen.push(type));
    session.append('turn/start', { turn: 1 });
    stop();
    session.append('turn/end', { turn: 1, reason: 'done' });
    await Promise.resolve();
    expect(seen).toEqual(['turn/start']);
    expect(logger.messages('error')).toHaveLength(4);
  });

  it('takes nothing after it is closed', async () => {
    const session = openSession();
    const closing = session.close();
    expect(session.close()).toBe(closing);
    await closing;
    expect(() => session.append('turn/start', { turn: 1 })).toThrow(expect.objectContaining({ code: 'SESSION_CLOSED' }) as Error);
  });

  it('knows the data of each type, of other packages too', () => {
    const session = openSession();
    expectTypeOf(session.append('test/note', { note: 'x' })).toEqualTypeOf<SessionEvent<'test/note'>>();
    // @ts-expect-error -- a note has no number
    session.append('test/note', { note: 1 });
    // @ts-expect-error -- no such type
    session.append('test/nothing', {});
    expect(session.events).toHaveLength(3);
  });
});

describe('the conversation', () => {
  it('is what the model saw: messages, calls, results and what was put in, in order', () => {
    const session = openSession();
    session.append('turn/start', { turn: 1 });
    session.append('user/message', { content: text('read both') });
    reply(session, ['a', 'b']);
    session.append('tools/nested-call', { id: '1', callId: 'n', parentCallId: 'a', rootCallId: 'a', name: 'inner' });
    for (const callId of ['a', 'b']) session.append('tool/result', { turn: 1, step: 1, callId, name: 'echo', content: text(callId), isError: callId === 'b' });
    session.append('context/injected', { source: 'reminder', content: text('again?') });
    expect(session.deriveMessages()).toEqual([
      { role: 'user', content: text('read both') },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', callId: 'a', name: 'echo', argumentsText: '{}' },
          { type: 'tool-call', callId: 'b', name: 'echo', argumentsText: '{}' },
        ],
      },
      { role: 'tool', callId: 'a', name: 'echo', content: text('a'), isError: false },
      { role: 'tool', callId: 'b', name: 'echo', content: text('b'), isError: true },
      { role: 'user', content: text('again?'), source: 'reminder' },
    ]);
  });

  it('never shows nested calls, questions or notes of others [X303]', () => {
    const session = openSession();
    const call = { id: '1', callId: 'n', parentCallId: 'p', rootCallId: 'p', name: 'inner' };
    session.append('tools/code-dispatch-start', call);
    session.append('tools/code-dispatch', { id: '1', callId: 'n', rootCallId: 'p', name: 'inner', content: text('x'), isError: false });
    session.append('tools/nested-call', call);
    session.append('tools/nested-result', { id: '1', callId: 'n', rootCallId: 'p', name: 'inner', content: text('x'), isError: false });
    session.append('approval/asked', { id: 'q', callId: 'n', toolName: 'inner' });
    session.append('approval/decided', { id: 'q', callId: 'n', outcome: { kind: 'rejected' } });
    session.append('test/note', { note: 'x' });
    session.append('turn/start', { turn: 1 });
    session.append('assistant/message', { turn: 1, step: 1, content: [] });
    expect(session.deriveMessages()).toEqual([]);
  });

  it('is the same array until something joins it, and never changes under its reader', () => {
    const session = openSession();
    session.append('user/message', { content: text('1') });
    const before = session.deriveMessages();
    session.append('turn/start', { turn: 1 });
    expect(session.deriveMessages()).toBe(before);
    session.append('user/message', { content: text('2') });
    expect([before.length, session.deriveMessages().length, Object.isFrozen(before)]).toEqual([1, 2, true]);
  });

  it('can be had as of any event', () => {
    const session = openSession();
    aTurn(session, { calls: ['a', 'b'] });
    const seen: unknown[] = [];
    const copy = openSession();
    for (const event of session.events) {
      copy.append(event.type, event.data);
      seen.push(copy.deriveMessages());
    }
    expect(session.events.map((_event, index) => deriveMessages(session.events.slice(0, index + 1)))).toEqual(seen);
  });

  it('has the prompt that was last set, and the turn', () => {
    const session = openSession();
    expect([session.prompt, session.turn]).toEqual([undefined, { number: 0, isOpen: false }]);
    session.append('prompt/set', { system: 'old', tools: [] });
    session.append('prompt/set', { system: 'new', tools: [] });
    session.append('turn/start', { turn: 7 });
    expect([session.prompt?.system, session.turn]).toEqual(['new', { number: 7, isOpen: true }]);
  });
});

describe('repair', () => {
  it('says of a call that had begun that its outcome is unknown, never that it was cancelled', () => {
    const session = openSession();
    session.append('turn/start', { turn: 3 });
    reply(session, ['a', 'b', 'c'], 3);
    const first = session.append('tool/call', { turn: 3, step: 1, callId: 'a', name: 'echo', argumentsText: '{}' });
    session.append('tool/result', { turn: 3, step: 1, callId: 'a', callSeq: first.seq, name: 'echo', content: text('a'), isError: false });
    const second = session.append('tool/call', { turn: 3, step: 1, callId: 'b', name: 'echo', argumentsText: '{}' });
    const added = session.repair();
    expect(added.map(({ type }) => type)).toEqual(['tool/result', 'tool/result', 'turn/end']);
    expect(added[0]?.data).toMatchObject({ turn: 3, step: 1, callId: 'b', callSeq: second.seq, isError: true, error: { code: 'OUTCOME_UNKNOWN' } });
    expect(added[1]?.data).toMatchObject({ callId: 'c', isError: true, error: { code: 'NOT_STARTED' } });
    expect(added[1]?.data).not.toHaveProperty('callSeq');
    expect(added[2]?.data).toMatchObject({ turn: 3, reason: 'interrupted' });
    expect(JSON.stringify(added)).not.toMatch(/abort|cancel/i);
    expect(session.repair()).toEqual([]);
  });

  it('tells calls of the same id apart', () => {
    const session = openSession();
    reply(session, ['x', 'x', 'x']);
    const { seq } = session.append('tool/call', { turn: 1, step: 1, callId: 'x', name: 'echo', argumentsText: '1' });
    session.append('tool/call', { turn: 1, step: 1, callId: 'x', name: 'echo', argumentsText: '2' });
    session.append('tool/result', { turn: 1, step: 1, callId: 'x', callSeq: seq, name: 'echo', content: text('1'), isError: false });
    expect(session.repair().map(({ data }) => (data as { error?: { code: string } }).error?.code)).toEqual(['OUTCOME_UNKNOWN', 'NOT_STARTED']);
  });

  it('leaves a log alone that is whole, and calls that the provider ran', () => {
    const session = openSession();
    aTurn(session);
    session.append('assistant/message', { turn: 2, step: 1, content: [{ type: 'tool-call', callId: 'p', name: 'web', argumentsText: '{}', providerExecuted: true }] });
    expect(session.repair()).toEqual([]);
  });

  it('leaves every call of every reply with one result, wherever the log ended', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }), { maxLength: 4 }), fc.nat(), (turns, cut) => {
        const whole = openSession();
        turns.forEach((calls, index) => aTurn(whole, { turn: index + 1, calls }));
        const session = openSession();
        for (const { type, data } of whole.events.slice(0, cut % (whole.events.length + 1))) session.append(type, data);
        session.repair();
        const messages = session.deriveMessages();
        const asked = messages.flatMap((message) => (message.role === 'assistant' ? message.content.filter(({ type }) => type === 'tool-call') : []));
        expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(asked.length);
        expect(session.turn.isOpen).toBe(false);
      }),
    );
  });
});
