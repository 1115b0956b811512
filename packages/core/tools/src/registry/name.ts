/** Names that OpenAI, Anthropic, Google and MCP clients all accept. */
const valid = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Transport of code mode; never a tool of its own. */
export const RESERVED_NAME = 'run_code';

/** @throws TypeError with a name that would do */
export function assertToolName(name: unknown): asserts name is string {
  if (typeof name !== 'string') {
    throw new TypeError(`core-tools: a tool needs a name, a string; got ${name === null ? 'null' : typeof name}`);
  }
  if (name === RESERVED_NAME) {
    throw new TypeError(`core-tools: "${RESERVED_NAME}" is reserved for code mode; choose another tool name`);
  }
  if (!valid.test(name)) {
    throw new TypeError(
      `core-tools: ${JSON.stringify(name.slice(0, 80))} is no tool name that every provider accepts ` +
        `(1 to 64 of A-Z a-z 0-9 _ -, starting with a letter or _); try ${JSON.stringify(suggestName(name))}`,
    );
  }
}

export function suggestName(name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const led = /^[A-Za-z_]/.test(ascii) ? ascii : `tool_${ascii}`;
  const suggestion = led.slice(0, 64).replace(/_+$/, '') || 'tool';
  return suggestion === RESERVED_NAME ? 'run_code_tool' : suggestion;
}

/** Most candidates looked at, so that a wrong name costs no more with 10,000 tools than with a few hundred. */
const MAX_CANDIDATES = 1_000;

/** Up to three of `names` that `requested` was probably meant to be, closest first. */
export function closestNames(requested: string, names: Iterable<string>): string[] {
  const wanted = requested.slice(0, 64).toLowerCase();
  if (wanted === '') return [];
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const near: { name: string; distance: number }[] = [];
  let looked = 0;
  for (const name of names) {
    looked += 1;
    if (looked > MAX_CANDIDATES) break;
    const candidate = name.toLowerCase();
    const part = candidate.length >= 3 && wanted.length >= 3 && (candidate.includes(wanted) || wanted.includes(candidate));
    if (!part && Math.abs(candidate.length - wanted.length) > limit) continue;
    const distance = part ? 1 : editDistance(wanted, candidate);
    if (distance <= limit) near.push({ name, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

// Levenshtein with one row. A dependency for these lines would be half of what core-tools weighs.
function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    let diagonal = row[0] as number;
    row[0] = i;
    for (let j = 1; j <= b.length; j += 1) {
      const above = row[j] as number;
      const substitution = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(substitution, above + 1, (row[j - 1] as number) + 1);
      diagonal = above;
    }
  }
  return row[b.length] as number;
}
