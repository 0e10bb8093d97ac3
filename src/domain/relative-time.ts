/** Reads and formats times relative to now. */
import { formatDuration, parseDuration, SECOND_MS } from './duration.ts';

/** How far an ISO time lies from `now`: `in 4m 12s`, `3m ago`, `just now`. */
export function formatRelative(time: string, now: number): string {
  const distance = Date.parse(time) - now;
  if (Math.abs(distance) < SECOND_MS) return 'just now';
  return distance > 0 ? `in ${formatSpan(distance, 2)}` : `${formatSpan(-distance, 1)} ago`;
}

/** The `count` largest units of a duration of a second or more: `3d 4h`. Two suit what somebody waits for, one what is over. */
export function formatSpan(ms: number, count: number): string {
  const units = formatDuration(Math.floor(ms / SECOND_MS) * SECOND_MS).match(/\d+\w/g) ?? [];
  return units.slice(0, count).join(' ');
}

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
