/* eslint-disable @typescript-eslint/require-await -- async although nothing waits: what is thrown has to reject */
import {
  areLinesAlike, assertPrecondition, commonHead, commonTail, decodeText, DEFAULT_MAX_TEXT_BYTES, editedBytes, encodeText, FORMAT_BYTES, formatToKeep, FsError,
  isFsError, isWithin, joined, normalPath, replacedText, throwIfCancelled, UTF8, walkTree, wholeLines, withLineEndings,
  type FsBytes, type FsChange, type FsEditOptions, type FsEntry, type FsInfo, type FsLookOptions, type FsMoveOptions, type FsOptions,
  type FsPrecondition, type FsProvider, type FsReadRangeOptions, type FsReadTextOptions, type FsRemoveOptions, type FsSpan, type FsStat,
  type FsTarget, type FsText, type FsTextFormat, type FsWalkOptions, type FsWriteOptions, type FsWritten, type ReplacedBytes,
} from '@sluice/fs';
import { versionOf, type FileNode, type Node } from './node.ts';
import { byCodeUnits, type MemoryVolume, type Place } from './volume.ts';

export interface MemoryRules {
  readonly isReadOnly: boolean;
  /** Of a normal real path. */
  readonly isProtected: (path: string) => boolean;
  /** Bytes in all files together. */
  readonly maxBytes: number;
}

/**
 * A volume as a provider. Everything between looking and changing happens in one turn of the event loop, so that nothing
 * comes between and changes of one file happen in the order they were asked for.
 */
export class MemoryProvider implements FsProvider {
  readonly info: FsInfo;
  readonly #volume: MemoryVolume;
  readonly #rules: MemoryRules;

  constructor(volume: MemoryVolume, rules: MemoryRules) {
    this.#volume = volume;
    this.#rules = rules;
    const root = Object.freeze({ name: '', path: volume.rootPath, isReadOnly: rules.isReadOnly });
    this.info = Object.freeze({ provider: 'fs-memory', roots: Object.freeze([root]), isCaseSensitive: true });
  }

  async resolve(path: string, { followLink = true }: FsLookOptions = {}): Promise<FsTarget> {
    const { at, normal } = this.#at(path, 'find', followLink);
    return Object.freeze({ path: normal, key: at.real });
  }

  async stat(path: string, { followLink = true }: FsLookOptions = {}): Promise<FsStat | undefined> {
    const normal = this.#normal(path, 'look at');
    const own = this.#volume.locate(normal, 'look at', false, path);
    let at = own;
    if (own.node?.kind === 'link' && followLink) {
      try {
        at = this.#volume.locate(normal, 'look at', true, path);
      } catch (error) {
        if (!isFsError(error)) throw error;
      }
    }
    const node = at.node ?? own.node;
    if (node === undefined) return undefined;
    return Object.freeze({
      path: normal,
      key: at.node === undefined ? own.real : at.real,
      ...factsOf(node),
      isLink: own.isLink,
      version: versionOf(node),
      isReadOnly: this.#rules.isReadOnly || this.#rules.isProtected(at.real) || (node.kind === 'file' && node.isReadOnly),
    });
  }

  async readRange(path: string, { offset = 0, length, ifVersion, signal }: FsReadRangeOptions = {}): Promise<FsBytes> {
    throwIfCancelled(signal, path, 'read');
    const { target, file } = this.#file(path, 'read', ifVersion);
    const end = length === undefined ? file.bytes.length : offset + length;
    return Object.freeze({ ...target, version: versionOf(file), size: file.bytes.length, offset, bytes: file.bytes.slice(offset, end) });
  }

  async readText(path: string, { maxBytes = DEFAULT_MAX_TEXT_BYTES, ifVersion, signal }: FsReadTextOptions = {}): Promise<FsText> {
    throwIfCancelled(signal, path, 'read');
    const { target, file } = this.#file(path, 'read', ifVersion);
    const size = file.bytes.length;
    if (size > maxBytes) throw new FsError('FS_TOO_LARGE', path, { operation: 'read', detail: `is too large: ${size} bytes, at most ${maxBytes} are read as text` });
    return withLineEndings({ ...target, version: versionOf(file), size, ...decodeText(file.bytes, path) });
  }

  async write(path: string, content: string | Uint8Array, { ifVersion, format, compareUpTo = 0, signal }: FsWriteOptions = {}): Promise<FsWritten> {
    throwIfCancelled(signal, path, 'write');
    const { at, target } = this.#changeable(path, 'write');
    const { node } = at;
    if (node?.kind === 'directory') throw new FsError('FS_IS_DIRECTORY', path, { operation: 'write' });
    if (node === undefined && at.isLink) throw new FsError('FS_NOT_REGULAR', path, { operation: 'write', detail: 'is a link that leads nowhere' });
    if (at.isBelowFile) throw new FsError('FS_NOT_DIRECTORY', path, { operation: 'write', detail: 'is below a file, which is not a directory' });
    const file = node as FileNode | undefined;
    assertPrecondition(file && versionOf(file), ifVersion, path, 'write');
    const kept = format ?? (file === undefined ? UTF8 : formatToKeep(file.bytes));
    const made = typeof content === 'string' ? encodeText(content, kept, path) : { bytes: content.slice(), format: undefined };
    const old = file?.bytes;
    const written = this.#put(path, 'write', at, target, file, made.bytes, made.format);
    if (old === undefined || old.length > compareUpTo || made.format === undefined) return written;
    return Object.freeze({ ...written, replaced: replacedText(made.bytes, made.format, compared(old, made.bytes, made.format)) });
  }

