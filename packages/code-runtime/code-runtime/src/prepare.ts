import { parse, type Program } from 'acorn';
import { SourceMap } from 'node:module';
import { isBroken, stripper } from './stripper.ts';

/** A position in the program as its author wrote it: line from 1, column from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface PreparedProgram {
  /** A script whose value is an async function without parameters, strict, and without `import()`. */
  readonly code: string;
  /** Where in the program a position of the script is. */
  locate(position: Position): Position;
}

/** A program that cannot run. The message is for whoever wrote it, position and all. */
export class ProgramError extends Error {}

/** On the program's first line, so that line numbers stay; `locate` takes its length off the columns of that line. */
const PREFIX = `'use strict';(async function(){`;
const SUFFIX = '\n})';
const FILE = 'program.ts';
/** Parsing is work of the host's thread, so there is an end to it. */
const MAX_CHARS = 1_000_000;

/** Loads what `prepare` needs, which it would otherwise do at the first program. */
export function loadPreparation(): void {
  stripper();
}

/**
 * Makes a script of a TypeScript program, the body of an async function: types are taken out, and nothing else moves.
 * `import()` becomes a call of the realm's `Import`, which refuses: an engine's own answer to `import()` may be an object of the
 * host. Code from strings does not exist in a realm, so the text here is all there is.
 *
 * @throws ProgramError when the text is no such program
 */
export function prepare(program: string): PreparedProgram {
  if (program.length > MAX_CHARS) throw new ProgramError(`SyntaxError: the program is longer than ${MAX_CHARS} characters`);
  const stripped = stripTypes(program);
  const script = PREFIX + bodyOf(stripped.code) + SUFFIX;
  const locate = ({ line, column }: Position): Position => stripped.locate({ line, column: line === 1 ? Math.max(1, column - PREFIX.length) : column });
  return { code: withoutImports(script, locate), locate };
}

/** swc rejects `return` at the top level, so it sees the program as a function too. */
const SWC_PREFIX = 'async()=>{';
const SWC_SUFFIX = '\n}';

function bodyOf(code: string): string {
  return code.slice(code.indexOf('{') + 1, code.lastIndexOf('}')).replace(/\n$/, '');
}

interface Stripped {
  readonly code: string;
  locate(position: Position): Position;
}

function stripTypes(program: string): Stripped {
  const source = SWC_PREFIX + program + SWC_SUFFIX;
  // A statement that begins with `;` may lose it to a type above it, and then belong to the line before: seen in every stripper.
  if (/^\s*;/m.test(program)) return transformed(source);
  try {
    return { code: stripper().transformSync(source, { mode: 'strip-only', module: false, filename: FILE }).code, locate: (position) => position };
  } catch (thrown) {
    // Enums and parameter properties are more than types.
    if (isObject(thrown) && thrown['code'] === 'UnsupportedSyntax') return transformed(source);
    throw syntaxError(thrown);
  }
}

function transformed(source: string): Stripped {
  try {
    const { code, map } = stripper().transformSync(source, {
      mode: 'transform',
      module: false,
      filename: FILE,
      sourceMap: true,
      transform: { verbatimModuleSyntax: true },
    });
    const offset = code.indexOf('{') + 1;
    const entries = map === undefined ? undefined : new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
    return {
      code,
      locate({ line, column }) {
        const entry = entries?.findEntry(line - 1, line === 1 ? column - 1 + offset : column - 1);
        if (entry === undefined || !('originalLine' in entry)) return { line, column };
        return { line: entry.originalLine + 1, column: columnOf(entry.originalLine + 1, entry.originalColumn) };
      },
    };
  } catch (thrown) {
    throw syntaxError(thrown);
  }
}

/** swc counts columns from 0, and its prefix along with the first line. */
function columnOf(line: number, column: number): number {
  return line === 1 ? Math.max(1, column - SWC_PREFIX.length + 1) : column + 1;
}

/** swc throws plain objects. */
function syntaxError(thrown: unknown): ProgramError {
  if (isBroken(thrown)) return new ProgramError('SyntaxError: the program is nested too deeply');
  if (!isObject(thrown) || typeof thrown['message'] !== 'string') return new ProgramError('SyntaxError: the program cannot be parsed');
  const { message, startLine, startColumn } = thrown;
  const at = typeof startLine === 'number' && typeof startColumn === 'number' ? ` (${FILE}:${startLine}:${columnOf(startLine, startColumn)})` : '';
  return new ProgramError(`SyntaxError: ${message}${at}`);
}

function withoutImports(script: string, locate: (position: Position) => Position): string {
  let tree: Program;
  try {
    tree = parse(script, { ecmaVersion: 'latest', sourceType: 'script' });
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new ProgramError('SyntaxError: the program is nested too deeply');
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const { loc } = thrown as SyntaxError & { loc?: { line: number; column: number } };
    const message = thrown.message.replace(/ \(\d+:\d+\)$/, '');
    if (loc === undefined) throw new ProgramError(`SyntaxError: ${message}`);
    const { line, column } = locate({ line: loc.line, column: loc.column + 1 });
    throw new ProgramError(`SyntaxError: ${message} (${FILE}:${line}:${column})`);
  }
  const [, main, ...more] = tree.body;
  if (main?.type !== 'ExpressionStatement' || main.expression.type !== 'FunctionExpression' || more.length > 0 || main.end !== script.length) {
    throw new ProgramError('SyntaxError: a "}" closes more than the program opened');
  }
  // As long as what it replaces, so that nothing moves.
  const pieces: string[] = [];
  let from = 0;
  for (const start of importsIn(main)) {
    pieces.push(script.slice(from, start), 'Import');
    from = start + 'import'.length;
  }
  return pieces.join('') + script.slice(from);
}

/** Where the word `import` of each `import()` begins, ascending. Iterative: a program may be nested deeply. */
function importsIn(root: object): number[] {
  const starts: number[] = [];
  const open: unknown[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isObject(node)) continue;
    if (node['type'] === 'ImportExpression') starts.push(node['start'] as number);
    for (const child of Object.values(node)) if (isObject(child)) open.push(child);
  }
  return starts.sort((a, b) => a - b);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
