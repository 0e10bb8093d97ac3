/** Formats times and sizes. Times are ISO 8601 in UTC. */
import { formatDueTime, formatDuration, formatRelative, SECOND_MS } from '../../domain/duration.ts';
import type { ClockState } from '../../operations/emulator-schemas.ts';

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
export function formatSize(size: number): string {
  return size < 1024 ** 2 ? `${Math.ceil(size / 1024)} KiB` : `${(size / 1024 ** 2).toFixed(1)} MiB`;
}

/** Shows the difference of the clocks in whole seconds, because the two times are not read simultaneously. */
export function describeClock({ speed, now, wall }: ClockState): string {
  const pace = speed === 0 ? 'frozen' : `${speed}×`;
  const drift = Date.parse(now) - Date.parse(wall);
  if (Math.abs(drift) < SECOND_MS) return `${pace}, same time as the wall clock`;
  const difference = formatDuration(Math.round(Math.abs(drift) / SECOND_MS) * SECOND_MS);
  return `${pace}, ${difference} ${drift > 0 ? 'ahead of' : 'behind'} the wall clock`;
}

/** Whether the schedule clock shows the wall time, and continues to. */
export function isWallTime({ speed, now, wall }: ClockState): boolean {
  return speed === 1 && Math.abs(Date.parse(now) - Date.parse(wall)) < SECOND_MS;
}
