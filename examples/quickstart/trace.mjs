// A plugin that watches every hook and changes nothing: the pattern for logs, metrics and spans.
// Mount it last. What it prepends is then outermost and sees a stage as a whole; its other listeners are innermost, so
// that its guard is reached when all others are content, and its second wrapper sees each attempt of the body.
import { definePlugin } from '@sluice/core-tools';

/**
 * @param {{ call(record): void, event(hook, payload): void }} report gets one record per call, after `tools/result`:
 *   { exec, result, at, ms, steps: { name, at, ms, said }[] }; times in milliseconds, `at` since the process began.
 */
export const trace = (report) =>
  definePlugin({
    name: 'trace',
    inject: ['tools'],
    apply(ctx) {
      const records = new Map(); // by exec.id, which is unique; a caller may use a callId twice

      // `?.`: a call that began before this was mounted has no record, and is not to suffer for it.
      const begin = (exec, name, said) => {
        const step = { name, at: performance.now(), ms: undefined, said };
        records.get(exec.id)?.steps.push(step);
        return step;
      };
      const end = (step, said) => Object.assign(step, { ms: performance.now() - step.at, said });

      /** Around the rest of a waterfall. Passes on exactly what comes back, a throw included. */
      const around = async (exec, name, next) => {
        const step = begin(exec, name);
        try {
          const answer = await next();
          end(step, answer.kind ?? codeOf(answer));
          return answer;
        } catch (error) {
          end(step, 'threw');
          throw error;
        }
      };

      // Guards and a person's answer are no hooks: what they take is the time between the hooks around them.
      const pending = new Map();
      const beginPending = (exec, name) => pending.set(exec.id, begin(exec, name));
      const endPending = (exec, said) => {
        if (pending.has(exec.id)) end(pending.get(exec.id), said);
        pending.delete(exec.id);
      };

      ctx.on('tools/call', (exec) => {
        records.set(exec.id, { exec, at: performance.now(), steps: [] });
      });
      ctx.on(
        'tools/pre-execute',
        async (exec, next) => {
          const decision = await around(exec, 'pre-execute', next);
          if (decision.kind !== 'deny') beginPending(exec, 'guards');
          return decision;
        },
        { prepend: true },
      );
      ctx.tools.guard((exec) => {
        endPending(exec, 'pass');
        return undefined; // no objection
      });
      ctx.on('tools/hold', ({ callId, held }) => {
        for (const { exec } of records.values()) {
          if (exec.callId !== callId) continue;
          if (held) beginPending(exec, 'approval');
          else endPending(exec, 'answered');
        }
      });
      ctx.on('tools/execute', (exec, next) => around(exec, 'execute', () => next()), { prepend: true });
      ctx.on('tools/execute', (exec, next) => around(exec, 'body', () => next()));
      ctx.on('tools/progress', (exec, { message }) => {
        begin(exec, 'progress', message);
      });
      ctx.on(
        'tools/post-execute',
        (exec, result, next) => {
          endPending(exec, codeOf(result) === 'DENIED' ? 'deny' : codeOf(result));
          if (codeOf(result) === 'APPROVAL_UNAVAILABLE') begin(exec, 'approval', 'nobody to ask');
          return around(exec, 'post-execute', next);
        },
        { prepend: true },
      );
      ctx.on('tools/result', (exec, result) => {
        endPending(exec, codeOf(result));
        const record = records.get(exec.id);
        records.delete(exec.id);
        if (record !== undefined) report.call({ ...record, result, ms: performance.now() - record.at });
      });
      for (const hook of ['tools/change', 'tools/late']) ctx.on(hook, (payload) => report.event(hook, payload));
    },
  });

/** `ok`, or the code of a failure. */
export const codeOf = (result) => (result.isError ? result.error.info.code : 'ok');
