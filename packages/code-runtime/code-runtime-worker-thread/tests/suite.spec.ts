import { codeRuntimeChecks } from '@sluice/testing';
import { definePlugin, type CodeRunOutcome, type CodeRunRequest, type CodeRuntime } from '@sluice/core-tools';
import { describe, expect, it } from 'vitest';
import { codeRuntimeWorkerThread } from '../src/index.ts';

/** A provider over the real one that gets one thing wrong. */
type Mistake = (real: CodeRuntime, request: CodeRunRequest) => Promise<CodeRunOutcome>;

const mistakes: Readonly<Record<string, Mistake>> = {
  'forgets what was printed': async (real, request) => ({ ...(await real.run(request)), logs: [] }),
  'gives null for nothing': async (real, request) => ({ value: null, ...(await real.run(request)) }),
  'does not know of people': (real, { program, bindings, signal, limits = {} }) => real.run({ program, bindings, signal, limits }),
  'does not hear an abort': (real, request) => real.run({ ...request, signal: new AbortController().signal }),
  'calls with nothing': (real, request) =>
    real.run({ ...request, bindings: request.bindings.map((each) => ({ ...each, functions: Object.fromEntries(Object.entries(each.functions).map(([name, call]) => [name, () => call({})])) })) }),
  'keeps no properties of errors': (real, request) =>
    real.run({ ...request, bindings: request.bindings.map((each) => (each.errorClass === undefined ? each : { ...each, errorClass: { ...each.errorClass, properties: [] } })) }),
  'has a limit of its own for output': (real, request) => real.run({ ...request, limits: { ...request.limits, outputBytes: 1_000_000 } }),
  'calls every failure an exception': async (real, request) => {
    const outcome = await real.run(request);
    return outcome.error === undefined ? outcome : { ...outcome, error: { ...outcome.error, kind: 'exception' } };
  },
  'shows a path of the host': async (real, request) => {
    const outcome = await real.run(request);
    return outcome.error === undefined ? outcome : { ...outcome, error: { ...outcome.error, message: `${outcome.error.message}\n    at file:///home/x.js:1:1` } };
  },
  'lets a program reach the process': async (real, request) => {
    const outcome = await real.run(request);
    return { ...outcome, ...(outcome.value === undefined ? {} : { value: JSON.parse(JSON.stringify(outcome.value).replace('"leaks":[]', '"leaks":["process"]')) as never }) };
  },
};

/** Enough to notice each of them, and quick. */
const NAMES = ['body of an async function', 'in order, as text', 'positions of the program and nothing else', 'stops the clock', 'ends at once', 'passes arguments and results', 'gives a failure as an error', 'to the byte', 'JSON cannot hold', 'way out: eval'];

describe('the contract notices a provider that', () => {
  it.each(Object.entries(mistakes))('%s', async (_what, mistake) => {
    const plugin = definePlugin({
      name: 'mistaken',
      apply(ctx) {
        const inner = ctx.scope('real');
        inner.plugin(codeRuntimeWorkerThread, { spares: 1 });
        const real = inner.codeRuntime;
        ctx.provide('codeRuntime', { language: real.language, isolation: real.isolation, run: (request) => mistake(real, request) });
      },
    });
    const checks = codeRuntimeChecks({ mount: (ctx) => { ctx.plugin(plugin); } }).filter(({ name }) => NAMES.some((piece) => name.includes(piece)));
    expect(checks).toHaveLength(NAMES.length);
    const failed: string[] = [];
    for (const check of checks) {
      await check.run().catch(() => { failed.push(check.name); });
      if (failed.length > 0) break;
    }
    expect(failed).not.toEqual([]);
  }, 120_000);
});
