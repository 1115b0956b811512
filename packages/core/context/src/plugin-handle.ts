import { resolveConfig } from '@sluice/core-schema';
import { disposeMount } from './disposal.ts';
import { pluginDisposed } from './errors.ts';
import type { Mount } from './mount.ts';
import type { PluginHandle, PluginStatus } from './types.ts';
import { updateMount } from './update.ts';

/** What `ctx.plugin()` hands out: the mounted plugin without its insides. */
export class MountedPlugin implements PluginHandle {
  readonly #mount: Mount;

  constructor(mount: Mount) {
    this.#mount = mount;
  }

  /** The mount behind a handle. Undefined for what is no handle of this copy of the package. */
  static mountOf(handle: unknown): Mount | undefined {
    return handle instanceof MountedPlugin ? handle.#mount : undefined;
  }

  get name(): string {
    return this.#mount.name;
  }

  get status(): PluginStatus {
    return this.#mount.status;
  }

  get ready(): Promise<void> {
    return this.#mount.ready;
  }

  async update(config: unknown): Promise<void> {
    const mount = this.#mount;
    if (mount.isDisposed) throw pluginDisposed(mount.name);
    return updateMount(mount, resolveConfig(mount.plugin.config, config, mount.title));
  }

  dispose(): Promise<void> {
    return disposeMount(this.#mount);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
