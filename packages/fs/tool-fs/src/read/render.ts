import type { ToolFsConfig } from '../config.ts';
import type { ReadValue, TextValue } from '../read-file.ts';
import { counted, numbered, shownName } from '../shown.ts';

/** What a model reads of a file: a heading, the lines, and in brackets how to go on. */
export function renderRead(value: ReadValue, { lineNumbers, maxImageBytes }: Pick<ToolFsConfig, 'lineNumbers' | 'maxImageBytes'>): string {
  const name = shownName(value.path);
  const bytes = counted(value.size, 'byte');
  if (value.kind === 'image') return `${name}: ${value.mimeType}, ${bytes}`;
  if (value.kind === 'binary') {
    const isTooLarge = value.mimeType?.startsWith('image/') === true && value.size > maxImageBytes;
    return `${name} is a binary file (${value.mimeType ?? 'unknown type'}, ${bytes}); it is not shown.${isTooLarge ? ` Images are shown up to ${counted(maxImageBytes, 'byte')}.` : ''}`;
  }
  const { lines, totalLines, nextOffset } = value;
  const facts = factsOf(value);
  if (totalLines === 0) return `${name}: empty (0 lines)${facts}`;
  const isAll = lines.length === totalLines;
  const range = lines.length === 1 ? `line ${value.offset}` : `lines ${value.offset}-${value.offset + lines.length - 1}`;
  const rows = [`${name}: ${isAll ? counted(totalLines, 'line') : `${range} of ${totalLines}`}${facts}`];
  for (const { number, text, fullChars } of lines) {
    rows.push(numbered(text, lineNumbers ? number : undefined));
    if (fullChars !== undefined) rows.push(`[line ${number} is cut: ${text.length} of ${fullChars} characters are shown]`);
  }
  rows.push(nextOffset === undefined ? '[end of file]' : `[${counted(totalLines - nextOffset + 1, 'more line')}; go on with offset ${nextOffset}]`);
  return rows.join('\n');
}

/** What an edit or a rewrite has to know and the lines do not show; nothing for plain UTF-8 with line feeds. */
function factsOf({ encoding, hasBom, lineEndings, endsWithNewline, totalLines }: TextValue): string {
  const facts = [
    encoding !== 'utf-8' && `${encoding.toUpperCase()} with a byte order mark`,
    encoding === 'utf-8' && hasBom && 'byte order mark',
    lineEndings === 'crlf' && 'CRLF line endings',
    lineEndings === 'mixed' && 'mixed line endings',
    totalLines > 0 && !endsWithNewline && 'no newline at the end',
  ].filter((fact) => fact !== false);
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}
