import { parseDuration } from './duration.ts';

/**
 * A point in time as people write it: a duration before `now` such as `1h`, or an ISO 8601 time.
 * @returns milliseconds since 1970; NaN when it is neither.
 */
export function toMoment(text: string, now: number): number {
  const duration = parseDuration(text);
  return duration === null ? Date.parse(text) : now - duration;
}
