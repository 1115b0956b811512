// Takes the cases of one workload through their rounds, each in its own process, one at a time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));

/**
 * Starts a worker and waits until it is warm.
 * @returns {Promise<{ child?: import('node:child_process').ChildProcess, error?: string }>} neither when there is no such case
 */
async function start(workload, name) {
  // An idle V8 tidies up after some seconds, and what it throws away would be charged to the next batch.
  const child = fork(worker, [workload.id, name], { execArgv: ['--no-memory-reducer'], stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  const [answer] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])]);
  if (answer === undefined) return { error: errors.split('\n').find((line) => /^\w*Error/.test(line)) ?? errors.trim() };
  return answer.absent ? {} : { child };
}

/**
 * Figures of one round belong together: they were taken one right after the other.
 * @returns {Promise<{ cpu: Record<string, number[]>, wall: Record<string, number[]>, failed: string[] }>} nanoseconds per
 * call by case; `failed` names contenders that could not run
 */
export async function runWorkload(workload, contenders, { rounds, say }) {
  const turns = [];
  const failed = [];
  try {
    for (const { name: contender, title } of contenders) {
      for (const name of workload.cases(contender)) {
        const { child, error } = await start(workload, name);
        if (child !== undefined) turns.push({ name, child });
        if (error === undefined) continue;
        say(`${title} sits out: ${error}`);
        failed.push(contender);
      }
    }
    const cpu = Object.fromEntries(turns.map(({ name }) => [name, []]));
    const wall = structuredClone(cpu);
    for (let round = 0; round < (workload.rounds ?? rounds); round += 1) {
      for (let i = 0; i < turns.length; i += 1) {
        // Another one starts each time: nobody always runs after the same neighbour.
        const { name, child } = turns[(i + round) % turns.length];
        child.send('time');
        const [figures] = await once(child, 'message');
        cpu[name].push(figures.cpu);
        wall[name].push(figures.wall);
      }
    }
    return { cpu, wall, failed };
  } finally {
    for (const { child } of turns) child.kill();
  }
}
