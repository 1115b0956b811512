import { Story, type Presenter } from './story/story.ts';
import { beatsOf, type LoggedEvent } from './story/from-session.ts';
import { layout } from './text/layout.ts';
import type { Section } from './text/line.ts';
import { painted } from '@sluice/terminal-text';

export interface RenderOptions {
  /** Columns; less than 20 counts as 20. Default 80. */
  readonly width?: number;
  /** Whether rows are painted. Default false. */
  readonly colors?: boolean;
  /** Rows of what is in one card, 2 or more; a call that another one made gets a third of it. Default 16. */
  readonly maxRows?: number;
  /** Where cards come from: `ctx.tools` of a context with the session's tools. Left out, every card is the generic one. */
  readonly tools?: Presenter;
}

/** Rows of a card, by default. */
export const MAX_ROWS = 16;

/** The bound for nested calls that goes with the one for a model's own. */
export function limitsFor(maxRows: number): { readonly maxRows: number; readonly nestedRows: number } {
  return { maxRows, nestedRows: Math.max(2, Math.floor(maxRows / 3)) };
}

/** The rows of a session, one by one, without line feeds. Calls that have no result come last, as pending ones. */
export function* sessionRows(events: Iterable<LoggedEvent>, options: RenderOptions = {}): Generator<string, void, undefined> {
  const { width = 80, colors = false, maxRows = MAX_ROWS, tools } = options;
  const story = new Story({ ...limitsFor(Math.max(2, maxRows)), presenter: () => tools });
  const rows = (sections: readonly Section[]): string[] => sections.flatMap((section) => layout(section, width)).map((row) => painted(row, colors));
  for (const event of events) {
    for (const beat of beatsOf(event)) yield* rows(story.take(beat));
  }
  yield* rows(story.pending());
}

/**
 * Draws the events of a session log, such as `readSession(file).events` of `@sluice/core-session`: what the live renderer
 * leaves on the screen, as one text without a line feed at its end. Types of events that it does not know are left out.
 */
export function renderSession(events: Iterable<LoggedEvent>, options: RenderOptions = {}): string {
  return [...sessionRows(events, options)].join('\n');
}
