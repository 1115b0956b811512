import type { ResourceLimits } from 'node:worker_threads';
import { loadPreparation, prepare, ProgramError, type PreparedProgram } from '../prepare.ts';
import { validateRequest } from '../request.ts';
import type { CodeCapabilities, CodeErrorKind, CodeRunOutcome, CodeRunRequest, CodeRuntimeProvider, ResolvedLimits } from '../types.ts';
import type { WorkerRuntimeConfig } from './config.ts';
import { textOf } from './failure-text.ts';
import { MemoryWatch } from './memory-watch.ts';
import { Places } from './places.ts';
import { Run } from './run.ts';
import { Thread } from './thread.ts';

export interface WorkerRuntimeOptions {
  /** Shown to the model in failures, such as `worker-thread`. */
  readonly isolation: string;
  readonly capabilities: CodeCapabilities;
  /** A module that exports `createEngine`; see worker.js. */
  readonly engine: URL;
  readonly config: WorkerRuntimeConfig;
  /** What the thread's own V8 may use, for programs that may use `heapMb`. */
  readonly resourceLimits: (heapMb: number) => ResourceLimits;
  /** Megabytes by which the process may grow for a program that may use `heapMb`, beyond the 64 that come and go. */
  readonly processMb: (heapMb: number) => number;
  /** Given to the engine along with everything else; called when the first thread is made. */
  readonly engineData?: () => unknown;
}

/** Milliseconds between looks at what runs do. */
const LOOK_EVERY_MS = 20;
/** Looks until a run is one that takes its time. Starting a thread is work for 100 ms, which would slow a short run down. */
const LOOKS_BEFORE_SPARES = 15;

/** A runtime for TypeScript whose engine lives in worker threads: a fresh one per run, and spare ones ready. */
export class WorkerRuntime implements CodeRuntimeProvider {
  readonly language = 'typescript';
  readonly isolation: string;
  readonly capabilities: CodeCapabilities;
  readonly #options: WorkerRuntimeOptions;
  readonly #places: Places;
  readonly #runs = new Set<Run>();
  readonly #threads = new Set<Thread>();
  readonly #watch = new MemoryWatch();
  #spares: Thread[] = [];
  #timer: NodeJS.Timeout | undefined;
  #allowanceMb = 0;
  #disposed: Promise<void> | undefined;

  constructor(options: WorkerRuntimeOptions) {
    this.#options = options;
    this.isolation = options.isolation;
    this.capabilities = options.capabilities;
    this.#places = new Places(options.config.maxConcurrent, options.config.maxQueued);
  }

  /** Starts the spare threads, and a little later loads what programs are prepared with. Otherwise the first run pays for it. */
  warm(): void {
    this.#fillSpares();
    setImmediate(() => {
      if (!this.#isDisposed()) loadPreparation();
    });
  }

  async run(request: CodeRunRequest): Promise<CodeRunOutcome> {
    if (this.#disposed !== undefined) throw new Error(`code-runtime: ${this.isolation} has been unloaded`);
    const namespaces = validateRequest(request);
    const { signal, program: source } = request;
    const limits = { ...this.#options.config.limits, ...withoutUndefined(request.limits) };
    if (signal.aborted) return failed('abort', textOf(signal.reason));
    let program: PreparedProgram;
    try {
      program = prepare(source);
    } catch (error) {
      if (error instanceof ProgramError) return failed('exception', error.message);
      throw error;
    }
    const place = await this.#places.take(signal);
    if (place === 'full') return failed('worker-exit', 'not started: too many programs are waiting already');
    if (place === 'aborted') return failed('abort', textOf(signal.reason));
    if (this.#isDisposed()) {
      place();
      return failed('abort', 'the code runtime was unloaded');
    }

    const thread = this.#takeThread(limits.heapMb);
    // Whatever the outcome, the place is free only when the thread is gone.
    void thread.exited.then(place);
    if (this.#runs.size === 0) this.#watch.begin();
    const run = new Run({ request, namespaces, program, limits, maxChars: this.#options.config.maxValueChars, thread });
    this.#runs.add(run);
    const allowanceMb = this.#options.processMb(limits.heapMb);
    this.#allowanceMb += allowanceMb;
    this.#look();
    const outcome = await run.outcome;
    this.#runs.delete(run);
    this.#allowanceMb -= allowanceMb;
    if (this.#runs.size === 0) this.#stopLooking();
    setImmediate(() => { this.#fillSpares(); });
    return outcome;
  }

  /** Ends all runs as aborted, and resolves when every thread is gone. */
  dispose(): Promise<void> {
    this.#disposed ??= this.#end();
    return this.#disposed;
  }

  async #end(): Promise<void> {
    this.#stopLooking();
    this.#places.close();
    for (const run of this.#runs) run.fail('abort', 'the code runtime was unloaded');
    for (const spare of this.#spares) spare.kill();
    this.#spares = [];
    await Promise.all([...this.#threads].map(({ exited }) => exited));
  }

  #isDisposed(): boolean {
    return this.#disposed !== undefined;
  }

  #takeThread(heapMb: number): Thread {
    const index = this.#spares.findIndex((spare) => spare.heapMb === heapMb);
    const [spare] = index < 0 ? [] : this.#spares.splice(index, 1);
    return spare ?? this.#newThread(heapMb);
  }

  #newThread(heapMb: number): Thread {
    const { engine, engineData, config, resourceLimits } = this.#options;
    const { maxValueChars: maxChars, isLenient } = config;
    const thread = new Thread({ engine, data: engineData?.(), heapMb, isLenient, maxChars, resourceLimits: resourceLimits(heapMb) });
    this.#threads.add(thread);
    void thread.exited.then(() => {
      this.#threads.delete(thread);
      this.#spares = this.#spares.filter((spare) => spare !== thread);
    });
    return thread;
  }

  #fillSpares(): void {
    if (this.#isDisposed()) return;
    const { spares, limits } = this.#options.config;
    while (this.#spares.length < spares) this.#spares.push(this.#newThread(limits.heapMb));
  }

  #look(): void {
    if (this.#timer !== undefined) return;
    let looks = 0;
    this.#timer = setInterval(() => {
      for (const run of this.#runs) run.checkCompute();
      this.#watch.look(this.#runs, this.#allowanceMb);
      // A run that takes its time need not be over before the next one's thread is made.
      if ((looks += 1) % LOOKS_BEFORE_SPARES === 0) this.#fillSpares();
    }, LOOK_EVERY_MS);
  }

  #stopLooking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function failed(kind: CodeErrorKind, message: string): CodeRunOutcome {
  return { logs: [], error: { kind, message } };
}

function withoutUndefined(limits: CodeRunRequest['limits']): Partial<ResolvedLimits> {
  return Object.fromEntries(Object.entries(limits ?? {}).filter(([, value]) => value !== undefined));
}
