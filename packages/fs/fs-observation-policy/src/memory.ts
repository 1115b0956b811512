import type { FsObserved, FsVersion } from '@sluice/fs';
import { fingerprintOf, isSame, ofText, type Fingerprint } from './content.ts';
import { covers, shifted, union, type Seen } from './ranges.ts';

/** What a scope knows of one file. */
export interface Known {
  version: FsVersion;
  seen: Seen;
  /** Of that version; undefined when it could not be had. */
  fingerprint: Promise<Fingerprint | undefined> | Fingerprint | undefined;
}

/** Reads a file's fingerprint, if it is still that version. Never rejects. */
export type Learn = (path: string, version: FsVersion) => Promise<Fingerprint | undefined>;

/** What one scope has been shown, and has done. The files that were longest not asked for are forgotten first. */
export class Memory {
  readonly #files = new Map<string, Known>();
  readonly #maxFiles: number;
  readonly #maxBytes: number;
  readonly #learn: Learn;
  /** A move is told as a removal first. */
  #removed: { key: string; known: Known } | undefined;

  constructor(maxFiles: number, maxBytes: number, learn: Learn) {
    this.#maxFiles = maxFiles;
    this.#maxBytes = maxBytes;
    this.#learn = learn;
  }

  get size(): number {
    return this.#files.size;
  }

  get(key: string): Known | undefined {
    const known = this.#files.get(key);
    if (known !== undefined) this.#keep(key, known);
    return known;
  }

  observe(observed: FsObserved): void {
    const { how, key, path, version } = observed;
    const before = this.#files.get(key);
    if (version === undefined || how === 'remove') {
      if (before !== undefined) this.#removed = { key, known: before };
      this.#files.delete(key);
    } else if (how === 'read') this.#read(observed, version, before);
    else if (how === 'write') this.#keep(key, { version, seen: 'all', fingerprint: observed.content === undefined ? this.#learn(path, version) : this.#of(observed.content, fingerprintOf) });
    else if (how === 'edit') this.#edited(observed, version, before);
    else {
      const from = this.#removed;
      this.#removed = undefined;
      if (from !== undefined && from.key === observed.from?.key) this.#keep(key, { ...from.known, version });
      else this.#files.delete(key);
    }
  }

  #read({ key, path, seen = [], content }: FsObserved, version: FsVersion, before: Known | undefined): void {
    const fingerprint = content === undefined ? undefined : this.#of(content, (whole) => (typeof whole === 'string' ? ofText(whole) : fingerprintOf(whole)));
    const shown = content?.length === 0 ? 'all' : union(seen, []);
    if (shown.length === 0) return;
    const isKnown = before !== undefined && (before.version === version || isSameContent(before, fingerprint));
    // Of another content, nothing that was seen counts any more.
    this.#keep(key, { version, seen: isKnown ? union(before.seen, shown) : shown, fingerprint: fingerprint ?? (isKnown && before.version === version ? before.fingerprint : this.#learn(path, version)) });
  }

  #edited({ key, path, spans = [], before: from }: FsObserved, version: FsVersion, before: Known | undefined): void {
    const seen = shifted(before !== undefined && before.version === from ? before.seen : [], spans);
    this.#keep(key, { version, seen, fingerprint: this.#learn(path, version) });
  }

  /** Of a content that is at hand. Nothing of one that is too large to be compared later. */
  #of(content: string | Uint8Array, make: (content: string | Uint8Array) => Fingerprint): Fingerprint | undefined {
    return content.length > this.#maxBytes ? undefined : make(content);
  }

  #keep(key: string, known: Known): void {
    this.#files.delete(key);
    this.#files.set(key, known);
    const { fingerprint } = known;
    // A read that follows can compare with what is there, not with what is awaited.
    if (fingerprint instanceof Promise) void fingerprint.then((learnt) => { known.fingerprint = learnt; });
    if (this.#files.size <= this.#maxFiles) return;
    const [oldest] = this.#files.keys();
    this.#files.delete(oldest as string);
  }
}

function isSameContent({ fingerprint }: Known, other: Fingerprint | undefined): boolean {
  return fingerprint !== undefined && other !== undefined && !(fingerprint instanceof Promise) && isSame(fingerprint, other);
}

/** Whether a scope that knows this much has seen all of the file. */
export function hasSeenAll(seen: Seen, fingerprint: Fingerprint | undefined): boolean {
  return seen === 'all' || (fingerprint !== undefined && covers(seen, 0, fingerprint.length));
}
