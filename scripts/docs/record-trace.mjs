// node scripts/docs/record-trace.mjs [--out docs/trace.svg] [--columns 100] [--skip 0] [--rows 60] [--name 'npm start'] [-- COMMAND ARGUMENT…]
// Runs a program in a pseudo-terminal and writes what it leaves there as an SVG: --rows of it, after --skip. Build what the program imports first.
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../root.mjs';
import { terminalSvg } from './terminal-svg.mjs';

const DEADLINE_MS = 60_000;
const { values, positionals } = parseArgs({
  options: {
    out: { type: 'string', default: 'docs/trace.svg' },
    columns: { type: 'string', default: '100' },
    skip: { type: 'string', default: '0' },
    rows: { type: 'string', default: '60' },
    name: { type: 'string' },
  },
  allowPositionals: true,
});
const [command, ...args] = positionals.length > 0 ? positionals : ['node', 'examples/quickstart/main.mjs'];
const cols = Number(values.columns);
const rows = Number(values.rows);
const skip = Number(values.skip);

const terminal = new xterm.Terminal({ cols, rows: 24, scrollback: 10_000, allowProposedApi: true });
const env = { ...process.env, TERM: 'xterm-256color', FORCE_COLOR: '1' };
for (const name of ['NO_COLOR', 'CI']) delete env[name];
const file = command === 'node' ? process.execPath : command;
const program = spawn(file, args, { name: 'xterm-256color', cols, rows: 24, cwd: root, env });
const timer = setTimeout(() => program.kill(), DEADLINE_MS);
program.onData((data) => terminal.write(data));
const { exitCode, signal } = await new Promise((resolve) => { program.onExit(resolve); });
clearTimeout(timer);
// All that was written has been read when this is.
await new Promise((resolve) => { terminal.write('', resolve); });
if (exitCode !== 0) {
  console.error(`trace: ${[command, ...args].join(' ')} ended with ${exitCode}, signal ${signal}; nothing was written`);
  process.exit(1);
}
const title = `What ${values.name ?? [command, ...args].join(' ')} prints: a trace of calls through the pipeline`;
writeFileSync(join(root, values.out), terminalSvg(terminal, { title, skip, rows }));
console.log(`trace: ${values.out} written`);
process.exit(0);
