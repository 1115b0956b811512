import { serviceContribution } from './contribution.ts';
import { endUnlessStuck } from './disposal.ts';
import type { Fiber } from './fiber.ts';
import { endInTurn, NO_ERRORS } from './owned.ts';
import { releaseUsers, ServiceEntry } from './services.ts';
import type { AsyncDisposer, Disposer } from './types.ts';

/** Offers a service to a fiber's scope; the disposer takes it away and ends what was started on it. */
export function provideService(fiber: Fiber, name: string, service: unknown): AsyncDisposer {
  if (service === undefined || service === null) throw new TypeError(`core-context: service "${name}" must be a value, received ${String(service)}`);
  const entry = new ServiceEntry(name, service, fiber);
  fiber.provided.add(entry);
  let withdraw: Disposer;
  try {
    withdraw = fiber.contribute(serviceContribution(entry), `provide service "${name}"`);
  } catch (error) {
    fiber.provided.delete(entry);
    throw error;
  }
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    withdraw();
    releaseUsers([entry]);
    const users = [...entry.users].filter((user) => user.state === 'closing');
    const ending = endInTurn(users);
    // What goes wrong in there is told by the plugins that end.
    await endUnlessStuck(`service "${name}"`, fiber.host, users, ending instanceof Promise ? ending.then(() => NO_ERRORS) : NO_ERRORS);
    entry.forgetReaders();
    if (entry.users.size === 0) fiber.provided.delete(entry);
  };
  return () => (ended ??= end());
}
