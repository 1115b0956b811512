import { asContext, HostContext } from './context.ts';
import { Fiber } from './fiber.ts';
import { Host } from './host.ts';
import { Layer } from './layer.ts';
import { consoleLogger, containedLogger } from './logger.ts';
import { Slots } from './order.ts';
import { rememberScope } from './scope-contexts.ts';
import type { Context, ContextOptions } from './types.ts';

/** Makes the root of a new tree, which shares nothing with any other. */
export function createContext(options: ContextOptions = {}): Context {
  const { logger = consoleLogger, graceMs = 5_000 } = options;
  if (typeof graceMs !== 'number' || !(graceMs >= 0)) throw new RangeError(`core-context: graceMs must be a number of milliseconds, 0 or more, received ${String(graceMs)}`);
  const host = new Host(containedLogger(logger), graceMs, (fiber) => asContext(new HostContext(fiber)));
  const layer = new Layer('root', undefined, host.chains);
  const root = new Fiber({ kind: 'root', name: 'root', owner: 'app', host, layer, slots: new Slots([]), isLive: true });
  return rememberScope(asContext(new HostContext(root)));
}
