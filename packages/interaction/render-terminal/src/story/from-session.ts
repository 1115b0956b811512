import type { ContentBlock, JsonValue } from '@sluice/core-tools';
import type { Beat } from './beat.ts';

/** One entry of a session log, as far as it is looked at here; those of `@sluice/core-session` are such. */
export interface LoggedEvent {
  /** Position in the log. */
  readonly seq: number;
  readonly type: string;
  readonly data: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** What an event tells; nothing for types that are not drawn. A log may hold anything, so every field is looked at twice. */
export function beatsOf({ seq, type, data }: LoggedEvent): Beat[] {
  const it = fieldsOf(data);
  switch (type) {
    case 'turn/start':
      return [{ kind: 'turn', turn: number(it['turn']) }];
    case 'turn/end':
      return [{ kind: 'turn-end', turn: number(it['turn']), reason: text(it['reason']), message: optional(it['message']) }];
    case 'user/message':
      return [{ kind: 'person', content: blocks(it['content']) }];
    case 'context/injected':
      return [{ kind: 'context', source: text(it['source']), content: blocks(it['content']) }];
    case 'assistant/message':
      return [...list(it['content']).flatMap(partBeats), ...(it['interrupted'] === true ? [{ kind: 'cut-off' } as const] : [])];
    case 'tool/call':
      return [{ kind: 'call', id: `#${seq}`, callId: text(it['callId']), name: text(it['name']), ...parsed(text(it['argumentsText'])) }];
    case 'tool/result':
      // A call that never started has no position to point at.
      return [resultBeat(it, `#${typeof it['callSeq'] === 'number' ? it['callSeq'] : `result ${seq}`}`)];
    case 'tools/nested-call':
    case 'tools/code-dispatch-start':
      return [{ kind: 'call', id: text(it['id']), callId: text(it['callId']), parentCallId: text(it['parentCallId']), name: text(it['name']), arguments: it['arguments'] as JsonValue | undefined }];
    case 'tools/nested-result':
    case 'tools/code-dispatch':
      return [resultBeat(it, text(it['id']))];
    case 'approval/asked':
      return [{ kind: 'asked', id: text(it['id']), callId: text(it['callId']), toolName: text(it['toolName']), reason: optional(it['reason']) }];
    case 'approval/decided':
      return [{ kind: 'decided', id: text(it['id']), callId: text(it['callId']), outcome: fieldsOf(it['outcome']) }];
    default:
      return [];
  }
}

function partBeats(part: unknown): Beat[] {
  const it = fieldsOf(part);
  switch (it['type']) {
    case 'text':
      return text(it['text']) === '' ? [] : [{ kind: 'reply', text: text(it['text']) }];
    case 'reasoning':
      return text(it['text']) === '' ? [] : [{ kind: 'reasoning', text: text(it['text']) }];
    case 'file':
      return [{ kind: 'reply', text: `[file, ${text(it['mediaType'])}]` }];
    case 'tool-call':
      // The others enter by themselves.
      return it['providerExecuted'] === true ? [{ kind: 'reply', text: `[the provider runs ${text(it['name'])}]` }] : [];
    default:
      return [];
  }
}

function resultBeat(it: Fields, id: string): Beat {
  return {
    kind: 'result',
    id,
    name: text(it['name']),
    content: blocks(it['content']),
    isError: it['isError'] === true,
    code: optional(fieldsOf(it['error'])['code']),
    ...(it['meta'] === undefined ? {} : { meta: it['meta'] as JsonValue }),
    ...(it['stillRunning'] === true ? { stillRunning: true } : {}),
  };
}

/** As the pipeline reads what a model sent: nothing at all is `{}`. */
function parsed(argumentsText: string): { arguments?: JsonValue; argumentsText: string } {
  try {
    return { arguments: argumentsText.trim() === '' ? {} : (JSON.parse(argumentsText) as JsonValue), argumentsText };
  } catch {
    return { argumentsText };
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function optional(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function blocks(value: unknown): readonly ContentBlock[] {
  return list(value).filter((block) => typeof fieldsOf(block)['type'] === 'string') as readonly ContentBlock[];
}
