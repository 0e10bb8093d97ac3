/** Formats times of the clock and results of its moves. */

import { formatSpan, SECOND_MS } from '../../../domain/duration.ts';
import type { AttemptSummary } from '../../../resources/attempt.ts';

/** `2026-11-21 08:12:33` */
export function formatUtc(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** How far schedule time is from real time: `3d 4h ahead of real time`; null below one second. */
export function formatDistance(scheduleTime: number, wallTime: number): string | null {
  const distance = scheduleTime - wallTime;
  if (Math.abs(distance) < SECOND_MS) return null;
  return `${formatSpan(Math.abs(distance), 2)} ${distance > 0 ? 'ahead of' : 'behind'} real time`;
}

/** `3 attempts: 2 succeeded, 1 failed`, `No attempts were due` */
export function summarizeAttempts(attempts: readonly Pick<AttemptSummary, 'outcome'>[]): string {
  const succeeded = attempts.filter(({ outcome }) => outcome === 'succeeded').length;
  if (attempts.length === 0) return 'No attempts were due';
  const parts = [
    ...(succeeded === 0 ? [] : [`${succeeded} succeeded`]),
    ...(succeeded === attempts.length ? [] : [`${attempts.length - succeeded} failed`]),
  ];
  return `${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}: ${parts.join(', ')}`;
}
