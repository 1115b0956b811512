/** What the bytes of a file are, whatever its name says. */
export interface Media {
  /** Such as `image/png`; undefined when the bytes are not known. */
  readonly mimeType: string | undefined;
  /** A kind of image that models are shown, all of it: one that ends in the middle would be refused with the whole conversation. */
  readonly isShowable: boolean;
}

type Signature = readonly [mimeType: string, offset: number, bytes: readonly number[]];

const ascii = (text: string): number[] => Array.from(text, (char) => char.charCodeAt(0));

/** Only what no text begins with, or what is told by more than four letters. */
const signatures: readonly Signature[] = [
  ['image/png', 0, [0x89, ...ascii('PNG'), 13, 10, 26, 10]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, ascii('GIF87a')],
  ['image/gif', 0, ascii('GIF89a')],
  ['image/webp', 8, ascii('WEBP')],
  ['audio/wav', 8, ascii('WAVE')],
  ['application/zip', 0, [...ascii('PK'), 3, 4]],
  ['application/gzip', 0, [0x1f, 0x8b]],
  ['application/zstd', 0, [0x28, 0xb5, 0x2f, 0xfd]],
  ['application/x-7z-compressed', 0, [...ascii('7z'), 0xbc, 0xaf]],
  ['application/pdf', 0, ascii('%PDF-')],
  ['application/x-elf', 0, [0x7f, ...ascii('ELF')]],
  ['application/wasm', 0, [0, ...ascii('asm')]],
  ['application/vnd.sqlite3', 0, ascii('SQLite format 3\0')],
  ['video/mp4', 4, ascii('ftyp')],
  ['font/woff2', 0, ascii('wOF2')],
];

export function mediaOf(bytes: Uint8Array, isWhole: boolean): Media {
  const mimeType = signatures.find(([, offset, wanted]) => wanted.every((byte, i) => bytes[offset + i] === byte))?.[0];
  if ((mimeType === 'image/webp' || mimeType === 'audio/wav') && !startsWith(bytes, 'RIFF')) return { mimeType: undefined, isShowable: false };
  return { mimeType, isShowable: mimeType !== undefined && isWhole && isComplete(mimeType, bytes) };
}

function isComplete(mimeType: string, bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (mimeType) {
    case 'image/png':
      return endsAround(bytes, ascii('IEND'));
    case 'image/jpeg':
      return endsAround(bytes, [0xff, 0xd9]);
    case 'image/gif':
      return endsAround(bytes, [0, 0x3b]);
    case 'image/webp':
      return bytes.length >= 12 && view.getUint32(4, true) + 8 <= bytes.length;
    default:
      return false;
  }
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return ascii(text).every((byte, i) => bytes[i] === byte);
}

/** Somewhere near the end: programs add some bytes of their own. */
function endsAround(bytes: Uint8Array, wanted: readonly number[]): boolean {
  for (let at = bytes.length - wanted.length; at >= Math.max(8, bytes.length - 65_536); at -= 1) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return true;
  }
  return false;
}
