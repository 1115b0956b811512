// Turns what was measured into tables, or into one JSON document.
import { median, ratio } from './stats.mjs';
import { duration, table, times } from './table.mjs';
import { workloads } from './workloads/calls.mjs';

/**
 * @typedef {object} Measured
 * @property {string} machine
 * @property {{ name: string, title: string, version?: string, checks: string }[]} contenders
 * @property {Record<string, Record<string, number[]>>} samples nanoseconds of work by workload and case, one figure per round
 * @property {Record<string, Record<string, number[]>>} walls the same as time on the clock, for what is measured by call
 * @property {Record<string, { packages: number, bytes: number }>} [sizes]
 * @property {{ title: string, value: number, side: string, target: number, gate: number, verdict: string }[]} verdicts
 */

const label = ({ title, version }) => (version === undefined ? title : `${title} ${version}`);
const section = (title, header, rows) => `### ${title}\n\n${table(header, rows)}`;
const against = (values, others) => (others === undefined ? '' : times(ratio(values, others)));

/** Contenders side by side. */
function comparison(title, contenders, measured, walls) {
  const rows = contenders.flatMap((one) => {
    const values = measured[one.name];
    if (values === undefined) return [];
    const clock = walls === undefined ? [] : [duration(median(walls[one.name]))];
    return [[label(one), one.checks, duration(median(values)), ...clock, against(values, measured.floor), against(values, measured.sluice)]];
  });
  const figures = walls === undefined ? ['time'] : ['work', 'time'];
  return section(title, ['', 'checks', ...figures, 'to the floor', 'to Sluice'], rows);
}

/** Each contender with one and with many. */
function growth({ title, many }, contenders, measured) {
  const rows = contenders.flatMap((one) => {
    const [few, more] = [measured[`${one.name}/1`], measured[`${one.name}/${many}`]];
    if (few === undefined) return [];
    return [[label(one), duration(median(few)), duration(median(more)), times(ratio(more, few))]];
  });
  return section(title, ['', 'with 1', `with ${many.toLocaleString('en')}`, 'ratio'], rows);
}

/** @param {Measured} measured */
export function* tables({ machine, contenders, samples, walls, sizes, verdicts }) {
  yield `${machine}. Medians of interleaved rounds; ratios are of work (CPU time), within each round.`;
  for (const workload of workloads.filter(({ id }) => samples[id] !== undefined)) {
    const { id, title, many } = workload;
    yield many === undefined ? comparison(title, contenders, samples[id], walls[id]) : growth(workload, contenders, samples[id]);
  }
  if (samples.import !== undefined) {
    yield comparison('Cold import, in a fresh process', contenders, samples.import);
    yield comparison('Cold import and first call', contenders, samples.first);
  }
  if (sizes !== undefined) {
    const rows = contenders
      .filter(({ name }) => sizes[name] !== undefined)
      .map((one) => [label(one), sizes[one.name].packages, `${(sizes[one.name].bytes / 2 ** 20).toFixed(1)} MiB`]);
    yield section('Installed size', ['', 'packages', 'on disk'], rows);
  }
  if (verdicts.length > 0) {
    const rows = verdicts.map((v) => [v.title, times(v.value), `${v.side} ${v.target}x`, `${v.side} ${v.gate}x`, v.verdict]);
    yield section('Targets', ['', 'measured', 'target', 'gate', 'verdict'], rows);
  }
}

/** @param {Measured} measured */
export function json({ machine, contenders, samples, walls, sizes, verdicts }) {
  const mapValues = (object, change) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
  return {
    machine,
    contenders: Object.fromEntries(contenders.map((one) => [one.name, label(one)])),
    medianNs: mapValues(samples, (all) => mapValues(all, median)),
    samplesNs: samples,
    wallNs: walls,
    sizes,
    targets: verdicts,
  };
}
