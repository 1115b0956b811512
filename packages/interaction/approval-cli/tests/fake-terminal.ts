import { EventEmitter } from 'node:events';
import type { ReadStream, WriteStream } from 'node:tty';

/** A terminal in memory: what is written to it, and keys by hand. Its modes are kept, its control sequences are not obeyed. */
export class FakeTerminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
  written = '';
  readonly #keys: EventEmitter;
  readonly #wishes = new Set<() => void>();

  constructor({ columns = 80, rows = 24, isTTY = true }: { columns?: number; rows?: number; isTTY?: boolean } = {}) {
    let isFlowing: boolean | null = null;
    const keys = new EventEmitter();
    this.#keys = keys;
    this.input = Object.assign(keys, {
      isTTY,
      isRaw: false,
      destroyed: false,
      readableEnded: false,
      setRawMode(this: { isRaw: boolean }, isRaw: boolean) {
        this.isRaw = isRaw;
      },
      resume: () => {
        isFlowing = true;
      },
      pause: () => {
        isFlowing = false;
      },
    }) as unknown as ReadStream;
    Object.defineProperty(this.input, 'readableFlowing', { get: () => isFlowing });
    this.output = Object.assign(new EventEmitter(), {
      isTTY,
      columns,
      rows,
      destroyed: false,
      hasColors: () => false,
      write: (text: string) => {
        this.written += text;
        for (const look of [...this.#wishes]) look();
        return true;
      },
    }) as unknown as WriteStream;
  }

  type(chunk: string): void {
    this.#keys.emit('data', Buffer.from(chunk));
  }

  hangUp(): void {
    this.#keys.emit('end');
  }

  /** Resolves when this has been written since it was asked for. */
  until(text: string): Promise<void> {
    const from = this.written.length;
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.written.slice(from).includes(text)) return;
        this.#wishes.delete(look);
        resolve();
      };
      this.#wishes.add(look);
    });
  }

  /** What is left of us on it. */
  leftovers(): Record<string, unknown> {
    const listeners = [this.input, this.output].flatMap((stream) => stream.eventNames().map((name) => `${String(name)}: ${stream.listenerCount(name)}`));
    return { listeners, isRaw: this.input.isRaw, isFlowing: this.input.readableFlowing };
  }
}
