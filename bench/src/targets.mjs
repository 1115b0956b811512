// What we promise, as ratios within one run. The gate is looser than the target, because CI machines are noisy.
import { ratio } from './stats.mjs';

const over = (workload, a, b) => (samples) => {
  const all = samples[workload];
  return all?.[a] === undefined || all[b] === undefined ? undefined : ratio(all[a], all[b]);
};

/** `max` targets must stay below, `min` targets above; `gate` is the bound of `--gate`. */
export const targets = [
  { title: 'small call, over the floor', max: 1.5, gate: 2, value: over('small', 'sluice', 'floor') },
  { title: 'three listeners on each hook, over the floor', max: 3, gate: 4, value: over('listeners', 'sluice', 'floor') },
  { title: '10,000 registered tools, over 1', max: 1.1, gate: 1.3, value: over('tools', 'sluice/10000', 'sluice/1') },
  { title: '1,000 scopes, over 1', max: 1.1, gate: 1.3, value: over('scopes', 'sluice/1000', 'sluice/1') },
  { title: 'small call, dsh-tools over Sluice', min: 50, gate: 35, value: over('small', 'dsh', 'sluice') },
  { title: '10,000 rows, dsh-tools over Sluice', min: 20, gate: 14, value: over('rows', 'dsh', 'sluice') },
  { title: 'small call, MCP SDK over Sluice (it checks arguments and results, too)', min: 1, gate: 1, value: over('small', 'mcp', 'sluice') },
];

/** Each measured target with its verdict: `met`, `missed`, or `FAILED` beyond the gate. */
export function judge(samples) {
  return targets.flatMap((target) => {
    const value = target.value(samples);
    if (value === undefined) return [];
    const within = (bound) => (target.max === undefined ? value >= bound : value <= bound);
    const verdict = !within(target.gate) ? 'FAILED' : within(target.max ?? target.min) ? 'met' : 'missed';
    return [{ title: target.title, value, target: target.max ?? target.min, side: target.max === undefined ? '>=' : '<=', gate: target.gate, verdict }];
  });
}
