import { close, fsync, write } from 'node:fs';
import { promisify } from 'node:util';
import { SluiceError } from '@sluice/core-schema';
import { codes } from './errors.ts';

/** The calls to the system, so that a test can make them fail. */
export const os = { write: promisify(write), fsync: promisify(fsync), close: promisify(close) };

/** What a session writes to. */
export interface LogSink {
  /** In order, some time soon. Never throws. */
  append(line: string): void;
  /** Resolves when everything appended so far is on the disk. Rejects with `SESSION_WRITE_FAILED`, from then on always. */
  flush(): Promise<void>;
  close(): Promise<void>;
  /** Set once nothing can be written any more. */
  readonly failure: SluiceError | undefined;
}

/**
 * The end of an open file. Writes go out in order, several lines at once when they come faster than the disk takes them.
 * After the first that fails nothing more is written: what follows a half-written line would be lost with it.
 */
export class LogFile implements LogSink {
  readonly #fd: number;
  readonly #name: string;
  readonly #release: () => void;
  #queue: string[] = [];
  #appended = 0;
  #synced = 0;
  /** Work on the file, one piece after the other. Never rejects. */
  #work: Promise<void> = Promise.resolve();
  #isDrainDue = false;
  #closing: Promise<void> | undefined;
  failure: SluiceError | undefined;

  constructor(fd: number, name: string, release: () => void) {
    this.#fd = fd;
    this.#name = name;
    this.#release = release;
  }

  append(line: string): void {
    this.#queue.push(line);
    this.#appended += 1;
    if (this.#isDrainDue) return;
    this.#isDrainDue = true;
    void this.#next(() => this.#drain());
  }

  async flush(): Promise<void> {
    const target = this.#appended;
    if (this.#synced < target) {
      await this.#next(async () => {
        // Another flush may have taken these lines along.
        if (this.#synced >= target) return;
        await this.#drain();
        const drained = this.#appended - this.#queue.length;
        await os.fsync(this.#fd);
        this.#synced = drained;
      });
    }
    if (this.failure !== undefined) throw this.failure;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await os.close(this.#fd).finally(this.#release);
    }
  }

  #next(step: () => Promise<void>): Promise<void> {
    return (this.#work = this.#work.then(async () => {
      if (this.failure !== undefined) return;
      try {
        await step();
      } catch (error) {
        this.#queue = [];
        this.failure = new SluiceError(
          codes.SESSION_WRITE_FAILED,
          `core-session: ${this.#name} could not be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}); ` +
            'nothing more is written to it. Make room and open it again',
          { cause: error },
        );
      }
    }));
  }

  async #drain(): Promise<void> {
    this.#isDrainDue = false;
    while (this.#queue.length > 0) {
      const bytes = Buffer.from(this.#queue.join(''));
      this.#queue = [];
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await os.write(this.#fd, bytes, done, bytes.length - done, null);
        done += bytesWritten;
      }
    }
  }
}

/** For a log that ends with the process. */
export class NoFile implements LogSink {
  readonly failure = undefined;
  append(): void {
    // The session itself holds the events.
  }
  flush(): Promise<void> {
    return Promise.resolve();
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}
