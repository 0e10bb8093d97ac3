/** Formats the times and results in the clock bar. */
import type { AttemptSummary } from '../../../contract/delivery-schemas.ts';
import { formatSpan, SECOND_MS } from '../../../domain/duration.ts';

/** `2026-11-21 08:12:33` */
export function formatUtc(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** How far schedule time is from wall time: `3d 4h ahead of real time`; null below one second. */
export function formatDistance(scheduleTime: number, wallTime: number): string | null {
  const distance = scheduleTime - wallTime;
  if (Math.abs(distance) < SECOND_MS) return null;
  return `${formatSpan(Math.abs(distance), 2)} ${distance > 0 ? 'ahead of' : 'behind'} real time`;
}

/** `frozen`, `×3600` */
export function formatSpeed(speed: number): string {
  return speed === 0 ? 'frozen' : `×${speed}`;
}

/**
 * `3 attempts: 2 succeeded, 1 failed`
 * @param attempts at least one
 */
export function summarizeAttempts(attempts: readonly Pick<AttemptSummary, 'outcome'>[]): string {
  const succeeded = attempts.filter(({ outcome }) => outcome === 'succeeded').length;
  const parts = [
    ...(succeeded === 0 ? [] : [`${succeeded} succeeded`]),
    ...(succeeded === attempts.length ? [] : [`${attempts.length - succeeded} failed`]),
  ];
  return `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}: ${parts.join(', ')}`;
}

/** Schedule time until something is due: `in 4m 12s`. */
export function formatDue(dueAt: string, now: number): string {
  const distance = Date.parse(dueAt) - now;
  return distance < SECOND_MS ? 'now' : `in ${formatSpan(distance, 2)}`;
}

/**
 * Real time until something is due: `in 25s of real time`.
 * @param ms null while the clock is frozen
 */
export function formatRealDue(ms: number | null): string {
  if (ms === null) return 'when the clock resumes';
  return ms < SECOND_MS ? 'within a second of real time' : `in ${formatSpan(ms, 2)} of real time`;
}
