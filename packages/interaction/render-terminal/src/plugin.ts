import { definePlugin } from '@sluice/core-context';
import { Cast, type Part } from './live/cast.ts';
import { Screen, type Output } from './live/screen.ts';
import { watch } from './live/watch.ts';
import { limitsFor, MAX_ROWS } from './render-session.ts';
import type { Section } from './text/line.ts';

export interface RenderTerminalConfig {
  /** Where it draws: a terminal, a pipe, anything with `write(text)`. Default: standard output. */
  readonly output?: Output;
  /** Columns, 20 or more. Default: the terminal's, or 80 where there is none. */
  readonly width?: number;
  /** Whether rows are painted. Default: on a terminal that has colours, unless `NO_COLOR` is set. */
  readonly colors?: boolean;
  /** Rows of what is in one card, 2 or more; a call that another one made gets a third of it. Default 16. */
  readonly maxRows: number;
}

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    output: {},
    width: { type: 'integer', minimum: 20 },
    colors: { type: 'boolean' },
    maxRows: { type: 'integer', minimum: 2, default: MAX_ROWS },
  },
} as const;

/**
 * Draws what happens in its scope and below, as it happens: messages and reminders, calls with their cards and the calls that
 * they make, progress, questions to a person. Watches only: no call is any different for it.
 */
export const renderTerminal = definePlugin<RenderTerminalConfig>({
  name: 'render-terminal',
  config,
  apply(ctx, { output = process.stdout, width, colors, maxRows }) {
    const busy = new Set<Part>();
    let speaker: Part | undefined;
    const screen = new Screen(output, { width, colors, pending: () => [...busy].flatMap(({ story }) => story.pending()) });
    /** More than one scope may have something to say. */
    const print = (part: Part, sections: readonly Section[], isUrgent = false): void => {
      if (sections.length === 0) return;
      const isAnother = speaker !== undefined && speaker !== part;
      speaker = part;
      screen.print(isAnother ? [{ lines: [{ text: part.label, tone: 'dim', prefix: '── ' }] }, ...sections] : sections, isUrgent);
    };
    watch(ctx, new Cast(ctx, limitsFor(maxRows)), {
      tell(part, beat, isUrgent) {
        const sections = part.story.take(beat);
        if (part.story.hasPending) busy.add(part);
        else busy.delete(part);
        print(part, sections, isUrgent);
        screen.changed();
      },
      lend: (isLent) => screen.lend(isLent),
    });
    return () => {
      for (const part of busy) print(part, part.story.pending());
      busy.clear();
      screen.close();
    };
  },
});
