/** Parses and formats times relative to now. */
import { formatDuration, parseDuration, SECOND_MS } from './duration.ts';

/** The distance of an ISO time from `now`: `in 4m 12s`, `3m ago`, `just now`. */
export function formatRelative(time: string, now: number): string {
  const distanceMs = Date.parse(time) - now;
  if (Math.abs(distanceMs) < SECOND_MS) return 'just now';
  return distanceMs > 0 ? `in ${formatSpan(distanceMs, 2)}` : `${formatSpan(-distanceMs, 1)} ago`;
}

/** The `count` largest units of a duration of at least a second: `3d 4h`. */
export function formatSpan(ms: number, count: number): string {
  const units = formatDuration(Math.floor(ms / SECOND_MS) * SECOND_MS).match(/\d+\w/g) ?? [];
  return units.slice(0, count).join(' ');
}

/**
 * Reads an ISO 8601 time, or a duration before `now` such as `1h`.
 * @returns milliseconds since 1970; NaN when the text is neither.
 */
export function parseRelativeTime(text: string, now: number): number {
  const duration = parseDuration(text);
  if (duration !== null) return now - duration;
  // A number without a unit is invalid, but Date.parse() reads 35 as the year 2035.
  return /^\d+(?:\.\d+)?$/.test(text.trim()) && !/^\d{4}$/.test(text) ? Number.NaN : Date.parse(text);
}
