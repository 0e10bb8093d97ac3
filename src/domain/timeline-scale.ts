/**
 * The scale of timelines: logarithmic on both sides of a time, so that five minutes and the whole retry window can be read at once.
 */
import { HOUR_MS, MINUTE_MS } from './duration.ts';
import { RETRY_WINDOW_MS } from './retry-policy.ts';

/** Distances far below this one are nearly linear. */
export const LINEAR_MS = 3 * MINUTE_MS;
/** Each side is divided into this many equal parts. What is due in one part is shown as one mark. */
const PARTS = 12;
export const PARTS_PER_LOG = PARTS / Math.log1p(RETRY_WINDOW_MS / LINEAR_MS);

/** The distances that the scale names. */
export const TICKS_MS = [
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 6, 12, 24, 72].map((hours) => hours * HOUR_MS),
];

/** The position of a distance: -1 and 1 are the ends of the retry window, and what is farther away. */
export function toPosition(ms: number): number {
  const position = (Math.log1p(Math.abs(ms) / LINEAR_MS) * PARTS_PER_LOG) / PARTS;
  return Math.sign(ms) * Math.min(1, position);
}

/** The distance at a position from -1 to 1. */
export function toDistance(position: number): number {
  return Math.sign(position) * LINEAR_MS * Math.expm1((Math.abs(position) * PARTS) / PARTS_PER_LOG);
}

/** The number of the part in which a distance is: 0 is the first one after the middle, -1 the first one before it. */
export function toPart(ms: number): number {
  const part = Math.floor(Math.abs(toPosition(ms)) * PARTS);
  return ms > 0 ? part : -1 - part;
}