  async edit(path: string, spans: readonly FsSpan[], { ifVersion, signal }: FsEditOptions): Promise<FsWritten> {
    throwIfCancelled(signal, path, 'edit');
    const { at, target } = this.#changeable(path, 'edit');
    if (at.node?.kind === 'directory') throw new FsError('FS_IS_DIRECTORY', path, { operation: 'edit' });
    const file = at.node as FileNode | undefined;
    assertPrecondition(file && versionOf(file), ifVersion, path, 'edit');
    const { bytes, format } = editedBytes((file as FileNode).bytes, spans, path);
    return this.#put(path, 'edit', at, target, file, bytes, format);
  }

  async list(path: string, { signal }: FsOptions = {}): Promise<readonly FsEntry[]> {
    throwIfCancelled(signal, path, 'list');
    const { at, normal } = this.#at(path, 'list', true);
    if (at.node === undefined) throw this.#missing(path, 'list', at);
    if (at.node.kind !== 'directory') throw new FsError('FS_NOT_DIRECTORY', path, { operation: 'list' });
    return Object.freeze([...at.node.children.keys()].sort(byCodeUnits).map((name) => this.#entry(joined(normal, name), name)));
  }

  walk(path: string, options: FsWalkOptions = {}): AsyncIterable<FsEntry> {
    return walkTree(this, this.#normal(path, 'walk'), options);
  }

  async remove(path: string, { recursive = false, ifVersion, signal }: FsRemoveOptions = {}): Promise<void> {
    throwIfCancelled(signal, path, 'remove');
    const { at } = this.#changeable(path, 'remove', false);
    const { node } = at;
    if (node === undefined && ifVersion === undefined) throw this.#missing(path, 'remove', at);
    assertPrecondition(node && versionOf(node), ifVersion, path, 'remove');
    this.#assertMovable(node as Node, at.real, at.real, path, 'remove');
    if (node?.kind === 'directory' && node.children.size > 0 && !recursive) throw new FsError('FS_NOT_EMPTY', path, { operation: 'remove' });
    this.#volume.takeOut(at);
    this.#volume.forget(node as Node);
  }

  async move(from: string, to: string, { overwrite = false, ifVersion, signal }: FsMoveOptions = {}): Promise<FsTarget> {
    throwIfCancelled(signal, from, 'move');
    const source = this.#changeable(from, 'move', false);
    const goal = this.#changeable(to, 'move to', false);
    const { node } = source.at;
    if (node === undefined && ifVersion === undefined) throw this.#missing(from, 'move', source.at);
    assertPrecondition(node && versionOf(node), ifVersion, from, 'move');
    const moved = node as Node;
    if (source.at.real === goal.at.real) return goal.target;
    if (moved.kind === 'directory' && isWithin(goal.at.real, source.at.real)) {
      throw new FsError('FS_BAD_PATH', to, { operation: 'move to', detail: 'is inside the directory that would be moved' });
    }
    this.#assertMovable(moved, source.at.real, goal.at.real, from, 'move');
    const replaced = goal.at.node;
    if (goal.at.isBelowFile) throw new FsError('FS_NOT_DIRECTORY', to, { operation: 'move to', detail: 'is below a file, which is not a directory' });
    if (replaced !== undefined) {
      if (!overwrite || replaced.kind === 'directory' || moved.kind === 'directory') throw new FsError('FS_EXISTS', to, { operation: 'move to' });
      if (replaced.kind === 'file' && replaced.isReadOnly) throw new FsError('FS_READ_ONLY', to, { operation: 'move to' });
      this.#volume.takeOut(goal.at);
      this.#volume.forget(replaced);
    }
    this.#volume.takeOut(source.at);
    this.#volume.addNode(goal.at, moved);
    return goal.target;
  }

  async mkdir(path: string, { signal }: FsOptions = {}): Promise<FsTarget & { readonly isNew: boolean }> {
    throwIfCancelled(signal, path, 'make');
    const found = this.#at(path, 'make', true);
    if (found.at.node?.kind === 'directory') return Object.freeze({ path: found.normal, key: found.at.real, isNew: false });
    const { at, target } = this.#changeable(path, 'make');
    if (at.node !== undefined || at.isLink) throw new FsError('FS_EXISTS', path, { operation: 'make', detail: 'exists already, and is not a directory' });
    if (at.isBelowFile) throw new FsError('FS_NOT_DIRECTORY', path, { operation: 'make', detail: 'is below a file, which is not a directory' });
    this.#volume.makeDirectories(at);
    return Object.freeze({ ...target, isNew: true });
  }

  async watch(path: string, onChange: (change: FsChange) => void, { signal }: FsOptions = {}): Promise<() => void> {
    const { at } = this.#at(path, 'watch', true);
    if (at.node === undefined) throw this.#missing(path, 'watch', at);
    const stop = this.#volume.watch((change) => {
      if (isWithin(change.path, at.real)) onChange(change);
    });
    const end = (): void => {
      stop();
      signal?.removeEventListener('abort', end);
    };
    signal?.addEventListener('abort', end);
    return end;
  }

  #put(path: string, operation: string, at: Place, target: FsTarget, file: FileNode | undefined, bytes: Uint8Array, format: FsTextFormat | undefined): FsWritten {
    if (file?.isReadOnly === true) throw new FsError('FS_READ_ONLY', path, { operation });
    if (this.#volume.bytes - (file?.bytes.length ?? 0) + bytes.length > this.#rules.maxBytes) throw new FsError('FS_NO_SPACE', path, { operation });
    const written = file ?? this.#volume.addFile(at, bytes);
    if (file !== undefined) this.#volume.replace(file, bytes, at.real);
    const facts = { ...target, version: versionOf(written), size: bytes.length, isNew: file === undefined };
    return Object.freeze(format === undefined ? facts : { ...facts, format: Object.freeze(format) });
  }

  #entry(path: string, name: string): FsEntry {
    const own = this.#volume.locate(path, 'list', false);
    const link = own.node?.kind === 'link';
    try {
      const { node } = this.#volume.locate(path, 'list', true);
      if (node !== undefined) return Object.freeze({ name, path, ...factsOf(node), isLink: link });
      return Object.freeze({ name, path, ...factsOf(own.node as Node), isLink: link, problem: 'FS_NOT_FOUND' });
    } catch (error) {
      if (!isFsError(error)) throw error;
      return Object.freeze({ name, path, ...factsOf(own.node as Node), isLink: link, problem: error.code });
    }
  }

