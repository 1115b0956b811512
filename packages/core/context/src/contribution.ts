import { SluiceError } from '@sluice/core-schema';
import type { ListenerRecord } from './chain.ts';
import type { Fiber } from './fiber.ts';
import type { ServiceEntry } from './services.ts';
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
  return {
    kind: 'listener',
    label: record.hook,
    attach() {
      table.add(record);
    },
    detach() {
      table.remove(record);
    },
  };
}

export function entryContribution(entry: ContributionEntry): Contribution {
  return {
    kind: 'entry',
    label: entry.label,
    attach() {
      entry.attach();
    },
    detach() {
      entry.detach();
    },
  };
}

export function serviceContribution(entry: ServiceEntry): Contribution {
  const { name, fiber } = entry;
  const { layer, host, staged } = fiber;
  return {
    kind: 'service',
    label: name,
    attach() {
      refuseSecond(entry, layer.ownService(name));
      layer.addService(entry);
      host.serviceChanged(name);
    },
    detach() {
      layer.removeService(entry);
      host.serviceChanged(name);
    },
    stage() {
      refuseSecond(entry, staged?.get(layer, name));
      staged?.add(layer, entry);
      host.serviceChanged(name);
    },
    unstage() {
      if (staged?.remove(layer, entry) === true) host.serviceChanged(name);
    },
  };
}

function refuseSecond(entry: ServiceEntry, other: ServiceEntry | undefined): void {
  if (other === undefined) return;
  throw new SluiceError(
    'SERVICE_DUPLICATE',
    `core-context: service "${entry.name}" of ${entry.fiber.title} is already provided in this scope by ${other.fiber.title}; dispose that one first, or provide this one in a child scope`,
  );
}

/** The presence of a scope in its parent, where no two can have the same name. */
export function scopeContribution(scope: Fiber, taken: Set<string>): Contribution {
  const { name } = scope;
  return {
    kind: 'child',
    label: name,
    attach() {
      if (taken.has(name)) {
        throw new SluiceError('SCOPE_DUPLICATE', `core-context: there is already a scope "${name}" here; dispose it first, or choose another name`);
      }
      scope.contributions.attachAll();
      taken.add(name);
    },
    detach() {
      taken.delete(name);
      scope.contributions.detachAll();
    },
  };
}
