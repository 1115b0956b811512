import { createHash } from 'node:crypto';
import { decodeText } from '@sluice/fs';

/** What stands for a content. Text is compared as text: its encoding is the provider's business. */
export interface Fingerprint {
  readonly kind: 'text' | 'bytes';
  readonly hash: string;
  /** Code units of text, or bytes. */
  readonly length: number;
}

/** Of a text as it was given to be written, or of a file's bytes. */
export function fingerprintOf(content: string | Uint8Array): Fingerprint {
  if (typeof content === 'string') return ofText(content.startsWith('\ufeff') ? content.slice(1) : content);
  try {
    return ofText(decodeText(content, '.').text);
  } catch {
    return { kind: 'bytes', hash: createHash('sha256').update(content).digest('base64'), length: content.length };
  }
}

/** Of a text that was read: a U+FEFF at its beginning is a character of it. */
export function ofText(text: string): Fingerprint {
  return { kind: 'text', hash: createHash('sha256').update(text).digest('base64'), length: text.length };
}

export function isSame(a: Fingerprint, b: Fingerprint): boolean {
  return a.kind === b.kind && a.length === b.length && a.hash === b.hash;
}
