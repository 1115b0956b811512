import type {} from '@sluice/approval';
import { definePlugin } from '@sluice/core-tools';
import type { ReadStream, WriteStream } from 'node:tty';
import { alwaysFor } from './always.ts';
import { ask } from './ask.ts';
import { Dialog } from './dialog.ts';
import { CURE, whyNot, type Streams } from './terminal.ts';

export interface ApprovalCliConfig {
  /** Where keys are read. Default: standard input. */
  readonly input?: ReadStream;
  /** Where questions are drawn. Default: standard output, or standard error where only that is a terminal. */
  readonly output?: WriteStream;
}

const config = {
  type: 'object',
  additionalProperties: false,
  properties: { input: {}, output: {} },
} as const;

/**
 * Asks the person at the terminal before a call runs, and shows exactly what will run. Where there is no terminal it leaves
 * the question to answerers mounted after it, and says at once that it cannot be asked when there are none.
 */
export const approvalCli = definePlugin<ApprovalCliConfig>({
  name: 'approval-cli',
  config,
  apply(ctx, given) {
    let told: string | undefined;
    ctx.on('approval/request', async (request, next) => {
      const streams = streamsOf(given);
      const why = whyNot(streams);
      if (why !== undefined) {
        const outcome = await next();
        if (outcome.kind !== 'unavailable') return outcome;
        if (told !== why) ctx.logger.warn(`approval-cli: ${why}; ${CURE}`);
        told = why;
        return { kind: 'unavailable', why };
      }
      const over = new AbortController();
      const end = (): void => over.abort();
      for (const signal of [request.signal, ctx.signal]) signal.addEventListener('abort', end);
      if (request.signal.aborted || ctx.signal.aborted) end();
      try {
        return await ask(streams, () => new Dialog(request, { always: alwaysFor(ctx, request), waiting: waiting() }), over.signal);
      } finally {
        for (const signal of [request.signal, ctx.signal]) signal.removeEventListener('abort', end);
      }
    });

    /** Questions behind the one that is asked, as far as anybody can say. */
    function waiting(): number {
      const service = ctx.get('approval') as { pending?: () => readonly unknown[] } | undefined;
      return Math.max(0, (service?.pending?.().length ?? 1) - 1);
    }
  },
});
export default approvalCli;

function streamsOf({ input = process.stdin, output }: ApprovalCliConfig): Streams {
  return { input, output: output ?? ((process.stdout.isTTY as boolean | undefined) ? process.stdout : process.stderr) };
}
