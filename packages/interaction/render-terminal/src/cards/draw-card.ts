import type { ContentBlock, JsonValue, ToolCallView, ToolResultView } from '@sluice/core-tools';
import { drawDiff } from './diff.ts';
import type { DrawnCard } from './drawn-card.ts';
import { drawGeneric } from './generic.ts';
import { drawLocations } from './locations.ts';
import { drawRead } from './read.ts';
import { drawSearch } from './search.ts';
import { drawTerminal } from './terminal.ts';

/** What is known of a call apart from its cards. */
export interface CardSubject {
  readonly toolName: string;
  readonly arguments?: JsonValue | undefined;
}

/** Draws the card of a call that has no result yet. Never throws: a card that is none is drawn as a generic one. */
export function drawPending(view: ToolCallView, { toolName, arguments: args }: CardSubject): DrawnCard {
  const title = titleOf(view) ?? toolName;
  const generic = (): DrawnCard => drawGeneric({ title, ...(args === undefined ? {} : { rawInput: args }) }, toolName);
  return guarded(() => {
    switch (view.card) {
      case 'terminal':
        return drawTerminal({ ...view, title });
      case 'diff':
        return drawDiff({ ...view, title });
      case 'locations':
        return drawLocations({ ...view, title });
      case 'generic':
        return drawGeneric({ ...view, title }, toolName);
      default:
        return generic();
    }
  }, generic);
}

/** Draws the card of a result; a title that it lacks is that of the pending card. Never throws. */
export function drawCompleted(view: ToolResultView, pending: ToolCallView, subject: CardSubject, content: readonly ContentBlock[]): DrawnCard {
  const title = titleOf(view) ?? titleOf(pending) ?? subject.toolName;
  const command = pending.card === 'terminal';
  const generic = (blocks: readonly ContentBlock[]): DrawnCard => {
    if (command) return { ...drawGeneric({ title, content: blocks }, subject.toolName), head: drawTerminal({ title }).head };
    const rawInput = pending.card === 'generic' ? pending.rawInput : subject.arguments;
    return drawGeneric({ title, content: blocks, ...(rawInput === undefined ? {} : { rawInput }) }, subject.toolName);
  };
  return guarded(() => {
    switch (view.card) {
      case 'terminal':
        return drawTerminal({ ...view, title });
      case 'diff':
        return drawDiff({ ...view, title });
      case 'locations':
        return drawLocations({ ...view, title });
      case 'search':
        return drawSearch({ ...view, title });
      case 'read':
        return drawRead({ ...view, title });
      case 'generic':
        return generic(view.content ?? content);
      default:
        return generic(content);
    }
  }, () => guarded(() => generic(content), () => ({ head: [{ text: title }], body: [] })));
}

function titleOf({ title }: { readonly title?: unknown }): string | undefined {
  return typeof title === 'string' && title !== '' ? title : undefined;
}

/** Cards come from whoever wrote the tool, and from logs; TypeScript has not seen them. */
function guarded(draw: () => DrawnCard, otherwise: () => DrawnCard): DrawnCard {
  try {
    const card = draw();
    const isSound = [...card.head, ...(card.input ?? []), ...card.body].every(({ text }) => typeof text === 'string');
    return isSound ? card : otherwise();
  } catch {
    return otherwise();
  }
}
