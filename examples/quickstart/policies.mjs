// Four policies, each a plugin that a deployment mounts or leaves out. No tool knows about any of them.
// Notice: a pre-execute listener gives an opinion that another may overrule, a guard can only tighten.
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { definePlugin } from '@sluice/core-tools';
import { absolute, root } from './repository.mjs';

/** Says no to whatever calls itself destructive, unless another rule outside this one says otherwise. */
export const noEdits = definePlugin({
  name: 'no-edits',
  apply(ctx) {
    ctx.on('tools/pre-execute', (exec, next) => {
      if (exec.tool?.annotations?.destructiveHint !== true) return next();
      return { kind: 'deny', reason: 'this run may look, but not change anything' };
    });
  },
});

/** A large file read whole fills a model's context, so a person is to agree to that. */
export const askBeforeLargeReads = definePlugin({
  name: 'ask-before-large-reads',
  config: { type: 'object', properties: { bytes: { type: 'integer', minimum: 0, default: 65_536 } } },
  apply(ctx, { bytes }) {
    ctx.on('tools/pre-execute', (exec, next) => {
      if (exec.name !== 'read_file' || exec.arguments.limit !== undefined) return next();
      const size = sizeOf(absolute(exec.arguments.path));
      if (size <= bytes) return next();
      return { kind: 'ask', reason: `${exec.arguments.path} has ${Math.round(size / 1024)} KiB; read it whole?` };
    });
  },
});

function sizeOf(path) {
  try {
    return statSync(path).size;
  } catch {
    return 0; // what is wrong with the path is for the guard and the tool to say
  }
}

/** The border: no path leads out of the repository, not through `..` and not through a link, and none into .git. */
export const stayInRepository = definePlugin({
  name: 'stay-in-repository',
  inject: ['tools'],
  apply(ctx) {
    const home = realpathSync.native(root);
    ctx.tools.guard((exec) => {
      const { path } = exec.arguments;
      if (typeof path !== 'string') return undefined; // no objection
      try {
        const inside = relative(home, real(absolute(path)));
        const names = inside.split(sep);
        if (names[0] === '..' || isAbsolute(inside)) return 'the path leads out of the repository';
        return names.some((name) => name.toLowerCase() === '.git') ? 'the path leads into .git' : undefined;
      } catch (error) {
        return `nobody can say where the path leads: ${error.code}`; // a guard that is not sure says no
      }
    });
  },
});

/** Where a path really leads. Of one that does not exist, its nearest folder that does is resolved. */
function real(path) {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined; // to nothing today, to anything tomorrow
    if (error.code !== 'ENOENT' || isLink) throw error;
    return join(real(dirname(path)), basename(path));
  }
}

/** Runs a call once more when its failure says that this may help, and when running twice does no harm. */
export const retryOnce = definePlugin({
  name: 'retry-once',
  config: { type: 'object', properties: { pauseMs: { type: 'number', minimum: 0, default: 20 } } },
  apply(ctx, { pauseMs }) {
    ctx.on('tools/execute', async (exec, next) => {
      const first = await next();
      const mayHelp = first.isError && first.error.info.retryable === true;
      if (!mayHelp || exec.tool?.annotations?.readOnlyHint !== true) return first;
      await sleep(pauseMs, undefined, { signal: exec.signal }).catch(() => undefined); // after an abort, next() says so
      return next();
    });
  },
});
