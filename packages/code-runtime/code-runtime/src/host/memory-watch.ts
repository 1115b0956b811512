import type { Run } from './run.ts';

/** Megabytes that a thread needs beside its program, and that come and go with the collection of garbage. */
const SLACK_MB = 128;
/** Milliseconds that a run which was ended may take to give its memory back. */
const PATIENCE_MS = 2_000;

/**
 * Ends a run when the process has grown by more than its programs may use. Approximate in two ways: it looks every so often, and
 * it cannot see whose the memory is, so it takes the run that worked most since the last look.
 */
export class MemoryWatch {
  #baselineMb = 0;
  #notBefore = 0;
  readonly #busyMs = new WeakMap<Run, number>();

  /** To be called when the first of several runs begins. */
  begin(): void {
    this.#baselineMb = othersMb();
  }

  look(runs: Iterable<Run>, allowanceMb: number): void {
    const grownMb = othersMb() - this.#baselineMb;
    if (grownMb < 0) this.#baselineMb += grownMb;
    let busiest: Run | undefined;
    let most = -1;
    for (const run of runs) {
      const workedMs = run.busyMs - (this.#busyMs.get(run) ?? 0);
      this.#busyMs.set(run, run.busyMs);
      if (workedMs <= most) continue;
      most = workedMs;
      busiest = run;
    }
    if (busiest === undefined || grownMb <= allowanceMb + SLACK_MB || performance.now() < this.#notBefore) return;
    // What it used is given back when its thread is gone; until then no other run is to blame.
    this.#notBefore = performance.now() + PATIENCE_MS;
    void busiest.thread.exited.then(() => {
      this.#notBefore = 0;
      this.#baselineMb = Math.max(this.#baselineMb, othersMb());
    });
    busiest.fail('worker-exit', 'the program used more memory than it may (limit heapMb)');
  }
}

/** Resident memory of the process without the heap of this thread, in megabytes. */
function othersMb(): number {
  const { rss, heapTotal, external } = process.memoryUsage();
  return (rss - heapTotal - external) / 1_048_576;
}
