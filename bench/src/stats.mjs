export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** How many times slower `a` is than `b`: the median over the rounds, each compared with its own neighbour in time. */
export const ratio = (a, b) => median(a.map((value, round) => value / b[round]));
