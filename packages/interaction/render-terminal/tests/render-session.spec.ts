import { expect, it } from 'vitest';
import { renderSession } from '../src/index.ts';

let seq = 0;
const event = (type: string, data: object) => ({ seq: (seq += 1), type, data });

it('draws a turn', () => {
  seq = 0;
  const text = [{ type: 'text', text: 'hello\nworld' }];
  expect(
    renderSession([
      event('turn/start', { turn: 1 }),
      event('user/message', { content: [{ type: 'text', text: 'Hi.' }] }),
      event('tool/call', { callId: 'a', name: 'greet', argumentsText: '{"who":"world"}' }),
      event('tool/result', { callId: 'a', callSeq: 3, name: 'greet', content: text, isError: false }),
    ]),
  ).toBe(['> Hi.', '✓ greet {"who":"world"}', '  │ hello', '  │ world'].join('\n'));
});
