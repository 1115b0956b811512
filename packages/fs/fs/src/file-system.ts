import type { BoundService, Context } from '@sluice/core-context';
import { FsError, isFsError, throwIfCancelled } from './errors.ts';
import type { FsObserved, FsWriteIntent } from './events.ts';
import { assertGatesOpen, permission } from './policy.ts';
import type {
  FsEditOptions, FsEntry, FsInfo, FsLookOptions, FsMoveOptions, FsOptions, FsPrecondition, FsProvider, FsRemoveOptions, FsSpan, FsTarget, FsWalkOptions,
  FsWriteOptions, FsWritten,
} from './types.ts';

/** What a consumer says it has shown: `scopePath` is that of the context whose `fs` it is said to. */
export type FsObservation = Omit<FsObserved, 'scopePath'>;

/** `ctx.fs`: a provider's files, with every change put before the policies of the scope that it is read from. */
export interface FileSystem extends FsProvider {
  /** Says what has been shown of a file: to a model, or to whoever the scope acts for. Tell it of reads; changes tell themselves. */
  observe(observation: FsObservation): void;
}

/** The service to provide: `ctx.provide('fs', fileSystemOf(provider))`. */
export function fileSystemOf(provider: FsProvider): BoundService<FileSystem> {
  return { bind: (ctx) => new ScopedFileSystem(provider, ctx) };
}

class ScopedFileSystem implements FileSystem {
  readonly #provider: FsProvider;
  readonly #ctx: Context;
  readonly watch?: NonNullable<FsProvider['watch']>;
  readonly localPath?: NonNullable<FsProvider['localPath']>;

  constructor(provider: FsProvider, ctx: Context) {
    this.#provider = provider;
    this.#ctx = ctx;
    if (provider.watch !== undefined) this.watch = (path, onChange, options) => this.#run(path, 'watch', options, () => provider.watch?.(path, onChange, options) as Promise<() => void>);
    if (provider.localPath !== undefined) this.localPath = (path, options) => this.#run(path, 'find', options, () => provider.localPath?.(path, options) as Promise<string>);
  }

  get info(): FsInfo {
    return this.#provider.info;
  }

