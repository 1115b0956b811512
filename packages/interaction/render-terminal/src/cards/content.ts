import type { ContentBlock } from '@sluice/core-tools';
import { linesOf, type Line } from '../text/line.ts';

/** What can be drawn of content: its text, and a word for everything else. */
export function contentLines(content: readonly ContentBlock[], look: Omit<Line, 'text'> = {}): Line[] {
  return content.flatMap((block) => linesOf(wordsFor(block), look));
}

function wordsFor(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.name}] ${block.uri}`;
    case 'resource':
      return block.resource.text ?? `[${block.resource.mimeType ?? 'binary'}] ${block.resource.uri}`;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}]`;
    default:
      return `[${(block as { type: string }).type}]`;
  }
}
