// A whole agent turn over a project that is thrown away. Notice:
// 1. compose.mjs is the deployment, turn.mjs is what the model says. Neither knows of the other.
// 2. The screen is drawn by a plugin that only watches, and the log that the turn leaves draws the same screen again.
// 3. A real model takes the place of the scripted one by its name, and nothing else is different.
import { loadModel } from '@sluice/core-agent-loop/load-model';
import { renderTerminal } from '@sluice/render-terminal';
import { scriptedAnswerer } from './answerer.mjs';
import { commandLine, usage } from './command-line.mjs';
import { compose } from './compose.mjs';
import { createProject, task } from './project.mjs';
import { replay } from './replay.mjs';
import { closing, opening, say } from './screen.mjs';
import { scripted } from './turn.mjs';

const { values, problem } = commandLine(process.argv.slice(2));
try {
  if (problem !== undefined) process.exitCode = usage(problem);
  else if (values.help) process.exitCode = usage();
  else if (values.replay !== undefined) await replay(values.replay);
  else process.exitCode = await run(values);
} catch (error) {
  // What a person can do something about has a code; anything else is a mistake of ours, and shows where.
  if (typeof error?.code !== 'string') throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** @returns the exit code: 0 also when the person said no or pressed Ctrl-C, for that is no failure */
async function run({ model: name, task: given = task }) {
  const model = name === undefined ? scripted() : await loadModel(name, { from: import.meta.dirname });
  const project = createProject();
  const ctx = await compose({
    ...project,
    more: [[renderTerminal], ...(name === undefined ? [[scriptedAnswerer(say)]] : [])],
  });
  const interrupted = new AbortController();
  const onInterrupt = () => interrupted.abort();
  process.once('SIGINT', onInterrupt);
  try {
    opening({ model: name, ...project });
    const agent = ctx.agents.create({ name: 'agent', model, session: { file: project.sessionFile } });
    const { reason } = await agent.run(given, { signal: interrupted.signal }).ended;
    await agent.dispose();
    closing({ isScripted: name === undefined, ...project });
    return ['done', 'aborted', 'concluded'].includes(reason) ? 0 : 1;
  } finally {
    process.off('SIGINT', onInterrupt);
    await ctx.dispose();
  }
}