  resolve(path: string, options?: FsLookOptions): Promise<FsTarget> {
    return this.#run(path, 'find', options, () => this.#provider.resolve(path, options));
  }
  stat(path: string, options?: FsLookOptions): ReturnType<FsProvider['stat']> {
    return this.#run(path, 'look at', options, () => this.#provider.stat(path, options));
  }
  readRange(path: string, options?: Parameters<FsProvider['readRange']>[1]): ReturnType<FsProvider['readRange']> {
    return this.#run(path, 'read', options, () => {
      for (const value of [options?.offset ?? 0, options?.length ?? 0]) {
        if (!Number.isSafeInteger(value) || value < 0) throw new FsError('FS_BAD_RANGE', path, { operation: 'read' });
      }
      return this.#provider.readRange(path, options);
    });
  }
  readText(path: string, options?: Parameters<FsProvider['readText']>[1]): ReturnType<FsProvider['readText']> {
    return this.#run(path, 'read', options, () => this.#provider.readText(path, options));
  }
  list(path: string, options?: FsOptions): Promise<readonly FsEntry[]> {
    return this.#run(path, 'list', options, () => this.#provider.list(path, options));
  }

  async *walk(path: string, options?: FsWalkOptions): AsyncGenerator<FsEntry, void, void> {
    throwIfCancelled(options?.signal, path, 'walk');
    try {
      yield* this.#provider.walk(path, options);
    } catch (error) {
      throw asFsError(error, path, 'walk');
    }
  }

  write(path: string, content: string | Uint8Array, options: FsWriteOptions = {}): Promise<FsWritten> {
    return this.#run(path, 'write', options, async () => {
      if (typeof content !== 'string' && !(content instanceof Uint8Array)) throw new TypeError('fs: content must be a string or a Uint8Array');
      // What the policies saw is what is written, whatever the caller does with its bytes meanwhile.
      const isAsked = this.#ctx.listeners('fs/write-intent').length > 0;
      const fixed = isAsked && typeof content !== 'string' ? content.slice() : content;
      const ifVersion = await this.#mayWrite('write', path, options, { content: fixed });
      const written = await this.#provider.write(path, fixed, withVersion(options, ifVersion));
      this.#tell(written, { how: 'write', version: written.version, seen: 'all', content: fixed });
      return written;
    });
  }

  edit(path: string, spans: readonly FsSpan[], options: FsEditOptions): Promise<FsWritten> {
    return this.#run(path, 'edit', options, async () => {
      const { ifVersion, signal } = options;
      if (typeof ifVersion !== 'string') throw new TypeError('fs: an edit needs ifVersion, the version that its spans were made for');
      const fixed = Object.freeze(spans.map(({ start, end, text }) => Object.freeze({ start, end, text })));
      if (this.#ctx.listeners('fs/edit-intent').length > 0) {
        const target = await this.#provider.resolve(path, { signal });
        const { scopePath } = this.#ctx;
        await permission(this.#ctx, 'fs/edit-intent', 'edit', { ...target, scopePath, spans: fixed, ifVersion, ...(signal === undefined ? {} : { signal }) });
      }
      assertGatesOpen(this.#ctx, path, 'edit');
      const written = await this.#provider.edit(path, fixed, options);
      this.#tell(written, { how: 'edit', version: written.version, before: ifVersion, spans: fixed });
      return written;
    });
  }

  remove(path: string, options: FsRemoveOptions = {}): Promise<void> {
    return this.#run(path, 'remove', options, async () => {
      const isHeard = this.#ctx.listeners('fs/observed').length > 0;
      const target = isHeard ? await this.#provider.resolve(path, { signal: options.signal, followLink: false }) : undefined;
      const ifVersion = await this.#mayWrite('remove', path, options, { isSweeping: options.recursive === true });
      await this.#provider.remove(path, withVersion(options, ifVersion));
      if (target !== undefined) this.#tell(target, { how: 'remove', version: undefined });
    });
  }

  move(from: string, to: string, options: FsMoveOptions = {}): Promise<FsTarget> {
    return this.#run(from, 'move', options, async () => {
      const look: FsLookOptions = { signal: options.signal, followLink: false };
      const isHeard = this.#ctx.listeners('fs/observed').length + this.#ctx.listeners('fs/write-intent').length > 0;
      const [source, target] = isHeard ? [await this.#provider.resolve(from, look), await this.#provider.resolve(to, look)] : [];
      const ifVersion = await this.#mayWrite('move', from, options, { isSweeping: options.overwrite === true, ...(target === undefined ? {} : { to: target }) });
      const moved = await this.#provider.move(from, to, withVersion(options, ifVersion));
      if (source !== undefined) {
        const stat = await this.#provider.stat(to).catch(() => undefined);
        this.#tell(source, { how: 'remove', version: undefined });
        this.#tell(moved, { how: 'move', version: stat?.version, from: source });
      }
      return moved;
    });
  }

  mkdir(path: string, options: FsOptions = {}): ReturnType<FsProvider['mkdir']> {
    return this.#run(path, 'make', options, async () => {
      await this.#mayWrite('mkdir', path, options, {});
      return this.#provider.mkdir(path, options);
    });
  }

  observe(observation: FsObservation): void {
    this.#ctx.emit('fs/observed', Object.freeze({ ...observation, scopePath: this.#ctx.scopePath }));
  }

  #tell({ path, key }: FsTarget, what: Omit<FsObservation, 'path' | 'key'>): void {
    this.observe({ path, key, ...what });
  }

  /** The precondition under which the change may be made. Nothing is looked up when nobody wants to know. */
  async #mayWrite(
    operation: FsWriteIntent['operation'],
    path: string,
    { signal, ifVersion }: FsOptions & { readonly ifVersion?: FsPrecondition },
    more: Pick<FsWriteIntent, 'content' | 'to' | 'isSweeping'>,
  ): Promise<FsPrecondition | undefined> {
    assertGatesOpen(this.#ctx, path, operation);
    if (this.#ctx.listeners('fs/write-intent').length === 0) return ifVersion;
    const look: FsLookOptions = { signal, followLink: operation === 'write' || operation === 'mkdir' };
    const target = await this.#provider.resolve(path, look);
    const current = await this.#provider.stat(path, look);
    const { scopePath } = this.#ctx;
    const given = { ...(signal === undefined ? {} : { signal }), ...(ifVersion === undefined ? {} : { ifVersion }) };
    const allowed = await permission(this.#ctx, 'fs/write-intent', operation, { ...target, scopePath, operation, current, ...more, ...given });
    assertGatesOpen(this.#ctx, path, operation);
    return allowed;
  }

  /** Every failure that leaves is one of the seam's, but for misuse. */
  async #run<T>(path: string, operation: string, options: FsOptions | undefined, work: () => Promise<T>): Promise<T> {
    if (typeof path !== 'string') throw new TypeError(`fs: a path must be a string, received ${typeof path}`);
    throwIfCancelled(options?.signal, path, operation);
    try {
      return await work();
    } catch (error) {
      throw asFsError(error, path, operation);
    }
  }
}

function asFsError(error: unknown, path: string, operation: string): unknown {
  return isFsError(error) || error instanceof TypeError ? error : new FsError('FS_IO', path, { operation, cause: error });
}

function withVersion<O extends { readonly ifVersion?: FsPrecondition }>(options: O, ifVersion: FsPrecondition | undefined): O {
  return ifVersion === options.ifVersion ? options : { ...options, ifVersion };
}
