import { SluiceError } from '@sluice/core-schema';
import { messageOf } from './errors.ts';
import type { Fiber } from './fiber.ts';
import type { Mount } from './mount.ts';
import { describeMissing } from './service-names.ts';

/** Waits while any plugin below is starting; then rejects when one waits or has failed, naming each and why. */
export async function whenReady(fiber: Fiber): Promise<void> {
  for (;;) {
    fiber.assertOpen('wait until it is ready');
    const mounts = mountsBelow(fiber);
    const busy = mounts.filter((mount) => mount.isBusy);
    if (busy.length === 0) {
      assertActive(mounts);
      return;
    }
    await Promise.race(busy.map((mount) => mount.changed()));
  }
}

function mountsBelow(fiber: Fiber): Mount[] {
  return fiber.tree().flatMap((inside) => [...inside.owned].filter((item) => item.kind === 'mount'));
}

function assertActive(mounts: readonly Mount[]): void {
  const problems = mounts.flatMap((mount) => problemOf(mount) ?? []);
  if (problems.length > 0) throw new SluiceError('NOT_READY', `core-context: not ready: ${problems.join('; ')}`);
}

function problemOf(mount: Mount): string | undefined {
  if (mount.status === 'waiting') return `${mount.title} waits for ${mount.missing.map(describeMissing).join(' and ')}`;
  if (mount.status === 'failed') return `${mount.title} failed: ${messageOf(mount.failure?.cause)}`;
  return undefined;
}
