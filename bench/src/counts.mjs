// What one call makes, counted instead of timed: promises, abort controllers, timers, listeners on the caller's signal.
// The same on every machine, so it is compared exactly with ../counts.json. Needs a process of its own: counting
// promises slows every one of them. `--write` records the figures of this Node.js.
import { createHook } from 'node:async_hooks';
import { readFileSync, writeFileSync } from 'node:fs';
import { load } from './contenders/sluice.mjs';
import { table } from './table.mjs';

const file = new URL('../counts.json', import.meta.url);
const counted = { promises: 0, controllers: 0, timers: 0, listenersAdded: 0, listenersLeft: 0 };

createHook({
  init(_id, type) {
    if (type === 'PROMISE') counted.promises += 1;
    if (type === 'Timeout') counted.timers += 1;
  },
}).enable();
globalThis.AbortController = class extends AbortController {
  constructor() {
    super();
    counted.controllers += 1;
  }
};
for (const [method, change] of [['addEventListener', 1], ['removeEventListener', -1]]) {
  const original = AbortSignal.prototype[method];
  AbortSignal.prototype[method] = function count(...args) {
    if (change > 0) counted.listenersAdded += 1;
    counted.listenersLeft += change;
    return original.apply(this, args);
  };
}

async function count({ call, read }) {
  // Whatever is made on first use is there after a few calls.
  for (let i = 0; i < 5; i += 1) await call();
  for (const key of Object.keys(counted)) counted[key] = 0;
  const result = await call();
  const seen = { ...counted };
  read(result);
  return seen;
}

const cases = await load();
const made = {
  'small call': await cases.small(),
  'with a caller signal': await cases.signal(),
  'three listeners on each hook': await cases.listeners(3),
};
if (cases.policies !== undefined) made['all policies loaded'] = await cases.policies();
if (cases.binding !== undefined) made['all policies binding'] = await cases.binding();
if (cases.timeout !== undefined) made['under the deadline plugin'] = await cases.timeout();

const seen = {};
for (const [title, one] of Object.entries(made)) {
  seen[title] = await count(one);
  await one.close();
}

const recorded = JSON.parse(readFileSync(file, 'utf8'));
const major = process.versions.node.split('.')[0];
const columns = Object.keys(counted);
console.log(`### Made by one call, Node.js ${major}\n\n${table(['', ...columns], Object.entries(seen).map(([title, row]) => [title, ...columns.map((key) => row[key])]))}`);
if (process.argv.includes('--write')) {
  writeFileSync(file, `${JSON.stringify({ ...recorded, [major]: seen }, null, 2)}\n`);
} else {
  const expected = recorded[major] ?? {};
  const off = Object.entries(expected).filter(([title, row]) => columns.some((key) => row[key] !== seen[title]?.[key]));
  for (const [title, row] of off) console.log(`${title}: expected ${JSON.stringify(row)}; when the change is meant, run it with --write`);
  if (off.length > 0) process.exitCode = 1;
}
