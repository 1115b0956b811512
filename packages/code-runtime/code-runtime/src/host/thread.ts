import { Worker, type ResourceLimits } from 'node:worker_threads';
import { workerUrl } from '../worker-url.ts';

export interface ThreadOptions {
  /** Module that exports `createEngine`. */
  readonly engine: URL;
  /** For the engine; must survive a structured clone. */
  readonly data: unknown;
  readonly heapMb: number;
  readonly isLenient: boolean;
  readonly maxChars: number;
  readonly resourceLimits: ResourceLimits;
}

/** Who listens to a thread: the run that has it. */
export interface ThreadListener {
  message(message: unknown): void;
  /** The thread is gone, and not because it was killed. */
  ended(why: string): void;
}

/** One worker thread with an engine in it, for one run. Keeps no process alive until a run takes it. */
export class Thread {
  readonly heapMb: number;
  /** The engine is loaded; false when the thread ended before. */
  readonly ready: Promise<boolean>;
  readonly exited: Promise<void>;
  readonly #worker: Worker;
  #listener: ThreadListener | undefined;
  #why: string | undefined;
  #isKilled = false;

  constructor({ engine, data, heapMb, isLenient, maxChars, resourceLimits }: ThreadOptions) {
    this.heapMb = heapMb;
    const worker = new Worker(workerUrl, {
      workerData: { engine: engine.href, data, isLenient, maxChars, heapMb },
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      // Nothing writes there; what does anyway, does not reach the host's own.
      stdout: true,
      stderr: true,
      resourceLimits,
    });
    this.#worker = worker;
    worker.unref();
    this.exited = new Promise((resolve) => {
      worker.once('exit', (code) => {
        this.#why ??= `the worker thread ended with code ${code}`;
        if (!this.#isKilled) this.#listener?.ended(this.#why);
        resolve();
      });
    });
    this.ready = new Promise((resolve) => {
      worker.once('message', () => { resolve(true); });
      void this.exited.then(() => { resolve(false); });
    });
    worker.on('error', (error: unknown) => { this.#why = whyOf(error); });
    worker.on('message', (message: unknown) => { this.#listener?.message(message); });
  }

  /** Why the thread is gone, in words that may reach a model. */
  get why(): string | undefined {
    return this.#why;
  }

  /** Milliseconds that the thread has been busy since it started, waiting for events not counted. */
  get busyMs(): number {
    return this.#worker.performance.eventLoopUtilization().active;
  }

  /** @returns whether the thread is still there */
  take(listener: ThreadListener): boolean {
    if (this.#why !== undefined) return false;
    this.#listener = listener;
    this.#worker.ref();
    return true;
  }

  post(message: readonly unknown[]): void {
    if (!this.#isKilled) this.#worker.postMessage(message);
  }

  /** At once for whoever listens; the thread itself may need a while, for as long as a built-in of its engine works. */
  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    this.#listener = undefined;
    this.#worker.unref();
    void this.#worker.terminate();
  }
}

/** Says nothing that the host knows and the program should not, such as paths. */
function whyOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return 'the program ran out of memory';
  return typeof code === 'string' ? `the worker thread failed with ${code}` : 'the worker thread failed';
}
