import { compactJson } from '../cards/json.ts';
import { contentLines } from '../cards/content.ts';
import { linesOf, type Section } from '../text/line.ts';
import type { Beat } from './beat.ts';

// The first column is ours: no row of a text that somebody else wrote starts with one of our marks.
const PERSON = { tone: 'bold', prefix: '> ' } as const;
const REPLY = { prefix: '  ' } as const;
const REASONING = { tone: 'dim', prefix: '~ ' } as const;
const CONTEXT = { tone: 'notice', prefix: '! ' } as const;
const QUESTION = { tone: 'notice', prefix: '? ' } as const;
const ANSWER = { tone: 'notice', prefix: '= ' } as const;
const ENDING = { tone: 'notice', prefix: '■ ' } as const;

/** Everything of a story that is no call. `titleOf` names the call that a question is about. */
export function speech(beat: Exclude<Beat, { kind: 'call' | 'result' | 'progress' }>, maxRows: number, titleOf: (beat: { id: string; callId: string }) => string | undefined): Section[] {
  switch (beat.kind) {
    case 'turn':
      return beat.turn > 1 ? [{ lines: [{ text: '' }] }] : [];
    case 'turn-end': {
      const said = beat.message === undefined || beat.message === '' ? '' : `: ${beat.message}`;
      return beat.reason === 'done' ? [] : [{ lines: [{ ...ENDING, text: `turn ${beat.turn} ended: ${beat.reason}${said}` }] }];
    }
    case 'person':
      return [{ lines: contentLines(beat.content, PERSON) }];
    case 'reply':
      return [{ lines: linesOf(beat.text, REPLY) }];
    case 'reasoning':
      return [{ lines: linesOf(beat.text, REASONING), maxRows }];
    case 'cut-off':
      return [{ lines: [{ ...ENDING, text: 'the reply was cut off' }] }];
    case 'context': {
      const [first, ...rest] = contentLines(beat.content, CONTEXT);
      return [{ lines: [{ ...CONTEXT, text: `${beat.source}: ${first?.text ?? ''}` }, ...rest], maxRows }];
    }
    case 'asked': {
      const why = beat.reason === undefined || beat.reason === '' ? '' : ` ${beat.reason}`;
      return [{ lines: [{ ...QUESTION, text: `allow ${titleOf(beat) ?? beat.toolName}?${why}` }], maxRows }];
    }
    case 'decided':
      return [{ lines: [{ ...ANSWER, text: answer(beat.outcome) }], maxRows }];
  }
}

function answer({ kind, feedback, why, rule }: Readonly<Record<string, unknown>>): string {
  switch (kind) {
    case 'allowed-once':
      return 'allowed, this once';
    case 'allowed-always':
      return rule === undefined ? 'allowed, always' : `allowed, always: ${compactJson(rule)}`;
    case 'rejected':
      return typeof feedback === 'string' && feedback !== '' ? `rejected: ${feedback}` : 'rejected';
    case 'cancelled':
      return 'cancelled';
    case 'unavailable':
      return typeof why === 'string' && why !== '' ? `nobody could be asked: ${why}` : 'nobody could be asked';
    default:
      return `answered: ${compactJson(kind)}`;
  }
}
