/** Formats times and sizes. Times are ISO 8601 in UTC. */
import { formatDueTime, formatRelative } from '../../domain/duration.ts';

/** `2026-11-20T12:00:00.000Z (3m ago)` */
export function formatTime(time: string, now: number): string {
  return `${time} (${formatRelative(time, now)})`;
}

/** `2026-11-20T12:00:00.000Z (in 3m)` */
export function formatDue(time: string, now: number): string {
  return `${time} (${formatDueTime(time, now)})`;
}

/** `2026-11-20 12:00:00`, for columns. */
export function formatSecond(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}`;
}

/** `12:00:00.000Z` */
export function formatTimeOfDay(time: string): string {
  return time.slice(11);
}

/** `12:00:00Z` */
export function formatSecondOfDay(time: string): string {
  return `${time.slice(11, 19)}Z`;
}

/** `12 KiB`, `3.4 MiB` */
export function formatSize(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
