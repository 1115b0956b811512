import type { Block } from './body.ts';
import { cut, rowsOf, type Row } from './rows.ts';

export interface Preview {
  readonly rows: readonly Row[];
  /** False when anything is left out; then the rows say where, and how much. */
  readonly isComplete: boolean;
}

/** Rows that a block may take, from as many as it likes to one. */
const SHARES = [Number.POSITIVE_INFINITY, 64, 32, 24, 16, 12, 8, 6, 5, 4, 3, 2, 1];

/** Fits the blocks into so many rows. Each is cut for itself, so that all are seen before any is seen whole. */
export function previewOf(blocks: readonly Block[], columns: number, height: number): Preview {
  for (const share of SHARES) {
    const rows = fitted(blocks, columns, share, height);
    if (rows !== undefined) return { rows, isComplete: rows.length === 0 || share === Number.POSITIVE_INFINITY };
  }
  const rows: Row[] = [];
  let shown = 0;
  for (const block of blocks) {
    const next = cutBlock(block, columns, 1);
    if (rows.length + next.length > height - 1) break;
    rows.push(...next);
    shown += 1;
  }
  rows.push({ text: cut(`… and ${blocks.length - shown} more parts`, columns), tone: 'notice' });
  return { rows, isComplete: false };
}

function fitted(blocks: readonly Block[], columns: number, share: number, height: number): Row[] | undefined {
  const rows: Row[] = [];
  for (const block of blocks) {
    rows.push(...cutBlock(block, columns, share, height + 1));
    if (rows.length > height) return undefined;
  }
  return rows;
}

/** At most `share` rows of a block, and one that says what was left out. Stops at `enough`: more will not fit anyway. */
function cutBlock(block: Block, columns: number, share: number, enough = Number.POSITIVE_INFINITY): Row[] {
  const rows: Row[] = [];
  for (const [index, line] of block.entries()) {
    let seen = 0;
    for (const row of rowsOf(line, columns)) {
      if (rows.length >= share) {
        const left = block.slice(index + 1).reduce((sum, { text }) => sum + text.length + 1, line.text.length - seen);
        const lines = block.length - index - (seen > 0 ? 1 : 0);
        rows.push({ text: cut(leftOut(lines, left), columns), tone: 'notice' });
        return rows;
      }
      rows.push(row);
      const { prefix = '', continued = prefix } = line;
      seen += row.text.length - (seen === 0 ? prefix : continued).length;
      if (rows.length >= enough) return rows;
    }
  }
  return rows;
}

function leftOut(lines: number, characters: number): string {
  return lines > 0 ? `… ${many(lines, 'more line')}, ${many(characters, 'character')}` : `… ${many(characters, 'more character')}`;
}

function many(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
