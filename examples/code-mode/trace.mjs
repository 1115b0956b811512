// One line per call: which stages it went through, what they said, and how long the whole took.
import { definePlugin } from '@sluice/core-tools';

export const trace = (print) =>
  definePlugin({
    name: 'trace',
    inject: ['tools'],
    apply(ctx) {
      const calls = new Map(); // by exec.id, which is unique
      const step = (exec, word) => calls.get(exec.id)?.steps.push(word);

      ctx.on('tools/call', (exec) => {
        calls.set(exec.id, { callId: exec.callId, at: performance.now(), steps: ['checked'] });
      });
      ctx.on(
        'tools/pre-execute',
        async (exec, next) => {
          const decision = await next();
          step(exec, `policy: ${decision.kind}`);
          return decision;
        },
        { prepend: true },
      );
      ctx.on('tools/hold', ({ callId, held }) => {
        const call = [...calls.values()].find((each) => each.callId === callId);
        call?.steps.push(held ? 'a person is asked' : 'answered');
      });
      ctx.on('tools/execute', (exec, next) => {
        step(exec, 'body');
        return next();
      });
      ctx.on('tools/post-execute', (exec, _result, next) => {
        step(exec, 'post');
        return next();
      });
      ctx.on('tools/result', (exec, result) => {
        const { at, steps } = calls.get(exec.id);
        calls.delete(exec.id);
        const indent = exec.parentCallId === undefined ? '' : '  ';
        const said = result.isError ? result.error.info.code : 'ok';
        const what = exec.arguments.path === undefined ? '' : ` ${exec.arguments.path}`;
        print(`${indent}${exec.callId.padEnd(15)} ${`${exec.name}${what}`.padEnd(33)} ${steps.join(' > ')} > ${said}, ${Math.round(performance.now() - at)} ms`);
      });
    },
  });
