// What we promise, as ratios within one run. The gate is looser than the target, because CI machines are noisy.
import { ratio } from './stats.mjs';

/** Work of `above` over work of `below`: it must stay under `max`, or over `min`. `gate` is the bound of `--gate`. */
export const targets = [
  { title: 'small call, over the floor', workload: 'small', above: 'sluice', below: 'floor', max: 1.5, gate: 2 },
  { title: 'three listeners on each hook, over the floor', workload: 'listeners', above: 'sluice', below: 'floor', max: 3, gate: 5 },
  { title: 'deadlines, reminder, rules and limits loaded, over the floor', workload: 'policies', above: 'sluice', below: 'floor', max: 3, gate: 5 },
  { title: '10,000 registered tools, over 1', workload: 'tools', above: 'sluice/10000', below: 'sluice/1', max: 1.1, gate: 1.3 },
  { title: '1,000 scopes, over 1', workload: 'scopes', above: 'sluice/1000', below: 'sluice/1', max: 1.1, gate: 2 },
  { title: 'small call, dsh-tools over Sluice', workload: 'small', above: 'dsh', below: 'sluice', min: 50, gate: 35 },
  { title: '10,000 rows, dsh-tools over Sluice', workload: 'rows', above: 'dsh', below: 'sluice', min: 20, gate: 14 },
  { title: 'small call, MCP SDK over Sluice (it checks both ways, too)', workload: 'small', above: 'mcp', below: 'sluice', min: 1, gate: 1 },
];

/** The workloads that a bound exists for, among these contenders. */
export function gatedWorkloads(names) {
  const present = (name) => names.includes(name.split('/')[0]);
  return targets.filter(({ above, below }) => present(above) && present(below)).map(({ workload }) => workload);
}

/** Each measured target with its verdict: `met`, `missed`, or `FAILED` beyond the gate. */
export function judge(samples) {
  return targets.flatMap((target) => {
    const { [target.above]: above, [target.below]: below } = samples[target.workload] ?? {};
    if (above === undefined || below === undefined) return [];
    const value = ratio(above, below);
    const within = (bound) => (target.max === undefined ? value >= bound : value <= bound);
    const verdict = !within(target.gate) ? 'FAILED' : within(target.max ?? target.min) ? 'met' : 'missed';
    return [{ title: target.title, workload: target.workload, value, target: target.max ?? target.min, side: target.max === undefined ? '>=' : '<=', gate: target.gate, verdict }];
  });
}
