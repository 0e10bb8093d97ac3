import { formatRelative } from '../../domain/relative-time.ts';

/** `2026-11-20T12:00:00.000Z (3m ago)` */
export function formatTime(time: string, now: number): string {
  return `${time} (${formatRelative(time, now)})`;
}

/** `2026-11-20 12:00:00` in UTC, for columns. */
export function formatSecond(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`;
}

/** The time of day of an ISO time in UTC, with milliseconds. */
export function formatTimeOfDay(time: string): string {
  return time.slice(11, 23);
}
