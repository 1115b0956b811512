import { isDeepStrictEqual } from 'node:util';
import type { Plugin } from '@sluice/core-context';
import { configPlaceAt, isSluiceError, resolveConfig, type SchemaIssue } from '@sluice/core-schema';
import type { PluginEntry } from '../file/body.ts';
import { interpolate, type Variables } from '../file/interpolate.ts';
import type { Problem } from '../file/problem.ts';
import { nearest, toData, type Step, type Tree } from '../file/tree.ts';

/** The config of one entry, with variables filled in, or what is wrong with it. */
export function checkConfig(entry: PluginEntry, plugin: Plugin<never>, variables: Variables): { readonly config: unknown } | readonly Problem[] {
  const name = entry.use?.value ?? entry.id;
  const label = `plugin "${plugin.name}"`;
  const tree: Tree = entry.config ?? { kind: 'map', at: entry.at, entries: new Map() };
  try {
    const { tree: filled, problems } = interpolate(tree, variables, (steps) => configPlaceAt(plugin.config, steps, label));
    if (problems.length > 0) return problems.map((problem) => ({ ...problem, plugin: name }));
    const config = toData(filled);
    try {
      resolveConfig(plugin.config, config, label);
      return { config };
    } catch (error) {
      return issuesOf(error).map((issue) => ({ plugin: name, ...problemOf(issue, filled, entry), ...(issue.path === '' ? {} : { path: issue.path }) }));
    }
  } catch (error) {
    return [{ at: entry.at, plugin: name, message: messageOf(error), cause: error }];
  }
}

/** Recognised by what it has, not by its class: it may come from another copy of core-schema. */
function issuesOf(error: unknown): readonly SchemaIssue[] {
  const issues = (error as { issues?: readonly SchemaIssue[] }).issues;
  if (isSluiceError(error) && Array.isArray(issues)) return issues as readonly SchemaIssue[];
  if (isSluiceError(error) && error.message.includes('takes no config')) return [{ path: '', message: 'takes no config', expected: 'no config', received: '' }];
  throw error;
}

function problemOf(issue: SchemaIssue, tree: Tree, entry: PluginEntry): Problem {
  const steps = stepsOf(issue.path);
  const node = nearest(tree, steps);
  // A name that is wrong is pointed at itself; a value at its beginning; what is missing at the map that lacks it.
  const isName = issue.expected === 'a known property';
  const at = (isName || node !== nearest(tree, steps.slice(0, -1)) ? (isName ? node.keyAt : node.at) : entry.config === undefined ? entry.at : (node.keyAt ?? node.at)) ?? node.at;
  const [sentence, remedy] = splitAdvice(withoutSecret(withoutPath(issue), issue, node));
  const template = node.kind === 'scalar' && typeof node.value === 'string' && node.value.includes('${') ? 'Variables are filled in only where a setting takes text.' : undefined;
  const unquoted = node.kind === 'scalar' && typeof node.value === 'string' && /number|integer|boolean/.test(issue.expected) && /^(-?\d+(\.\d+)?|true|false)$/.test(node.value) ? 'Take the quotes away.' : undefined;
  const missing = issue.message.startsWith('missing required property') ? (entry.config === undefined ? 'This plugin needs settings: add "config:" with it.' : 'Add it.') : undefined;
  const advice = template ?? unquoted ?? missing ?? remedy;
  return { at, message: sentence, expected: issue.expected, ...(node.kind === 'scalar' && node.template !== undefined ? {} : { received: issue.received }), ...(advice === undefined ? {} : { remedy: advice }) };
}

/** The path is told before the sentence, so the sentence need not begin with it. */
function withoutPath({ path, message }: SchemaIssue): string {
  if (message.startsWith('missing required property')) return 'is missing, and has to be there';
  const subject = path === '' ? 'value' : path.includes('"') ? path : `"${path}"`;
  return message.startsWith(`${subject} `) ? message.slice(subject.length + 1) : message;
}

/** What came from a variable may be a secret: it is told by the name of the variable. */
function withoutSecret(message: string, { received }: SchemaIssue, node: Tree): string {
  return node.kind === 'scalar' && node.template !== undefined ? message.replaceAll(received, () => `what ${node.template ?? ''} stands for`) : message;
}

function splitAdvice(message: string): [sentence: string, remedy?: string] {
  const at = message.lastIndexOf('; ');
  if (at < 0) return [message];
  const advice = message.slice(at + 2);
  return [message.slice(0, at), `${advice.charAt(0).toUpperCase()}${advice.slice(1)}${/[.?…]$/.test(advice) ? '' : '.'}`];
}

const STEP = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g;

/** The steps of a path as core-schema writes it: `a.b[2]["c.d"]`. */
export function stepsOf(path: string): Step[] {
  return [...path.matchAll(STEP)].map(([, index, quoted, name]) => (index !== undefined ? Number(index) : quoted !== undefined ? (JSON.parse(quoted) as string) : (name as string)));
}

/** Whether two configs as files give them are the same. */
export function isSameConfig(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
