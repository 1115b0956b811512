import { definePlugin, type Notification } from '@sluice/core-context';
import type { AnySessionEvent } from './index.ts';
import { openSession } from './open-session.ts';
import { record } from './record.ts';
import type { Session } from './session.ts';

export interface SessionConfig {
  /** Path of the log. Left out, the log is in memory. */
  readonly file?: string;
  /** Id of a new log. Default: a random UUID. */
  readonly id?: string;
  /** Event types marked as required that this deployment understands. */
  readonly knownEvents: readonly string[];
  /** A session that is open already, in place of all this. Whoever opened it closes it. */
  readonly session?: Session;
}

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    file: { type: 'string', minLength: 1 },
    id: { type: 'string', minLength: 1 },
    knownEvents: { type: 'array', items: { type: 'string', minLength: 1 }, default: [] },
    session: {},
  },
} as const;

declare module '@sluice/core-context' {
  interface Services {
    session: Session;
  }
  interface Hooks {
    /** After an event joined the log of the scope. */
    'session/event': Notification<[event: AnySessionEvent, session: Session]>;
  }
}

/**
 * Gives a scope its log, as `ctx.session`. Mount it in the scope of one agent: whatever runs there is recorded, nested calls,
 * programs' calls and questions to people included, and no body that may change something starts before the log is on the
 * disk. Messages and turns are the loop's to write.
 */
export const session = definePlugin<SessionConfig>({
  name: 'core-session',
  config,
  apply(ctx, { session: given, file, id, knownEvents }) {
    const log =
      given ??
      openSession({
        knownEvents,
        logger: ctx.logger,
        ...(file === undefined ? {} : { file }),
        ...(id === undefined ? {} : { id }),
      });
    // First, so that everything else ends before the file is given up.
    if (given === undefined) ctx.effect(() => () => log.close(), 'session log');
    ctx.effect(() => log.subscribe((event) => ctx.emit('session/event', event, log)), 'session events');
    ctx.provide('session', log);
    record(ctx, log);
  },
});
