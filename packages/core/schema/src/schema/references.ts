import type { JsonObject, JsonValue } from '../json.ts';

/** A base for schemas without `$id`; never fetched, never shown. */
const NO_BASE = 'schema://root/';

/** The places of one schema document that a reference can name. */
export class ReferenceMap {
  private readonly resources = new Map<string, JsonObject>();
  private readonly anchors = new Map<string, JsonObject | null>();
  readonly base: string;

  constructor(root: JsonObject) {
    this.base = this.enter(root, NO_BASE) ?? NO_BASE;
    this.resources.set(NO_BASE, root);
  }

  /**
   * Notes the names that a schema gives itself.
   * @returns the base for references inside of it; undefined when two schemas claim one `$id`.
   */
  enter(node: JsonObject, base: string): string | undefined {
    let inner = base;
    const id = node['$id'];
    if (typeof id === 'string' && id.startsWith('#')) {
      this.anchor(`${base}${id}`, node);
    } else if (typeof id === 'string') {
      const url = parse(id, base);
      if (url !== undefined) {
        inner = url.document;
        const other = this.resources.get(inner);
        if (other !== undefined && other !== node) return undefined;
        this.resources.set(inner, node);
      }
    }
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = node[keyword];
      if (typeof name === 'string') this.anchor(`${inner}#${name}`, node);
    }
    return inner;
  }

  /** A name that is given twice is nobody's. */
  private anchor(uri: string, node: JsonObject): void {
    const other = this.anchors.get(uri);
    this.anchors.set(uri, other === undefined || other === node ? node : null);
  }

  /** The schema that a reference names, or why there is none. */
  resolve(reference: string, base: string): { node: JsonValue } | { problem: string } {
    const url = parse(reference, base);
    if (url === undefined) return { problem: 'is no valid reference' };
    const document = this.resources.get(url.document);
    if (document === undefined) {
      return { problem: 'refers to another document, which is never fetched; put the schema under "$defs" and refer to it there' };
    }
    if (url.fragment === '') return { node: document };
    if (url.fragment.startsWith('/')) return follow(document, url.fragment);
    const named = this.anchors.get(`${url.document}#${url.fragment}`);
    if (named === null) return { problem: 'names an anchor that exists twice' };
    return named === undefined ? { problem: 'names an anchor that does not exist' } : { node: named };
  }
}

function parse(reference: string, base: string): { document: string; fragment: string } | undefined {
  try {
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = '';
    return { document: url.href, fragment };
  } catch {
    return undefined;
  }
}

function follow(root: JsonValue, pointer: string): { node: JsonValue } | { problem: string } {
  let node = root;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) {
      return { problem: 'points to a place that does not exist' };
    }
    node = (node as Readonly<Record<string, JsonValue>>)[key] as JsonValue;
  }
  return { node };
}
