import { readFileSync } from 'node:fs';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node as YamlNode, type YAMLError } from 'yaml';
import type { Problem } from './problem.ts';
import { shownPath } from './problem.ts';
import type { MapTree, Position, Tree } from './tree.ts';

export interface ReadFile {
  readonly text: string;
  /** Undefined when it could not be read; then there are problems. */
  readonly tree: Tree | undefined;
  readonly problems: readonly Problem[];
}

/** Values in one file, aliases written out. A small file can name a few anchors and mean millions. */
const MAX_NODES = 100_000;

/** Reads a file of YAML or JSON, which is YAML too. Never throws. */
export function readFile(file: string): ReadFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    return { text: '', tree: undefined, problems: [unreadable(file, cause)] };
  }
  return { text, ...readText(text, file) };
}

function unreadable(file: string, cause: unknown): Problem {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return { message: `there is no file ${shownPath(file)}`, remedy: 'Write one with "sluice init", or name another with --file <path>.' };
  if (code === 'EISDIR') return { message: `${shownPath(file)} is a directory`, remedy: 'Name the file in it, such as sluice.yml.' };
  return { message: `${shownPath(file)} cannot be read: ${message}`, cause };
}

/** The same for text that somebody has. */
export function readText(text: string, file: string): Omit<ReadFile, 'text'> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: false });
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  if (document.errors.length > 0) return { tree: undefined, problems: firstOf(document.errors).map((error) => problemOf(error, text, position)) };
  const conversion = new Conversion(document, position);
  const tree = document.contents === null ? empty(position(0)) : conversion.tree(document.contents);
  return conversion.problems.length > 0 ? { tree: undefined, problems: conversion.problems } : { tree, problems: [] };
}

/** What comes after the first is mostly what comes of it. */
function firstOf(errors: readonly YAMLError[]): readonly YAMLError[] {
  return errors.slice(0, 1);
}

function empty(at: Position): MapTree {
  return { kind: 'map', at, entries: new Map() };
}

function problemOf({ code, message, pos }: YAMLError, text: string, position: (offset: number) => Position): Problem {
  const at = position(pos[0]);
  const first = message.split('\n')[0] ?? message;
  switch (code) {
    case 'BAD_SCALAR_START': {
      const word = /^[^\s,\]}#]*/.exec(text.slice(pos[0]))?.[0] ?? '';
      return { at, message: `in YAML no value begins with ${JSON.stringify(text[pos[0]] ?? '')} unless it is quoted`, remedy: `Put it in quotes: "${word}".` };
    }
    case 'TAB_AS_INDENT':
      return { at, message: 'this line is indented with a tab, which YAML does not allow', remedy: 'Indent with spaces.' };
    case 'DUPLICATE_KEY':
      return { at, message: `the key ${JSON.stringify(/^[^\s:]+/.exec(text.slice(pos[0]))?.[0] ?? '')} is here twice in one map`, remedy: 'Keep one of the two, or put their contents together.' };
    case 'MULTIPLE_DOCS':
      return { at, message: 'a second document begins here ("---")', remedy: 'A deployment is one document; use "include" and "environments" to split it.' };
    case 'BAD_ALIAS':
      return { at, message: first, remedy: 'An alias (*name) stands after its anchor (&name). A text that begins with * has to be quoted.' };
    case 'BAD_INDENT':
    case 'MISSING_CHAR': {
      const missing = /end with a ([\]}])/.exec(first)?.[1];
      if (missing !== undefined) return { at, message: `a "${missing}" is missing: what was opened before this place is not closed`, remedy: 'Close every bracket, in the order in which they were opened.' };
      return { at, message: lower(first), remedy: 'Check the indentation of this line and of the one before, and that every bracket and quote is closed.' };
    }
    case 'UNEXPECTED_TOKEN':
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return { at, message: lower(first), remedy: 'Check the indentation of this line and of the one before, and that every bracket and quote is closed.' };
    default:
      return { at, message: lower(first) };
  }
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Turns nodes of a document into a tree. */
class Conversion {
  readonly problems: Problem[] = [];
  readonly #document: Document;
  readonly #position: (offset: number) => Position;
  readonly #open = new Set<YamlNode>();
  #nodes = 0;

  constructor(document: Document, position: (offset: number) => Position) {
    this.#document = document;
    this.#position = position;
  }

  tree(node: YamlNode, keyAt?: Position): Tree {
    const at = this.#position(node.range?.[0] ?? 0);
    const place = keyAt === undefined ? { at } : { at, keyAt };
    if (++this.#nodes > MAX_NODES) {
      if (this.#nodes === MAX_NODES + 1) this.problems.push({ at, message: `more than ${MAX_NODES.toLocaleString('en')} values`, remedy: 'Aliases count as often as they are used.' });
      return { ...empty(at), ...place };
    }
    if (isAlias(node)) return this.#alias(node.resolve(this.#document), node.source, place);
    if (this.#open.has(node)) return this.#refuse(place, 'this alias stands for something that contains it');
    this.#open.add(node);
    try {
      if (isMap(node)) return { kind: 'map', ...place, entries: this.#entries(node.items as readonly Pair[]) };
      if (isSeq(node)) return { kind: 'list', ...place, items: node.items.map((item) => this.tree(item as YamlNode)) };
      return this.#scalar(isScalar(node) ? node.value : undefined, place);
    } finally {
      this.#open.delete(node);
    }
  }

  /** An alias is where it is used: what is wrong with it is to be changed there as well as at its anchor. */
  #alias(target: YamlNode | undefined, name: string, place: { at: Position; keyAt?: Position }): Tree {
    return target === undefined ? this.#refuse(place, `there is no anchor &${name} above`) : { ...this.tree(target), ...place };
  }

  #entries(pairs: readonly Pair[]): Map<string, Tree> {
    const entries = new Map<string, Tree>();
    const merged: Tree[] = [];
    for (const { key, value } of pairs) {
      const keyAt = this.#position(key.range?.[0] ?? 0);
      const name = isScalar(key) ? String(key.value) : undefined;
      const tree = value === null ? ({ kind: 'scalar', value: null, at: keyAt, keyAt } as const) : this.tree(value, keyAt);
      if (name === undefined) this.#refuse({ at: keyAt }, 'a key has to be a single word or text');
      else if (name === '<<') merged.push(...(tree.kind === 'list' ? tree.items : [tree]));
      else entries.set(name, tree);
    }
    for (const each of merged) {
      if (each.kind === 'map') for (const [name, tree] of each.entries) if (!entries.has(name)) entries.set(name, tree);
    }
    return entries;
  }

  #scalar(value: unknown, place: { at: Position; keyAt?: Position }): Tree {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return { kind: 'scalar', value, ...place };
    if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'scalar', value: value === 0 ? 0 : value, ...place };
    return this.#refuse(place, `${typeof value === 'number' ? String(value) : 'this value'} is nothing that JSON knows`);
  }

  #refuse(place: { at: Position }, message: string): Tree {
    this.problems.push({ at: place.at, message });
    return { kind: 'scalar', value: null, ...place };
  }
}

interface Pair {
  readonly key: YamlNode;
  readonly value: YamlNode | null;
}
