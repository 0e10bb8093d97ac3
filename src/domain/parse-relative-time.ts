import { parseDuration } from './duration.ts';

/**
 * A point in time as people write it: a duration before `now` such as `1h`, or an ISO 8601 time.
 * @returns milliseconds since 1970; NaN when it is neither.
 */
export function parseRelativeTime(text: string, now: number): number {
  const duration = parseDuration(text);
  if (duration !== null) return now - duration;
  // A number without a unit is no time, though Date.parse() takes 35 for the year 2035.
  return /^\d+(?:\.\d+)?$/.test(text.trim()) && !/^\d{4}$/.test(text) ? Number.NaN : Date.parse(text);
}
