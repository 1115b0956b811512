import type { ListenerRecord } from './chain.ts';
import type { Fiber } from './fiber.ts';
import type { ServiceEntry } from './services.ts';
import { SluiceError } from '@sluice/core-schema';
import type { ContributionEntry } from './types.ts';

/**
 * Something a fiber has in a table outside itself. While an update is being prepared it is only kept; it is attached at
 * the swap, and may be detached and attached again when that swap is rolled back.
 */
export interface Contribution {
  readonly kind: 'listener' | 'service' | 'entry' | 'child';
  readonly label: string;
  attach(): void;
  detach(): void;
  /** It is kept by an instance that is being prepared. */
  stage?(): void;
  unstage?(): void;
}

export function listenerContribution(record: ListenerRecord): Contribution {
  const table = record.fiber.layer.hook(record.hook);
  return { kind: 'listener', label: record.hook, attach: () => table.add(record), detach: () => table.remove(record) };
}

export function serviceContribution(entry: ServiceEntry): Contribution {
  const { name, fiber } = entry;
  const { layer, host } = fiber;
  const refuseSecond = (other: ServiceEntry | undefined): void => {
    if (other === undefined) return;
    throw new SluiceError(
      'SERVICE_DUPLICATE',
      `core-context: service "${name}" of ${fiber.title} is already provided by ${other.fiber.title} in this scope; dispose that one first, or provide this one in a child scope`,
    );
  };
  return {
    kind: 'service',
    label: name,
    attach() {
      refuseSecond(layer.ownService(name));
      fiber.provided.add(entry);
      layer.addService(entry);
      host.serviceChanged(name);
    },
    detach() {
      layer.removeService(entry);
      host.serviceChanged(name);
    },
    stage() {
      refuseSecond(fiber.staged?.get(layer, name));
      fiber.provided.add(entry);
      fiber.staged?.add(layer, entry);
      host.serviceChanged(name);
    },
    unstage() {
      fiber.staged?.remove(layer, entry);
      host.serviceChanged(name);
    },
  };
}

export function entryContribution(entry: ContributionEntry): Contribution {
  return { kind: 'entry', label: entry.label, attach: () => entry.attach(), detach: () => entry.detach() };
}

/** The name of a scope, which only one scope under a parent can have at a time. */
export function scopeNameContribution(scope: Fiber, names: Set<string>): Contribution {
  const name = scope.name;
  return {
    kind: 'child',
    label: name,
    attach() {
      if (names.has(name)) {
        throw new SluiceError('SCOPE_DUPLICATE', `core-context: there is already a scope "${name}" here; dispose it first or choose another name`);
      }
      names.add(name);
      try {
        scope.attachAll();
      } catch (error) {
        names.delete(name);
        throw error;
      }
    },
    detach() {
      names.delete(name);
      scope.detachAll();
    },
  };
}
