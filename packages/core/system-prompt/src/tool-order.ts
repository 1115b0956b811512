import { SluiceError } from '@sluice/core-schema';
import type { ToolSchema } from '@sluice/core-tools';

/** Where tools go that an order does not name. */
export const UNLISTED = '<unlisted-tools>';

/** @throws SluiceError `INVALID_CONFIG` when the marker is not there exactly once */
export function assertOrder(order: readonly string[]): void {
  if (order.filter((name) => name === UNLISTED).length === 1) return;
  throw new SluiceError(
    'INVALID_CONFIG',
    `core-system-prompt: toolOrder must contain "${UNLISTED}" exactly once, where the tools go that it does not name; got ${JSON.stringify(order)}`,
  );
}

/** Tools in the order named, the rest at the marker by name in code units. A name of no tool here is passed over. */
export function ordered(tools: readonly ToolSchema[], order: readonly string[]): ToolSchema[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const listed = new Set(order);
  const unlisted = tools.filter(({ name }) => !listed.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  return order.flatMap((name) => {
    if (name === UNLISTED) return unlisted;
    const tool = byName.get(name);
    return tool === undefined ? [] : [tool];
  });
}
