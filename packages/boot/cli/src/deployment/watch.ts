import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { watch as watchFiles, type FSWatcher } from 'chokidar';
import { loadDeployment, type Deployment, type LoadOptions, type ReloadResult } from './load.ts';

export interface WatchOptions extends LoadOptions {
  /** Called after each reload that a change of a file led to. A throw is logged. */
  readonly onReload?: (result: ReloadResult) => void;
  /** Milliseconds without a change before a reload begins: editors write in steps. Default 60. */
  readonly quietMs?: number;
}

/**
 * The same as `loadDeployment`, and then a reload whenever one of its files changes: its own, those it includes, overlays,
 * and plugins that it names by path. Ends with `close()`.
 *
 * @throws DeploymentError when the first state cannot be composed
 */
export async function watchDeployment(file: string, options: WatchOptions = {}): Promise<Deployment> {
  const { onReload, quietMs = 60, ...loadOptions } = options;
  const deployment = await loadDeployment(file, loadOptions);
  const watcher = new Watcher(quietMs, async () => {
    const result = await deployment.reload();
    await watcher.watch(deployment.files);
    try {
      onReload?.(result);
    } catch (error) {
      deployment.ctx.logger.error('cli: the listener for reloads threw', error);
    }
  });
  await watcher.watch(deployment.files);
  // Its getters stay getters.
  return Object.create(deployment, {
    close: {
      value: async () => {
        await watcher.close();
        await deployment.close();
      },
    },
  }) as Deployment;
}

/** Calls back when one of some files was changed, made, or taken away, and then nothing happened for a while. */
export class Watcher {
  readonly #quietMs: number;
  readonly #changed: () => Promise<void>;
  #watcher: FSWatcher | undefined;
  #files: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(quietMs: number, changed: () => Promise<void>) {
    this.#quietMs = quietMs;
    this.#changed = changed;
  }

  /** Watches these from now on, and no others. Resolves when changes will be noticed. */
  async watch(files: readonly string[]): Promise<void> {
    if (this.#isClosed || isDeepStrictEqual(files, this.#files)) return;
    this.#files = [...files];
    const old = this.#watcher;
    const wanted = new Set(files);
    // Their directories, because a watched file that is deleted and written again is not found again.
    const watcher = watchFiles([...new Set(files.map((file) => dirname(file)))], {
      depth: 0,
      ignoreInitial: true,
      atomic: true,
      ignored: (path, stats) => stats?.isFile() === true && !wanted.has(path),
    });
    this.#watcher = watcher;
    watcher.on('all', (_event, path) => {
      if (wanted.has(path)) this.#soon();
    });
    watcher.on('error', () => {});
    await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
    await old?.close();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#changed(), this.#quietMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#watcher?.close();
  }
}
