import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { closestName } from '@sluice/core-schema';
import { shownPath } from './problem.ts';

/** `Did you mean <file>?`, when a file beside the one that is not there has nearly its name. */
export function nearbyFile(path: string): string | undefined {
  try {
    const near = closestName(basename(path), readdirSync(dirname(path)));
    return near === undefined ? undefined : `Did you mean ${shownPath(join(dirname(path), near))}?`;
  } catch {
    return undefined;
  }
}
