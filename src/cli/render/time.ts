import { DAY_MS, formatDuration, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/duration.ts';

/** How far an ISO time lies from `now`: `in 4m`, `3m ago`, `just now`. */
export function formatRelative(time: string, now: number): string {
  const distance = Date.parse(time) - now;
  const text = formatDuration(coarse(Math.abs(distance)));
  if (Math.abs(distance) < SECOND_MS) return 'just now';
  return distance > 0 ? `in ${text}` : `${text} ago`;
}

/** `2026-11-20T12:00:00.000Z (3m ago)` */
export function formatTime(time: string, now: number): string {
  return `${time} (${formatRelative(time, now)})`;
}

/** The time of day of an ISO time, to the millisecond, in UTC. */
export function formatTimeOfDay(time: string): string {
  return time.slice(11, 23);
}

/** Two units are enough for a person. */
function coarse(ms: number): number {
  const unit = ms < HOUR_MS ? SECOND_MS : ms < DAY_MS ? MINUTE_MS : HOUR_MS;
  return Math.floor(ms / unit) * unit;
}
