/**
 * Questions about bytes, asked of Node's own code where there is one: it answers in microseconds what takes a loop milliseconds.
 */
interface NativeBuffer {
  readonly Buffer: typeof Buffer;
  isAscii(bytes: Uint8Array): boolean;
  isUtf8(bytes: Uint8Array): boolean;
}

const native = (globalThis as { readonly process?: { getBuiltinModule?(id: string): unknown } }).process?.getBuiltinModule?.('node:buffer') as NativeBuffer | undefined;

export function hasNul(bytes: Uint8Array): boolean {
  return native === undefined ? bytes.includes(0) : viewOf(bytes, native).includes(0);
}

export function isAscii(bytes: Uint8Array): boolean {
  return native === undefined ? bytes.every((byte) => byte < 0x80) : native.isAscii(bytes);
}

export function isUtf8(bytes: Uint8Array): boolean {
  if (native !== undefined) return native.isUtf8(bytes);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The text of bytes that are known to be ASCII. */
export function asciiText(bytes: Uint8Array): string {
  return native === undefined ? new TextDecoder().decode(bytes) : viewOf(bytes, native).toString('latin1');
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  return native === undefined ? a.every((byte, i) => byte === b[i]) : native.Buffer.compare(a, b) === 0;
}

/** How many bytes both begin with. */
export function commonHead(a: Uint8Array, b: Uint8Array): number {
  let low = 0;
  let high = Math.min(a.length, b.length);
  if (isSame(a.subarray(0, high), b.subarray(0, high))) return high;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isSame(a.subarray(low, middle), b.subarray(low, middle))) low = middle;
    else high = middle;
  }
  return low;
}

/** How many bytes both end with. */
export function commonTail(a: Uint8Array, b: Uint8Array): number {
  const tail = (bytes: Uint8Array, from: number, to: number): Uint8Array => bytes.subarray(bytes.length - from, bytes.length - to);
  let low = 0;
  let high = Math.min(a.length, b.length);
  if (isSame(tail(a, high, 0), tail(b, high, 0))) return high;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isSame(tail(a, middle, low), tail(b, middle, low))) low = middle;
    else high = middle;
  }
  return low;
}

function viewOf(bytes: Uint8Array, { Buffer }: NativeBuffer): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
