// Runs on a pseudo-terminal. Everything in it is real: the pipeline, the approval seam, the answerer.
import { createContext, tools, type Context, type JsonValue } from '@sluice/core-tools';
import { approval } from '@sluice/approval';
import { aTool } from '@sluice/testing';
import { renameSync, writeFileSync } from 'node:fs';
import { approvalCli } from '../../src/index.ts';
import type { AskedCall, Report, Scenario } from './scenario.ts';

const scenario = JSON.parse(process.env['SCENARIO'] ?? '{}') as Scenario;
const unhandled: string[] = [];

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const ctx = createContext({ logger: silent });
ctx.plugin(tools);
ctx.plugin(approval, scenario.approval);
const answerer = ctx.plugin(approvalCli);

const bodyArguments: JsonValue[] = [];
const reasons = new Map<string, string>();
for (const name of new Set(scenario.ask.map(({ tool }) => tool))) {
  const view = scenario.ask.find((call) => call.tool === name)?.view;
  ctx.tools.register(
    aTool({
      name,
      ...(view === undefined ? {} : { presentCall: () => view }),
      execute(args) {
        bodyArguments.push(args);
        return 'done';
      },
    }),
  );
}
const remembered: { tool: string; when: Record<string, { equals: JsonValue }> }[] = [];
const isRemembered = (tool: string, args: unknown): boolean =>
  remembered.some((rule) => rule.tool === tool && JSON.stringify(rule.when['']?.equals) === JSON.stringify(args));
ctx.on('tools/pre-execute', (exec) => {
  if (isRemembered(exec.name, exec.arguments)) return { kind: 'allow' };
  const reason = reasons.get(exec.callId);
  return { kind: 'ask', ...(reason === undefined ? {} : { reason }) };
});
if (scenario.rules === true) {
  const explain = (call: { toolName: string; arguments: unknown }) => ({ decision: isRemembered(call.toolName, call.arguments) ? 'allow' : 'ask', rememberable: true });
  (ctx.provide as unknown as (name: string, service: object) => void)('rules', { explain });
  ctx.on('approval/decided', (_request, outcome) => {
    if (outcome.kind === 'allowed-always') remembered.push(outcome.rule as never);
  });
}

const outcomes: { id: string; outcome: unknown; afterMs: number }[] = [];
let began = 0;
ctx.on('approval/asked', () => {
  began = performance.now();
});
ctx.on('approval/decided', ({ callId }, outcome) => outcomes.push({ id: callId, outcome, afterMs: performance.now() - began }));

const decisions: Record<string, Report['decisions'][string]> = {};
async function decide(call: AskedCall, index: number): Promise<void> {
  const callId = call.callId ?? `c${index + 1}`;
  if (call.reason !== undefined) reasons.set(callId, call.reason);
  const where: Context = call.scope === undefined ? ctx : ctx.scope(call.scope);
  const result = await where.tools.execute({ name: call.tool, arguments: call.args, callId });
  decisions[callId] = result.isError ? { decision: 'deny', code: result.error.info.code, message: result.error.message } : { decision: 'allow' };
}

// A program that would run on: nothing but its own end ends it.
const alive = setInterval(() => undefined, 60_000);
const told = new Promise<void>((resolve) => {
  process.once('SIGUSR2', () => {
    resolve();
  });
});
process.on('unhandledRejection', (error) => unhandled.push(String(error)));
process.on('uncaughtException', (error) => unhandled.push(String(error)));
const before = process.eventNames().map((event) => [String(event), process.listenerCount(event)] as const);
process.stdout.write('READY\r\n');
if (scenario.waits === true) await told;
if (scenario.unmounts === true) void told.then(() => answerer.dispose());
if (scenario.concurrent === true) await Promise.all(scenario.ask.map(decide));
else for (const [index, call] of scenario.ask.entries()) await decide(call, index);
await ctx.dispose();
clearInterval(alive);
// A turn for whatever fails late.
await new Promise((resolve) => setImmediate(resolve));

const left = Object.fromEntries(before.map(([event, count]) => [event, process.listenerCount(event) - count]).filter(([, count]) => count !== 0));
const report: Report = {
  decisions,
  outcomes,
  bodyArguments,
  isRaw: process.stdin.isTTY && process.stdin.isRaw,
  listeners: { ...left, stdin: process.stdin.listenerCount('data') + process.stdin.listenerCount('keypress'), stdout: process.stdout.listenerCount('resize') },
  bytesRead: (process.stdin as unknown as { bytesRead?: number }).bytesRead ?? 0,
  unhandled,
};
const path = process.env['REPORT'] as string;
writeFileSync(`${path}.part`, JSON.stringify(report));
renameSync(`${path}.part`, path);
try {
  process.stdout.write('\r\nOVER\r\n');
} catch {
  // The terminal is gone.
}
