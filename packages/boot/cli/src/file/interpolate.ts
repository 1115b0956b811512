import type { Problem } from './problem.ts';
import type { Step, Tree } from './tree.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What may stand at some place of a config: see `configPlaceAt` of core-schema. */
export type PlaceOf = (steps: readonly Step[]) => 'text' | 'open' | 'other';

/** `$${` for a literal `${`; `${NAME}`; `${NAME:-default}`, where the default is taken as it is, up to the first `}`. */
const VARIABLE = /\$\$\{|\$\{([^}]*)\}?/g;
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/**
 * Fills environment variables into the texts of a config: only values, never keys, and only where the config's schema says
 * that text is expected. Elsewhere a text stays as it is, so that the complaint about it shows what was written.
 * What a variable holds is not looked at again.
 */
export function interpolate(tree: Tree, variables: Variables, placeOf: PlaceOf): { readonly tree: Tree; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const visit = (node: Tree, steps: readonly Step[]): Tree => {
    if (node.kind === 'list') return { ...node, items: node.items.map((item, index) => visit(item, [...steps, index])) };
    if (node.kind === 'map') return { ...node, entries: new Map([...node.entries].map(([key, value]) => [key, visit(value, [...steps, key])])) };
    if (typeof node.value !== 'string' || !node.value.includes('${') || placeOf(steps) !== 'text') return node;
    const filled = fill(node.value, variables);
    problems.push(...filled.problems.map((problem) => ({ at: node.at, ...problem })));
    return { ...node, value: filled.text, ...(filled.isFilled ? { template: node.value } : {}) };
  };
  return { tree: visit(tree, []), problems };
}

/** One text. `isFilled` tells whether anything in it came from a variable. */
export function fill(text: string, variables: Variables): { readonly text: string; readonly isFilled: boolean; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  let isFilled = false;
  const filled = text.replaceAll(VARIABLE, (whole, inside: string | undefined) => {
    if (inside === undefined) return '${';
    const [, name, fallback] = NAME.exec(inside) ?? [];
    if (!whole.endsWith('}') || name === undefined) {
      problems.push({
        message: `${JSON.stringify(whole)} is no variable`,
        remedy: 'Write ${NAME} or ${NAME:-default}, with a name of letters, digits and _; write $${ for a literal ${.',
      });
      return whole;
    }
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    // As in a shell: `:-` also stands in for a variable that is empty.
    const chosen = fallback !== undefined && (value === undefined || value === '') ? fallback : value;
    if (chosen === undefined) problems.push({ message: `the environment variable ${name} is not set`, remedy: `Set ${name}, or give a default: \${${name}:-default}.` });
    isFilled = true;
    return chosen ?? '';
  });
  return { text: filled, isFilled, problems };
}
