import { watch as watchDirectory, type FSWatcher } from 'node:fs';
import { dirname, join } from 'node:path';
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
    watcher.watch(deployment.files);
    try {
      onReload?.(result);
    } catch (error) {
      deployment.ctx.logger.error('cli: the listener for reloads threw', error);
    }
  });
  watcher.watch(deployment.files);
  // Its getters stay getters.
  return Object.create(deployment, {
    close: {
      value: async () => {
        watcher.close();
        await deployment.close();
      },
    },
  }) as Deployment;
}

/**
 * Calls back when one of some files was changed, made, or taken away, and then nothing happened for a while. Watches their
 * directories: a watch on a file ends with the file, and editors write a new one in its place.
 */
export class Watcher {
  readonly #quietMs: number;
  readonly #changed: () => Promise<void>;
  readonly #directories = new Map<string, FSWatcher>();
  #files: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(quietMs: number, changed: () => Promise<void>) {
    this.#quietMs = quietMs;
    this.#changed = changed;
  }

  /** Watches these from now on, and no others. Absolute paths. */
  watch(files: readonly string[]): void {
    if (this.#isClosed) return;
    this.#files = new Set(files);
    const wanted = new Set(files.map((file) => dirname(file)));
    for (const [directory, watcher] of this.#directories) {
      if (wanted.has(directory)) continue;
      watcher.close();
      this.#directories.delete(directory);
    }
    for (const directory of wanted) if (!this.#directories.has(directory)) this.#enter(directory);
  }

  #enter(directory: string): void {
    let watcher: FSWatcher;
    try {
      watcher = watchDirectory(directory);
    } catch {
      // Not there: whatever names a file in it says so.
      return;
    }
    this.#directories.set(directory, watcher);
    watcher.on('change', (_event, name) => {
      // Some systems do not say which.
      if ((name as unknown) === null || this.#files.has(join(directory, String(name)))) this.#soon();
    });
    watcher.on('error', () => {
      watcher.close();
      this.#directories.delete(directory);
    });
  }

  #soon(): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#changed(), this.#quietMs);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#directories.values()) watcher.close();
    this.#directories.clear();
  }
}
