import { relative } from 'node:path';
import { SluiceError } from '@sluice/core-schema';
import type { Position } from './tree.ts';

/** One thing that is wrong with a deployment. */
export interface Problem {
  /** A sentence without a full stop that says what is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
  readonly at?: Position;
  /** The plugin that it is about, as the file names it. */
  readonly plugin?: string;
  /** Place inside the plugin's config, such as `rules[0].tool`; empty for the config as a whole. */
  readonly path?: string;
  readonly expected?: string;
  readonly received?: string;
  /** What was thrown, for `--debug`. */
  readonly cause?: unknown;
}

/** The texts of the files that a deployment was read from, by their absolute paths. */
export type Sources = ReadonlyMap<string, string>;

/** A deployment that cannot be composed. `message` is everything that is wrong, with the lines it is wrong in. */
export class DeploymentError extends SluiceError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], sources: Sources = new Map()) {
    const cause = problems.find((problem) => problem.cause !== undefined)?.cause;
    super('INVALID_DEPLOYMENT', problems.map((problem) => describeProblem(problem, sources)).join('\n\n'), cause === undefined ? {} : { cause });
    this.problems = problems;
  }
}

/** `file:line:column`, the file as seen from the working directory. */
export function describePosition({ file, line, column }: Position): string {
  return `${shownPath(file)}:${line}:${column}`;
}

/** A path as short as it is clear from the working directory. */
export function shownPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near === '' || near.startsWith('..') ? file : near;
}

const MAX_LINE = 100;

/** Place and sentence, the line itself with a mark below, and what to do. */
export function describeProblem(problem: Problem, sources: Sources): string {
  const { at, plugin, path, message, remedy } = problem;
  const subject = [plugin, path === undefined ? undefined : path === '' ? 'config' : path.startsWith('[') ? `config${path}` : `config.${path}`].filter((part) => part !== undefined).join(', ');
  const rows = [`${at === undefined ? '' : `${describePosition(at)}: `}${subject === '' ? '' : `${subject}: `}${message}`];
  const line = at && sources.get(at.file)?.split(/\r?\n/)[at.line - 1];
  if (at !== undefined && line !== undefined) {
    const start = Math.max(0, Math.min(at.column - 1 - 40, line.length - MAX_LINE));
    const number = String(at.line);
    rows.push(`  ${number} | ${line.slice(start, start + MAX_LINE).replaceAll('\t', ' ')}`, `  ${' '.repeat(number.length)} | ${' '.repeat(at.column - 1 - start)}^`);
  }
  if (remedy !== undefined) rows.push(`  ${remedy}`);
  return rows.join('\n');
}
