import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Session } from '../src/index.ts';

export function aDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'session-'));
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

export const aFile = (): string => join(aDirectory(), 'log.jsonl');

export const text = (words: string): [{ type: 'text'; text: string }] => [{ type: 'text', text: words }];

/** A turn in which the model makes these calls and gets all results. */
export function aTurn(session: Session, { turn = 1, calls = ['c1'], words = 'hello' } = {}): void {
  session.append('turn/start', { turn });
  session.append('user/message', { content: text(words) });
  reply(session, calls, turn);
  for (const callId of calls) {
    const { seq } = session.append('tool/call', { turn, step: 1, callId, name: 'echo', argumentsText: '{}' });
    session.append('tool/result', { turn, step: 1, callId, callSeq: seq, name: 'echo', content: text(`result of ${callId}`), isError: false });
  }
  session.append('assistant/message', { turn, step: 2, content: [{ type: 'text', text: `done ${turn}` }] });
  session.append('turn/end', { turn, reason: 'done' });
}

/** The model asks for calls; nothing more. */
export function reply(session: Session, calls: readonly string[], turn = 1): void {
  session.append('assistant/message', {
    turn,
    step: 1,
    content: calls.map((callId) => ({ type: 'tool-call', callId, name: 'echo', argumentsText: '{}' }) as const),
  });
}
