import type { JsonPrimitive, JsonValue } from '@sluice/core-schema';

/** A place in a file. Lines and columns count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface Node {
  /** Where the value begins. */
  readonly at: Position;
  /** Where its key stands, for the value of a map. */
  readonly keyAt?: Position;
}

export interface ScalarTree extends Node {
  readonly kind: 'scalar';
  readonly value: JsonPrimitive;
  /** The text as it was written, where variables were filled in: what messages show in place of the value. */
  readonly template?: string;
}

export interface ListTree extends Node {
  readonly kind: 'list';
  readonly items: readonly Tree[];
}

export interface MapTree extends Node {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, Tree>;
}

/** JSON data of a deployment file, each value with its place. Merging keeps places, so one tree may come from several files. */
export type Tree = ScalarTree | ListTree | MapTree;

export type Step = string | number;

/** The data alone. */
export function toData(tree: Tree): JsonValue {
  switch (tree.kind) {
    case 'scalar':
      return tree.value;
    case 'list':
      return tree.items.map(toData);
    case 'map': {
      const data: Record<string, JsonValue> = {};
      // A key may be called __proto__.
      for (const [key, value] of tree.entries) Object.defineProperty(data, key, { value: toData(value), enumerable: true, configurable: true, writable: true });
      return data;
    }
  }
}

/** The value at these steps, or the nearest one around it that there is. */
export function nearest(tree: Tree, steps: readonly Step[]): Tree {
  let here = tree;
  for (const step of steps) {
    const next = childOf(here, step);
    if (next === undefined) return here;
    here = next;
  }
  return here;
}

function childOf(tree: Tree, step: Step): Tree | undefined {
  if (tree.kind === 'list') return typeof step === 'number' ? tree.items[step] : undefined;
  return tree.kind === 'map' ? tree.entries.get(String(step)) : undefined;
}

/** What a value is, in words for a message. */
export function describeTree(tree: Tree): string {
  if (tree.kind === 'list') return tree.items.length === 0 ? 'an empty list' : `a list of ${tree.items.length}`;
  if (tree.kind === 'map') return tree.entries.size === 0 ? 'an empty map' : `a map with ${[...tree.entries.keys()].slice(0, 3).map((key) => JSON.stringify(key)).join(', ')}`;
  if (tree.value === null) return 'nothing (null)';
  const text = JSON.stringify(tree.value);
  return `${typeof tree.value === 'string' ? 'the text' : `the ${typeof tree.value}`} ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`;
}
