import type { Mount } from './mount.ts';
import { nearestService, stemsFrom, type ServiceEntry } from './services.ts';

/** The services that a plugin instance is started on, by name. They stay the same for all its life. */
export type Pins = ReadonlyMap<string, ServiceEntry>;

/** The nearest provider of each service that a plugin injects; its own work, and what stands on that, does not count. */
export function findPins(mount: Mount): { pins: Pins; missing: readonly string[] } {
  const { layer, staged } = mount.parent;
  const pins = new Map<string, ServiceEntry>();
  const missing: string[] = [];
  for (const name of mount.injects) {
    const entry = nearestService(name, layer, staged, (candidate) => stemsFrom(candidate.fiber, mount));
    if (entry === undefined) missing.push(name);
    else pins.set(name, entry);
  }
  return { pins, missing };
}

export function isSamePins(a: Pins, b: Pins): boolean {
  return a.size === b.size && [...a].every(([name, entry]) => b.get(name) === entry);
}
