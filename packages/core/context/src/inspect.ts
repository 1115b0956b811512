import type { Fiber } from './fiber.ts';
import type { Mount } from './mount.ts';
import type { ContextCounts, ContextNode, PluginStatus } from './types.ts';

/** A plain picture of a fiber and of everything below it. */
export function inspectFiber(fiber: Fiber): ContextNode {
  const listeners = new Map<string, number>();
  const services: string[] = [];
  const contributions: string[] = [];
  for (const { kind, label } of fiber.contributions.list()) {
    if (kind === 'listener') listeners.set(label, (listeners.get(label) ?? 0) + 1);
    else if (kind === 'service') services.push(label);
    else if (kind === 'entry') contributions.push(label);
  }
  const effects: string[] = [];
  const children: ContextNode[] = [];
  for (const item of fiber.owned) {
    if (item.kind === 'effect') effects.push(item.label);
    else if (item.kind === 'mount') children.push(...inspectMount(item));
    else children.push(inspectFiber(item));
  }
  const running = fiber.running();
  const node = {
    name: fiber.name,
    kind: fiber.kind,
    status: statusOf(fiber),
    scopePath: fiber.layer.ref.path,
    services,
    listeners: Object.fromEntries(listeners),
    contributions,
    effects,
    children,
    ...(running.length === 0 ? {} : { running }),
  };
  return { ...node, counts: countsOf(node, fiber.state === 'closed' ? 0 : 1) };
}

/** A plugin's instances, the one in force first; a plugin without one is still shown. */
function inspectMount(mount: Mount): ContextNode[] {
  const nodes = [...mount.runs].map(inspectFiber);
  if (mount.run !== undefined || mount.isDisposed) return nodes;
  const bare = {
    name: mount.name,
    kind: 'plugin' as const,
    status: mount.status,
    scopePath: mount.parent.layer.ref.path,
    services: [],
    listeners: {},
    contributions: [],
    effects: [],
    children: nodes,
    ...(mount.status === 'waiting' ? { waitingFor: mount.missing } : {}),
  };
  return [{ ...bare, counts: countsOf(bare, 1) }];
}

function statusOf(fiber: Fiber): PluginStatus {
  if (fiber.state !== 'open') return 'disposed';
  const mount = fiber.mount;
  if (mount === undefined) return 'active';
  return mount.run === fiber ? mount.status : 'starting';
}

/** `self` is what the node itself counts for: one that has ended is no longer there. */
function countsOf(node: Omit<ContextNode, 'counts'>, self: 0 | 1): ContextCounts {
  const sum = (count: (counts: ContextCounts) => number): number => node.children.reduce((total, child) => total + count(child.counts), 0);
  return {
    plugins: sum((c) => c.plugins) + (node.kind === 'plugin' ? self : 0),
    scopes: sum((c) => c.scopes) + (node.kind === 'scope' ? self : 0),
    services: sum((c) => c.services) + node.services.length,
    listeners: sum((c) => c.listeners) + Object.values(node.listeners).reduce((a, b) => a + b, 0),
    contributions: sum((c) => c.contributions) + node.contributions.length,
    effects: sum((c) => c.effects) + node.effects.length,
    running: sum((c) => c.running) + (node.running?.length ?? 0),
  };
}
