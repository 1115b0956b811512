import type { ToolCallView, ToolProgress, ToolResultView } from '@sluice/core-tools';
import { drawCompleted, drawPending } from '../cards/draw-card.ts';
import type { DrawnCard } from '../cards/drawn-card.ts';
import type { Line, Section } from '../text/line.ts';
import type { CallBeat, ResultBeat } from './beat.ts';

/** A call, its cards, and the calls that it made. */
export interface CallNode {
  readonly call: CallBeat;
  readonly view: ToolCallView;
  readonly children: CallNode[];
  progress?: ToolProgress;
  /** A person is being asked about it. */
  isAsked?: boolean;
  result?: { readonly beat: ResultBeat; readonly view: ToolResultView };
}

/** Deeper calls stand at the same place: there would be no room left for them. */
const MAX_DEPTH = 3;
/** Rows of a title. */
const TITLE_ROWS = 3;

export interface CallLimits {
  /** Rows of what is in a card. */
  readonly maxRows: number;
  /** The same for a call that another one made. */
  readonly nestedRows: number;
}

/** A call as it stands, with those that it made below it. */
export function callSections(node: CallNode, limits: CallLimits, depth = 0): Section[] {
  const { call, result, children } = node;
  const card = drawn(node);
  const mark = result === undefined ? (node.isAsked === true ? '? ' : '… ') : result.beat.isError ? '✗ ' : '✓ ';
  const tone = result === undefined ? 'plain' : result.beat.isError ? 'removed' : 'bold';
  // In the first columns of a card stands nothing but its frame, so that no text in it can pass for a call.
  const indent = '│ '.repeat(Math.min(depth, MAX_DEPTH));
  const inside = `${indent}│ `;
  const head = card.head.map((line, index): Line => {
    const prefix = (index === 0 ? mark : '┆ ') + (line.prefix ?? '');
    return { ...line, tone: line.tone ?? tone, prefix, continued: `┆ ${line.continued ?? ''}` };
  });
  const gutter = (line: Line): Line => ({ ...line, prefix: `  ${line.prefix ?? ''}`, continued: `  ${line.continued ?? line.prefix ?? ''}` });
  const failure = failureLine(node);
  const input = (card.input ?? []).map(gutter);
  const body = (failure === undefined ? card.body : [failure, ...card.body]).map(gutter);
  const maxRows = depth === 0 ? limits.maxRows : limits.nestedRows;
  const progress = result === undefined && node.progress !== undefined ? progressLine(node.progress) : undefined;
  return [
    { lines: head.length === 0 ? [{ text: call.name, prefix: mark }] : head, maxRows: TITLE_ROWS, indent },
    ...(input.length === 0 ? [] : [{ lines: input, maxRows, indent: inside }]),
    ...children.flatMap((child) => callSections(child, limits, depth + 1)),
    ...(body.length === 0 ? [] : [{ lines: body, maxRows, indent: inside, ...(card.keep === undefined ? {} : { keep: card.keep }) }]),
    ...(progress === undefined ? [] : [{ lines: [gutter(progress)], maxRows: 1, indent: inside }]),
  ];
}

function drawn({ call, view, result }: CallNode): DrawnCard {
  const subject = { toolName: call.name, arguments: call.arguments };
  return result === undefined ? drawPending(view, subject) : drawCompleted(result.view, view, subject, result.beat.content);
}

function failureLine({ result }: CallNode): Line | undefined {
  if (result?.beat.code === undefined) return undefined;
  return { text: result.beat.stillRunning === true ? `${result.beat.code}, and still running` : result.beat.code, tone: 'removed' };
}

function progressLine({ message, completed, total }: ToolProgress): Line {
  const share = completed === undefined ? '' : total === undefined ? String(completed) : `${completed} of ${total}`;
  return { text: [share, message ?? ''].filter((part) => part !== '').join(': '), tone: 'dim' };
}
