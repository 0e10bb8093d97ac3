import { formatDuration, SECOND_MS } from '../../domain/duration.ts';

/** How far an ISO time lies from `now`: `in 4m 12s`, `3m ago`, `just now`. */
export function formatRelative(time: string, now: number): string {
  const distance = Date.parse(time) - now;
  if (Math.abs(distance) < SECOND_MS) return 'just now';
  return distance > 0 ? `in ${toUnits(distance, 2)}` : `${toUnits(-distance, 1)} ago`;
}

/** `2026-11-20T12:00:00.000Z (3m ago)` */
export function formatTime(time: string, now: number): string {
  return `${time} (${formatRelative(time, now)})`;
}

/** `2026-11-20 12:00:00`, in UTC: where many stand under each other and seconds tell them apart. */
export function formatSecond(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`;
}

/** The time of day of an ISO time, to the millisecond, in UTC. */
export function formatTimeOfDay(time: string): string {
  return time.slice(11, 23);
}

/** The largest units of a duration: two where somebody waits for it, one where it is over. */
function toUnits(ms: number, count: number): string {
  const units = formatDuration(Math.floor(ms / SECOND_MS) * SECOND_MS).match(/\d+\w/g) ?? [];
  return units.slice(0, count).join(' ');
}
