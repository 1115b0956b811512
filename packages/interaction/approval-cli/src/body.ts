import type { ApprovalRequest } from '@sluice/approval';
import { canonicalJson, type JsonValue, type ToolCallView } from '@sluice/core-tools';
import { visible, visibleLines } from '@sluice/terminal-text';
import { diffLines } from './diff-lines.ts';
import type { Line } from './rows.ts';

/** Lines that belong together; a preview cuts each block for itself, so that every one of them is seen. */
export type Block = readonly Line[];

/** A string of this many characters or fewer may stand beside its name. */
const INLINE = 200;

/** Everything there is to know about a call, complete: why, the card, and the arguments that will run. */
export function bodyOf(request: ApprovalRequest): Block[] {
  const { reason, scope, view } = request;
  return [
    ...(scope === undefined ? [] : [[labelled('scope', scope)]]),
    ...(reason === undefined ? [] : [textBlock('why', reason)]),
    ...drawnCard(view, request),
    ...argumentBlocks(request.arguments),
  ];
}

/** A card comes from whoever wrote the tool, and may be anything; the arguments are shown all the same. */
function drawnCard(view: ToolCallView, request: ApprovalRequest): Block[] {
  try {
    return cardBlocks(view, request);
  } catch {
    return [[{ text: 'The card of this tool cannot be drawn.', tone: 'notice' }]];
  }
}

function cardBlocks(view: ToolCallView, { toolName, arguments: args }: ApprovalRequest): Block[] {
  const { title } = view;
  // The title of a generic card is mostly the name of the tool, which stands above everything.
  const blocks: Block[] = view.card !== 'terminal' && title !== toolName ? [visibleLines(title).map((text) => ({ text, tone: 'bold' }))] : [];
  switch (view.card) {
    case 'terminal':
      blocks.push(visibleLines(title).map((text, index) => ({ text, tone: 'bold', prefix: index === 0 ? '$ ' : '│ ', continued: '┆ ' })));
      if (view.description !== undefined) blocks.push(textBlock('about', view.description));
      if (view.cwd !== undefined) blocks.push([labelled('in', view.cwd)]);
      break;
    case 'diff':
      blocks.push(...view.diffs.map(diffLines));
      break;
    case 'locations':
      break;
    case 'generic':
      for (const block of view.content ?? []) blocks.push(block.type === 'text' ? textBlock('text', block.text) : [labelled('attached', block.type)]);
      if (view.rawInput !== undefined && canonicalJson(view.rawInput) !== canonicalJson(args)) blocks.push(valueBlock('input', view.rawInput));
  }
  const locations = 'locations' in view ? (view.locations ?? []) : [];
  if (locations.length > 0) blocks.push(locations.map(({ path, line }) => labelled('at', line === undefined ? path : `${path}:${line}`)));
  return blocks;
}

/** The arguments as they will run: all of them, whatever the card shows. */
function argumentBlocks(args: JsonValue): Block[] {
  const head: Line = { text: 'arguments', tone: 'dim' };
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [[head, ...valueBlock('value', args)]];
  const entries = Object.entries(args as Readonly<Record<string, JsonValue>>);
  if (entries.length === 0) return [[{ text: 'no arguments', tone: 'dim' }]];
  return entries.map(([key, value], index) => (index === 0 ? [head, ...valueBlock(key, value)] : valueBlock(key, value)));
}

function valueBlock(key: string, value: JsonValue): Block {
  if (typeof value !== 'string') return jsonBlock(key, value);
  // Quotes say that it is a string; where they would need escapes of their own, it stands below, as it is.
  if (value.length <= INLINE && !/["\\\p{C}]/u.test(value)) return [{ text: `"${visible(value)}"`, prefix: `${visible(key)}: `, continued: '┆ ' }].map(narrow);
  return barred(key, value);
}

function jsonBlock(key: string, value: JsonValue): Block {
  const [first = '', ...others] = visibleLines(pretty(value));
  return [{ text: `${visible(key)}: ${first}` }, ...others.map((text) => ({ text }))];
}

function pretty(value: JsonValue): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    // Nested deeper than it can follow.
    return canonicalJson(value);
  }
}

/** A text beside its name, or below it when it is long or has several lines. */
function textBlock(label: string, text: string): Block {
  return text.length <= INLINE && !/\p{C}/u.test(text) ? [labelled(label, text)] : barred(label, text);
}

/** The bar says where each line of the text begins. */
function barred(label: string, text: string): Block {
  const lines = visibleLines(text);
  return [{ text: `${visible(label)}:` }, ...lines.map((line) => ({ text: line, prefix: '│ ', continued: '┆ ' }))];
}

function labelled(label: string, text: string): Line {
  return { text: `${visible(label)}: ${visible(text)}`, continued: '┆ ' };
}

/** A prefix leaves too little room on a narrow screen when it is a long name. */
function narrow({ text, prefix = '', continued = '' }: Line): Line {
  return { text: prefix + text, continued };
}
