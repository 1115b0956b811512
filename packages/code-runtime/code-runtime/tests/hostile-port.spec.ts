import { afterEach, describe, expect, it } from 'vitest';
import { WorkerRuntime, type CodeCapabilities, type CodeRunRequest } from '../src/index.ts';

const capabilities = {} as CodeCapabilities;
const runtimes: WorkerRuntime[] = [];

function runtime(engine: string): WorkerRuntime {
  const limits = { computeMs: 5_000, wallMs: 30_000, heapMb: 64, outputBytes: 10_000 };
  const made = new WorkerRuntime({
    isolation: 'test',
    capabilities,
    engine: new URL(`./engines/${engine}.js`, import.meta.url),
    config: { limits, maxConcurrent: 2, maxQueued: 2, spares: 0, maxValueChars: 10_000, isLenient: false },
    resourceLimits: () => ({}),
    processMb: () => 1_000,
  });
  runtimes.push(made);
  return made;
}

afterEach(() => Promise.all(runtimes.splice(0).map((each) => each.dispose())));

describe('a thread that says whatever it likes', { timeout: 60_000 }, () => {
  const calls: unknown[] = [];
  const request = (program: string): CodeRunRequest => ({
    program,
    bindings: [{ global: 'tools', functions: { echo: (args) => { calls.push(args); return Promise.resolve(args); } } }],
    signal: new AbortController().signal,
  });

  it('calls only what was declared, each id once, and ends its own run once', async () => {
    calls.length = 0;
    const { value, error } = await runtime('forging').run(request('return 1;'));
    expect([value, error]).toEqual(['real', undefined]);
    expect(calls).toEqual([{ n: 1 }]);
  });

  it.each([
    ['a value that is no JSON', '"bad json";', 'invalid-output'],
    ['a value larger than allowed', '"too long";', 'output-limit'],
    ['nothing at all', '"silent";', 'exception'],
  ])('fails precisely with %s', async (_what, program, kind) => {
    const { error } = await runtime('forging').run(request(program));
    expect(error?.kind).toBe(kind);
  });

  it('does not stop the host by junk', async () => {
    const { value } = await runtime('forging').run(request('"flood";'));
    expect(value).toBe('real');
  });
});

describe('a thread that cannot start', { timeout: 60_000 }, () => {
  it('is a failed run without paths of the host, again and again', async () => {
    const broken = runtime('broken');
    for (let i = 0; i < 3; i += 1) {
      const { error } = await broken.run({ program: 'return 1;', bindings: [], signal: new AbortController().signal });
      expect(error).toEqual({ kind: 'worker-exit', message: 'the worker thread could not be started: the worker thread failed' });
    }
  });
});
