// A person at the terminal decides what a scripted agent may do.
// Notice: the tools know nothing of approval, the agent knows nothing of rules. Take a plugin out of the list and see what
// changes: without approvalCli nobody answers, without permissionRules nobody asks.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, tools } from '@sluice/core-tools';
import { approval } from '@sluice/approval';
import { approvalCli } from '@sluice/approval-cli';
import { permissionRules } from '@sluice/permission-rules';
import { scriptedAgent } from './agent.mjs';
import { toolsIn } from './tools.mjs';

const parent = mkdtempSync(join(tmpdir(), 'sluice-approvals-'));
const folder = join(parent, 'project');
mkdirSync(folder);
for (const file of ['production.json', 'staging.json']) writeFileSync(join(folder, file), '{\n  "host": "localhost",\n  "retries": 1\n}\n');

const ctx = createContext();
try {
  ctx.plugin(tools);
  // No rule for a call: a person is asked. What is remembered is kept where no tool can write.
  ctx.plugin(permissionRules, { root: folder, file: join(parent, 'rules.json') });
  ctx.plugin(approval);
  ctx.plugin(approvalCli);
  await ctx.ready();
  for (const tool of toolsIn(folder)) ctx.tools.register(tool);

  let asked = 0;
  let isAnswered = true;
  ctx.on('approval/asked', () => (asked += 1));
  ctx.on('approval/decided', (_request, { kind }) => {
    if (kind === 'unavailable') isAnswered = false;
  });

  const agent = scriptedAgent(ctx.tools, say);
  await agent.edits();
  if (isAnswered) await remembering(agent, () => asked);
  else {
    say('so', 'nobody could be asked, so nothing was done');
    process.exitCode = 1;
  }
} finally {
  await ctx.dispose();
  rmSync(parent, { recursive: true });
}

/** One labelled text, broken between words where the terminal is too narrow for it. */
function say(who, text) {
  const room = process.stdout.isTTY ? Math.max(20, process.stdout.columns - 14) : Infinity;
  const lines = [];
  for (const line of text.split('\n')) {
    lines.push('');
    for (const word of line.split(' ')) {
      const longer = `${lines.at(-1)} ${word}`.trimStart();
      if (longer.length <= room || lines.at(-1) === '') lines[lines.length - 1] = longer;
      else lines.push(word);
    }
  }
  console.log(`${`${who}:`.padEnd(13)}${lines.join(`\n${' '.repeat(13)}`)}`);
}

async function remembering(agent, asked) {
  await agent.checks('p, read the rule, then y');
  const rules = ctx.rules.list();
  say('rules', rules.length === 0 ? 'none: you did not say always' : rules.map(({ text }) => text).join('\n'));
  if (rules.length === 0) return;

  const before = asked();
  await agent.checks();
  say('so', asked() === before ? 'nobody was asked' : 'you were asked again');
  for (const { id } of rules) await ctx.rules.revoke(id);
  say('rules', ctx.rules.list().length === 0 ? 'revoked, none left' : 'still some left');
  await agent.checks('n, or whatever you like: the rule is gone, so you are asked again');
}
