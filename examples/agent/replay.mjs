// Draws a session file again, the way it looked: the log has all that the screen had.
import { readSession } from '@sluice/core-session';
import { sessionRows } from '@sluice/render-terminal';
import { compose } from './compose.mjs';
import { createProject } from './project.mjs';

export async function replay(file) {
  const { events } = readSession(file);
  // Tools only draw their cards here, so any project will do.
  const ctx = await compose(createProject());
  try {
    const width = process.stdout.columns || 80;
    const colors = process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
    for (const row of sessionRows(events, { width, colors, tools: ctx.tools })) console.log(row);
  } finally {
    await ctx.dispose();
  }
}
