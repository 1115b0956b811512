import { decodeText, FsError, formatOf, throwIfCancelled, type FileSystem, type FsBytes, type FsTextFormat } from '@sluice/fs';

/** A file that has been opened for reading: all its bytes, or, if it is large, its first ones and a way to the rest. */
export interface OpenContent {
  readonly path: string;
  readonly key: string;
  readonly version: string;
  /** Bytes. */
  readonly size: number;
  /** The first bytes: all of them if `isWhole`. */
  readonly head: Uint8Array;
  readonly isWhole: boolean;
}

/** Files up to this size are read at once; larger ones in pieces of this size. Bytes. */
export const PIECE_BYTES = 8_388_608;

export async function openContent(fs: FileSystem, path: string, signal: AbortSignal): Promise<OpenContent> {
  const { path: normal, key, version, size, bytes } = await fs.readRange(path, { length: PIECE_BYTES, signal });
  return { path: normal, key, version, size, head: bytes, isWhole: bytes.length >= size };
}

/** Gives the text of a file to `take`, piece by piece and in order, and resolves with how it is encoded. Fails as `FileSystem.readText` does. */
export async function readPieces(fs: FileSystem, asked: string, content: OpenContent, signal: AbortSignal, take: (text: string) => void): Promise<FsTextFormat> {
  if (content.isWhole) {
    const { text, encoding, hasBom } = decodeText(content.head, asked);
    take(text);
    return { encoding, hasBom };
  }
  const format = formatOf(content.head);
  const decoder = new TextDecoder(format.encoding, { fatal: true, ignoreBOM: true });
  const markBytes = format.hasBom ? (format.encoding === 'utf-8' ? 3 : 2) : 0;
  let piece = content.head.subarray(markBytes);
  let done = content.head.length;
  for (;;) {
    const isLast = done >= content.size;
    take(decoded(decoder, piece, isLast, asked, format));
    if (isLast) return format;
    throwIfCancelled(signal, asked, 'read');
    // The same version throughout: no window shows half of one and half of another.
    const next: FsBytes = await fs.readRange(asked, { offset: done, length: PIECE_BYTES, ifVersion: content.version, signal });
    if (next.bytes.length === 0) throw new FsError('FS_STALE', asked, { operation: 'read' });
    piece = next.bytes;
    done += next.bytes.length;
  }
}

function decoded(decoder: InstanceType<typeof TextDecoder>, piece: Uint8Array, isLast: boolean, path: string, { encoding }: FsTextFormat): string {
  let text: string;
  try {
    text = decoder.decode(piece, { stream: !isLast });
  } catch (cause) {
    throw new FsError('FS_ENCODING', path, { operation: 'read', detail: `is not valid ${encoding.toUpperCase()}: a binary file, or text in another encoding`, cause });
  }
  if (text.includes('\0')) throw new FsError('FS_BINARY', path, { operation: 'read' });
  return text;
}
