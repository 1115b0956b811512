import type { JsonValue } from '@sluice/core-schema';
import type { PreparedProgram } from '../prepare.ts';
import type { ValidNamespace } from '../request.ts';
import type { CodeErrorKind, CodeRunOutcome, CodeRunRequest, ResolvedLimits } from '../types.ts';
import { Calls } from './calls.ts';
import { PausableTimer } from './clock.ts';
import { failureText, textOf } from './failure-text.ts';
import { OutputMemory } from './output.ts';
import type { Thread, ThreadListener } from './thread.ts';

const KINDS: readonly string[] = ['exception', 'timeout', 'worker-exit', 'invalid-output'] satisfies CodeErrorKind[];

export interface RunParts {
  readonly request: CodeRunRequest;
  readonly namespaces: readonly ValidNamespace[];
  readonly program: PreparedProgram;
  readonly limits: ResolvedLimits;
  readonly maxChars: number;
  readonly thread: Thread;
}

/** One program on one thread. The first end wins; `outcome` resolves at once then, whatever the thread still does. */
export class Run implements ThreadListener {
  readonly outcome: Promise<CodeRunOutcome>;
  readonly thread: Thread;
  readonly #parts: RunParts;
  readonly #calls: Calls;
  readonly #output: OutputMemory;
  readonly #wall: PausableTimer;
  readonly #cleanups: (() => void)[] = [];
  #settle!: (outcome: CodeRunOutcome) => void;
  #isOver = false;
  #idleBusyMs: number | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    const { request, namespaces, limits, thread, maxChars } = parts;
    this.thread = thread;
    this.outcome = new Promise((resolve) => { this.#settle = resolve; });
    this.#output = new OutputMemory(limits.outputBytes);
    this.#calls = new Calls(namespaces, maxChars, (message) => { thread.post(message); });
    this.#wall = new PausableTimer(limits.wallMs, () => {
      this.fail('timeout', `the program took longer than ${limits.wallMs} ms (limit wallMs)`);
    });
    const { signal } = request;
    const abort = (): void => { this.fail('abort', textOf(signal.reason)); };
    signal.addEventListener('abort', abort, { once: true });
    this.#cleanups.push(() => { signal.removeEventListener('abort', abort); });
    const off = request.onHold?.((held) => {
      if (held) this.#wall.pause();
      else this.#wall.resume();
    });
    if (off !== undefined) this.#cleanups.push(off);
    if (signal.aborted) abort();
    void this.#start();
  }

  /** Milliseconds of work so far. */
  get busyMs(): number {
    return this.#idleBusyMs === undefined ? 0 : this.thread.busyMs - this.#idleBusyMs;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** To be called now and then. */
  checkCompute(): void {
    const { computeMs } = this.#parts.limits;
    if (this.busyMs > computeMs) this.fail('timeout', `the program worked for more than ${computeMs} ms (limit computeMs)`);
  }

  fail(kind: CodeErrorKind, message: string): void {
    this.#end((logs) => ({ logs, error: { kind, message } }));
  }

  ended(why: string): void {
    this.fail('worker-exit', why);
  }

  /** The thread may say anything: whatever is not in the table of worker.js is passed over. */
  message(message: unknown): void {
    if (this.#isOver || !Array.isArray(message)) return;
    const [type, ...parts] = message as readonly unknown[];
    switch (type) {
      case 'calls':
        this.#calls.receive(message);
        break;
      case 'done':
        this.#done(parts[0], Array.isArray(parts[1]) ? (parts[1] as readonly unknown[]) : []);
        break;
      case 'failed': {
        const [kind, head, stack] = parts;
        if (typeof kind !== 'string' || !KINDS.includes(kind) || typeof head !== 'string' || typeof stack !== 'string') break;
        const text = failureText(head, stack, (position) => this.#parts.program.locate(position));
        if (this.#fits(JSON.stringify(text))) this.fail(kind as CodeErrorKind, text);
        else this.#full();
        break;
      }
      case 'full':
        this.#full();
        break;
    }
  }

  async #start(): Promise<void> {
    const isReady = await this.thread.ready;
    if (this.#isOver) return;
    if (!isReady || !this.thread.take(this)) {
      this.fail('worker-exit', `the worker thread could not be started: ${this.thread.why ?? 'it was ended'}`);
      return;
    }
    this.#idleBusyMs = this.thread.busyMs;
    const { program, limits } = this.#parts;
    this.thread.post(['start', program.code, this.#calls.declarations(), this.#output.buffer, limits.outputBytes, limits.computeMs]);
  }

  #done(json: unknown, left: readonly unknown[]): void {
    if (json === null) {
      this.#end((logs) => ({ logs: [...logs, ...this.#notes(left)] }));
      return;
    }
    if (typeof json !== 'string') return;
    if (!this.#fits(json)) {
      this.#full();
      return;
    }
    let value: JsonValue;
    try {
      value = JSON.parse(json) as JsonValue;
    } catch {
      this.fail('invalid-output', 'the worker thread sent a value that is not JSON');
      return;
    }
    this.#end((logs) => ({ value, logs: [...logs, ...this.#notes(left)] }));
  }

  #notes(left: readonly unknown[]): string[] {
    const notes = this.#calls.fateOf(left);
    return this.#fits(JSON.stringify(notes)) ? notes : [];
  }

  #full(): void {
    const { outputBytes } = this.#parts.limits;
    this.fail('output-limit', `what the program printed and returned is larger than ${outputBytes} bytes of JSON (limit outputBytes)`);
  }

  #fits(json: string): boolean {
    const room = this.#output.capBytes - 2 - this.#output.usedBytes;
    // A UTF-16 unit is three bytes at most, so what is far from the bound need not be counted.
    return json.length <= room && (3 * json.length <= room || Buffer.byteLength(json) <= room);
  }

  #end(outcomeOf: (logs: readonly string[]) => CodeRunOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wall.stop();
    for (const cleanup of this.#cleanups) cleanup();
    this.#settle(outcomeOf(this.#output.lines()));
    this.#calls.end();
    this.thread.kill();
  }
}
