import { StringDecoder } from 'node:string_decoder';
import type { ReadStream, WriteStream } from 'node:tty';

/** Milliseconds without a byte after which what was typed ahead is taken to be through. Longer than a held key's repeat. */
const QUIET_MS = 100;

export interface Streams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

/** Terminals that went away: `isTTY` stays true on their streams. */
const gone = new WeakSet<object>();

/** What whoever runs the program can do about it. A model can do nothing, so it is not told. */
export const CURE = 'run it in a terminal, mount another answerer on "approval/request", or decide by rules';

/** Why nobody can be asked here, in words for a model; undefined when somebody can. Reads nothing. */
export function whyNot({ input, output }: Streams): string | undefined {
  if (!(input.isTTY as boolean | undefined)) return 'standard input is not a terminal';
  if (!(output.isTTY as boolean | undefined)) return 'there is no terminal to draw a question on';
  if (gone.has(input) || input.destroyed || input.readableEnded || output.destroyed) return 'the terminal is gone';
  return undefined;
}

/**
 * A terminal for the time of one question: raw, so that a key is a key and Ctrl-C no signal. Whatever happens to it, the
 * process lives: a hang-up, an end of input and an error all mean `onGone`, once.
 */
export class Terminal {
  readonly output: WriteStream;
  readonly #input: ReadStream;
  readonly #wasRaw: boolean;
  readonly #wasFlowing: boolean;
  readonly #onGone: () => void;
  #onData: (chunk: string) => void = ignore;
  readonly #decoder = new StringDecoder();
  #isOpen = true;

  constructor({ input, output }: Streams, onGone: () => void) {
    this.#input = input;
    this.output = output;
    this.#onGone = onGone;
    this.#wasRaw = input.isRaw;
    this.#wasFlowing = input.readableFlowing === true;
    for (const event of ENDS) input.on(event, this.#hangUp);
    output.on('error', this.#hangUp);
    // Without this listener the hang-up of a terminal ends the process.
    if (input === (process.stdin as unknown)) process.on('SIGHUP', this.#hangUp);
    this.#setRaw(true);
    input.on('data', this.#data);
    input.resume();
  }

  get columns(): number {
    return this.output.columns || 80;
  }

  get height(): number {
    return this.output.rows || 24;
  }

  /** Throws away what was typed before the question was drawn. Resolves when nothing more comes. */
  drain(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#onData = ignore;
        resolve();
      };
      const timer = setTimeout(end, QUIET_MS);
      this.#onData = () => timer.refresh();
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }

  /** From now on, what is typed goes there, one chunk as it came. */
  read(onData: (chunk: string) => void): void {
    this.#onData = onData;
  }

  get isGone(): boolean {
    return gone.has(this.#input);
  }

  write(text: string): void {
    if (!this.isGone) this.output.write(text);
  }

  /** Leaves the terminal as it was found. Twice is harmless. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const input = this.#input;
    for (const event of ENDS) input.off(event, this.#hangUp);
    this.output.off('error', this.#hangUp);
    process.off('SIGHUP', this.#hangUp);
    input.off('data', this.#data);
    if (!this.#wasFlowing) input.pause();
    this.#setRaw(this.#wasRaw);
  }

  readonly #data = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    if (text !== '') this.#onData(text);
  };

  readonly #hangUp = (how?: unknown): void => {
    if (gone.has(this.#input)) return;
    gone.add(this.#input);
    // A closed terminal is read to its end before its signal is sent, which may be after nobody listens here any more.
    if (this.#input === (process.stdin as unknown) && how !== 'SIGHUP') process.once('SIGHUP', ignore);
    // What is still being written to it fails later, and must not end the process.
    this.output.on('error', ignore);
    this.#onGone();
  };

  #setRaw(isRaw: boolean): void {
    try {
      this.#input.setRawMode(isRaw);
    } catch {
      this.#hangUp();
    }
  }
}

const ENDS = ['end', 'close', 'error'] as const;

function ignore(): void {
  // What comes now is for nobody.
}
