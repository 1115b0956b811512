import type { Logger } from '@sluice/core-context';

/** Plugins are loaded from their sources, as everything else in the tests is. */
export const SOURCE = { conditions: ['@sluice/source'] };

export const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} };
