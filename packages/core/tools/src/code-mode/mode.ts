import type { PresentationMode } from '../types.ts';

export const MODES: readonly PresentationMode[] = Object.freeze(['native', 'code', 'both']);

/** @throws TypeError for anything but a mode */
export function assertMode(mode: unknown): asserts mode is PresentationMode {
  if (!(MODES as readonly unknown[]).includes(mode)) {
    const got = typeof mode === 'string' ? JSON.stringify(mode.slice(0, 40)) : typeof mode;
    throw new TypeError(`core-tools: presentAs() takes 'native', 'code' or 'both'; got ${got}`);
  }
}
