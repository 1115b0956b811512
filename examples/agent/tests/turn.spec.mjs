import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readSession } from '@sluice/core-session';
import { renderTerminal, sessionRows } from '@sluice/render-terminal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAnswerer } from '../answerer.mjs';
import { compose } from '../compose.mjs';
import { createProject, task } from '../project.mjs';
import { scripted } from '../turn.mjs';

/** What `npm start` does where there is no terminal, with the screen kept instead of shown. */
async function aTurn() {
  const project = createProject();
  const screen = [];
  const asked = [];
  const ctx = await compose({
    ...project,
    more: [[renderTerminal, { output: { write: (text) => screen.push(text) }, width: 100 }], [scriptedAnswerer((text) => asked.push(text))]],
  });
  try {
    const agent = ctx.agents.create({ name: 'agent', model: scripted(), session: { file: project.sessionFile } });
    const { reason } = await agent.run(task).ended;
    await agent.dispose();
    const { events } = readSession(project.sessionFile);
    const replayed = [...sessionRows(events, { width: 100, tools: ctx.tools })];
    return { ...project, reason, events, asked, screen: screen.join(''), replayed };
  } finally {
    await ctx.dispose();
  }
}

describe('npm start', { timeout: 60_000 }, () => {
  let turn;
  beforeAll(async () => {
    turn = await aTurn();
  }, 60_000);
  afterAll(() => {
    rmSync(dirname(turn.root), { recursive: true, force: true });
  });
  const file = (path) => readFileSync(`${turn.root}/${path}`, 'utf8');

  it('ends by itself, and leaves the project as the task wanted it', () => {
    expect(turn.reason).toBe('done');
    expect(file('src/price.js')).toContain('export const taxRate = 0.21;');
    expect(file('src/receipt.js')).toContain("import { price, taxRate } from './price.js';");
    expect(file('src/receipt.js')).not.toContain('TODO');
    expect(file('CHANGELOG.md')).toContain('- Prices include the Dutch tax of 21 %.\n- Receipts show the date.');
    expect(file('dist/till.js')).toBe('// built from src, a while ago\n');
  });

  it.each([
    ['a search with its matches', '✓ Search TODO\n│   2 matches'],
    ['an edit that was refused because nothing had been read', 'FS_NOT_OBSERVED'],
    ['an edit with its diff', '│   -   // TODO: name the tax'],
    ['the list of what there is to do, finished', '│   [x] note it in the changelog'],
    ['a reminder after three searches that were the same', '! repeat-tool-reminder: You have repeated an identical call.'],
    ['a deadline', '│   TOOL_TIMEOUT'],
    ['a program, with the calls that it made', '│ ✓ Read src/price.js'],
    ['a denial that the program took', '│   DENIED, so the build has to do that'],
    ['a question, and its answer', '= allowed, this once'],
  ])('shows %s', (_what, text) => {
    expect(turn.screen).toContain(text);
  });

  it('asks once, and says that a plugin answered', () => {
    expect(turn.asked).toEqual(['scripted-answerer: no terminal, so a plugin of this example says yes to edit_file CHANGELOG.md']);
    expect(turn.events.filter(({ type }) => type === 'approval/asked')).toHaveLength(1);
  });

  it('leaves a session file that draws the same screen again', () => {
    expect(turn.replayed.join('\n')).toBe(turn.screen.trimEnd());
  });

  it('leaves a session file that opens whatever it lost at its end', () => {
    const whole = readFileSync(turn.sessionFile);
    const torn = `${dirname(turn.root)}/torn.jsonl`;
    for (let lost = 1; lost < whole.length; lost += lost < 300 ? 1 : 997) {
      writeFileSync(torn, whole);
      truncateSync(torn, whole.length - lost);
      const { events } = readSession(torn);
      expect(events).toEqual(turn.events.slice(0, events.length));
      expect([...sessionRows(events, { width: 80 })]).not.toContain(undefined);
    }
  });
});
