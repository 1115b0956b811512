/** Shared memory that a worker writes its log to: a length, then JSON strings with commas between them. */
export class OutputMemory {
  readonly buffer: SharedArrayBuffer;
  readonly capBytes: number;

  constructor(capBytes: number) {
    this.capBytes = capBytes;
    // Grows as it is used; `maxByteLength` is missing from the types of es2023.
    const Growable = SharedArrayBuffer as new (size: number, options: { maxByteLength: number }) => SharedArrayBuffer;
    this.buffer = new Growable(Math.min(65_536, capBytes + 4), { maxByteLength: capBytes + 4 });
  }

  /** Bytes of JSON so far, without the brackets of the list. */
  get usedBytes(): number {
    const used = Atomics.load(new Int32Array(this.buffer, 0, 1), 0);
    return Math.max(0, Math.min(used, this.buffer.byteLength - 4));
  }

  /** What was printed so far. Whatever the worker did, a list of strings. */
  lines(): string[] {
    const used = this.usedBytes;
    if (used === 0) return [];
    const copy = Buffer.alloc(used);
    copy.set(new Uint8Array(this.buffer, 4, used));
    try {
      const lines: unknown = JSON.parse(`[${copy.toString('utf8')}]`);
      return Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
    } catch {
      return [];
    }
  }
}
