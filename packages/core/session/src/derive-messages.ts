import type { AnySessionEvent } from './index.ts';
import type { SessionMessage } from './messages.ts';
import { Transcript } from './transcript.ts';

/** The conversation after the last of these events, which must be in order. Frozen. */
export function deriveMessages(events: Iterable<AnySessionEvent>): readonly SessionMessage[] {
  const transcript = new Transcript();
  for (const event of events) transcript.add(event);
  return transcript.messages;
}