  #normal(path: string, operation: string): string {
    return normalPath(path, { roots: [{ name: '', path: this.#volume.rootPath }] }, operation);
  }

  #at(path: string, operation: string, followLink: boolean): { at: Place; normal: string } {
    const normal = this.#normal(path, operation);
    return { normal, at: this.#volume.locate(normal, operation, followLink, path) };
  }

  /** A regular file with the version that was asked for. */
  #file(path: string, operation: string, ifVersion: FsPrecondition | undefined): { target: FsTarget; file: FileNode } {
    const { at, normal } = this.#at(path, operation, true);
    const { node } = at;
    if (node?.kind === 'directory') throw new FsError('FS_IS_DIRECTORY', path, { operation });
    assertPrecondition(node && versionOf(node), ifVersion, path, operation);
    if (node === undefined) throw this.#missing(path, operation, at);
    return { target: { path: normal, key: at.real }, file: node as FileNode };
  }

  /** A place that may be changed, whatever is there. */
  #changeable(path: string, operation: string, followLink = true): { at: Place; target: FsTarget } {
    const { at, normal } = this.#at(path, operation, followLink);
    if (at.real === '.') {
      if (!followLink) throw new FsError('FS_PROTECTED', path, { operation, detail: 'is the root of the workspace' });
      if (operation !== 'make') throw new FsError('FS_IS_DIRECTORY', path, { operation });
    }
    if (this.#rules.isReadOnly) throw new FsError('FS_READ_ONLY', path, { operation, detail: 'is in a workspace that is read-only' });
    if (this.#rules.isProtected(at.real)) throw new FsError('FS_PROTECTED', path, { operation });
    return { at, target: Object.freeze({ path: normal, key: at.real }) };
  }

  /** A directory may not take protected files with it, nor bring files to where they would be protected. */
  #assertMovable(node: Node, from: string, to: string, path: string, operation: string): void {
    if (node.kind !== 'directory') return;
    for (const { path: below } of this.#volume.below('.', node)) {
      if (this.#rules.isProtected(joined(from, below)) || this.#rules.isProtected(joined(to, below))) {
        throw new FsError('FS_PROTECTED', path, { operation, detail: `contains ${JSON.stringify(below)}, which is protected from changes` });
      }
    }
  }

  #missing(path: string, operation: string, { isLink }: Place): FsError {
    return new FsError('FS_NOT_FOUND', path, { operation, ...(isLink ? { detail: 'is a link that leads nowhere' } : {}) });
  }
}

function compared(old: Uint8Array, written: Uint8Array, format: FsTextFormat): ReplacedBytes {
  const begin = old.subarray(0, FORMAT_BYTES);
  if (!areLinesAlike(begin, format)) return { old, begin, head: 0, tail: 0 };
  const common = commonHead(old, written);
  const { head, tail } = wholeLines(written, common, commonTail(old.subarray(common), written.subarray(common)));
  return { old: old.subarray(head, old.length - tail), begin, head, tail };
}

function factsOf(node: Node): Pick<FsStat, 'type' | 'size' | 'mtimeMs'> {
  return { type: node.kind === 'link' ? 'other' : node.kind, size: node.kind === 'file' ? node.bytes.length : 0, mtimeMs: node.mtimeMs };
}
