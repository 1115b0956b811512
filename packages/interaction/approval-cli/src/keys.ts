/** What one chunk of input is: a key, text of several keys, or nothing that counts. */
export type Input = { readonly kind: 'key'; readonly key: string } | { readonly kind: 'burst' } | { readonly kind: 'cancel' } | { readonly kind: 'nothing' };

const NAMED: Readonly<Record<string, string>> = {
  '\r': 'enter', '\n': 'enter', '\r\n': 'enter',
  '\x1b[A': 'up', '\x1bOA': 'up', '\x1b[B': 'down', '\x1bOB': 'down',
  '\x1b[5~': 'pageup', '\x1b[6~': 'pagedown',
  '\x1b[H': 'home', '\x1bOH': 'home', '\x1b[1~': 'home',
  '\x1b[F': 'end', '\x1bOF': 'end', '\x1b[4~': 'end',
};
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const ESCAPE = '\x1b';

/**
 * Reads a chunk while a choice is on the screen. A key that means something has to come alone, with at most the Enter after
 * it that people are used to: text that was pasted, or sent by a program, is no answer.
 */
export function readChunk(chunk: string): Input {
  if (chunk === ESCAPE || chunk.includes(CTRL_C) || chunk.includes(CTRL_D)) return { kind: 'cancel' };
  const named = NAMED[chunk];
  if (named !== undefined) return { kind: 'key', key: named };
  if (chunk.startsWith(ESCAPE)) return { kind: 'nothing' };
  const text = chunk.replace(/[\r\n]+$/, '');
  if (Array.from(text).length === 1) return /\P{C}/u.test(text) ? { kind: 'key', key: text } : { kind: 'nothing' };
  return text === '' ? { kind: 'key', key: 'enter' } : { kind: 'burst' };
}

/** A chunk for a line that is being typed. A line break inside is pasted text and becomes a space; at the end it is Enter, `\r`. */
export function lineInput(chunk: string): string {
  return chunk.replace(/[\r\n]+(?!$)/g, ' ').replace(/[\r\n]+$/, '\r');
}
