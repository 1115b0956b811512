import type { Context } from '@sluice/core-tools';
import { Ledger } from './ledger.ts';
import { noRules } from './rules.ts';

/** Ledgers between two instances of a plugin whose config changes: taken out and put in again in one go. */
const between = new WeakMap<Context['scopeRef'], Ledger[]>();

/** The ledger of the instance whose place this one takes; a new one for a plugin that is mounted. */
export function takeOver(scope: Context['scopeRef']): Ledger {
  return between.get(scope)?.pop() ?? new Ledger();
}

/** Unless somebody takes it over at once, the plugin is gone, and with it all limits: whoever waits goes on. */
export function handOver(scope: Context['scopeRef'], ledger: Ledger): void {
  const waiting = between.get(scope) ?? [];
  waiting.push(ledger);
  between.set(scope, waiting);
  queueMicrotask(() => {
    const at = waiting.indexOf(ledger);
    if (at < 0) return;
    waiting.splice(at, 1);
    ledger.adopt(noRules, (scopePath) => scopePath);
  });
}
