import type { Line } from '../text/line.ts';

/** A card as lines: what it is about, and what is in it. */
export interface DrawnCard {
  readonly head: readonly Line[];
  /** What it was given, such as a program; stands before the calls that it makes. Default: nothing. */
  readonly input?: readonly Line[];
  readonly body: readonly Line[];
  /** Which end of the body matters more when it is cut. Default `start`. */
  readonly keep?: 'start' | 'end';
}
