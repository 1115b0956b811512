// Sluice in one run: every call goes through one pipeline, and each ends in its own way. Notice:
// 1. A tool (tools.mjs) knows no policy. A policy (policies.mjs) is a plugin: one line in compose.mjs, there or not.
// 2. The order is fixed: arguments, rules, guards, a person, wrappers around the body, shaping, telling everybody.
// 3. execute() throws for nothing that a model does. It resolves, with a stable code and words to act on.
// 4. What you see is drawn by a plugin, too (trace.mjs). In the end nothing is left mounted, which is checked.
import assert from 'node:assert/strict';
import { oneCall } from './cli.mjs';
import { compose } from './compose.mjs';
import { sourceFiles } from './repository.mjs';
import { block, closing, heading, note, opening } from './screen.mjs';
import { bodiesOf, peakOf, timeline } from './timeline.mjs';
import { codeOf } from './trace.mjs';
import { duration } from './text.mjs';

process.exitCode = process.argv.length > 2 ? await oneCall(process.argv.slice(2)) : await tour();

/** @returns the exit code. Rejects when anything ends differently from what is said here. */
async function tour() {
  const began = performance.now();
  const calls = [];
  const report = {
    call: block,
    event: (hook, { kind, scopePath }) => note(`${hook}: ${kind} in ${scopePath.join('/')}`),
  };
  const ctx = await compose({
    call: (record) => {
      calls.push(record);
      report.call(record);
    },
    event: (hook, change) => report.event(hook, change),
  });

  /** Makes a call, which the trace draws, and holds its outcome against what is said here. */
  const expect = async (code, name, args, scope = ctx) => {
    const signal = AbortSignal.timeout(10_000); // should a policy be gone that ends it
    const result = await scope.tools.execute({ name, arguments: args, signal });
    assert.equal(codeOf(result), code);
    const bodies = calls.at(-1).steps.filter(({ name }) => name === 'body');
    return { result, bodies: bodies.map(({ said }) => said) };
  };

  try {
    opening(ctx.inspect());

    heading('A tool reads a file', 'The first call compiles schemas; see what the later ones cost.');
    const { result: read } = await expect('ok', 'read_file', { path: 'README.md', limit: 3 });
    assert.equal(read.value.lines[0], '# Sluice');

    heading('Many files at once', 'executeAll overlaps bodies that are safe to overlap, here six at a time.');
    const batch = [];
    report.call = (record) => batch.push(record);
    const input = (await sourceFiles()).map((path) => ({ name: 'count_words', arguments: { path } }));
    const start = performance.now();
    const counts = await ctx.tools.executeAll(input, { maxParallel: 6 });
    const elapsed = duration(performance.now() - start);
    report.call = block;
    const peak = peakOf(bodiesOf(batch));
    const words = counts.reduce((sum, { value }) => sum + value, 0).toLocaleString('en');
    timeline(batch, ({ exec }) => exec.arguments.path);
    note(`${words} words in ${elapsed}, at most ${peak} bodies at once; policy and results in the order of the calls`);
    assert.deepEqual(batch.map(({ result }) => result), counts);
    assert.ok(peak > 1 && peak <= 6);

    heading('Arguments that do not fit', 'No rule and no tool body ever sees them. The model is told what is wrong.');
    await expect('INVALID_ARGS', 'read_file', { path: 'README.md', limit: '3' });

    heading('A rule says no', 'no-edits listens on pre-execute and denies what a tool itself calls destructive.');
    // Harmless if you take the rule away: edit_file wants a passage that occurs once.
    const edit = { path: 'README.md', old: 'sluice', new: 'strainer' };
    assert.deepEqual((await expect('DENIED', 'edit_file', edit)).bodies, []);

    heading('A guard says no', 'Guards come after all rules, and nothing can open what they close.');
    await expect('DENIED', 'read_file', { path: 'docs/../../secret' });
    await expect('DENIED', 'read_file', { path: '.git/config' });

    heading('A rule asks, and nobody is there', 'A large read wants a yes. With no approval plugin, it is a no.');
    await expect('APPROVAL_UNAVAILABLE', 'read_file', { path: 'pnpm-lock.yaml' });

    heading('A deadline passes', 'The tool declares timeoutMs: 250. The timeout policy tells the body to stop.');
    const { result: late } = await expect('TOOL_TIMEOUT', 'wait_for_change', { path: 'README.md' });
    assert.equal(late.error.info.limitMs, 250);

    heading('A second attempt helps', 'The first fails and says so, so retry-once runs the body again.');
    const { bodies } = await expect('ok', 'list_folder', { path: 'packages' });
    assert.deepEqual(bodies, ['CONNECTION_DROPPED', 'ok']);

    heading('An agent sees less', 'A restriction holds for one scope: scout has no edit_file.');
    const scout = ctx.scope('scout');
    scout.tools.restrict({ deny: ['edit_file'] });
    await expect('UNKNOWN_TOOL', 'edit_file', edit, scout);
    assert.equal(scout.tools.schemas().length, ctx.tools.schemas().length - 1);
  } finally {
    report.event = () => undefined;
    await ctx.dispose();
  }
  const left = Object.values(ctx.inspect().counts).reduce((sum, count) => sum + count, 0);
  assert.equal(left, 0);

  const elapsed = duration(performance.now() - began);
  closing(`${calls.length} calls in ${elapsed}, each with the outcome that main.mjs expects, and nothing left behind.`);
  return 0;
}
