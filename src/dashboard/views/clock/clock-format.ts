/** Formats times in the zone of the settings, and results of clock moves. */
import { computed } from '@preact/signals';
import { formatSpan, SECOND_MS } from '../../../domain/duration.ts';
import { formatCount } from '../../../domain/message-parts.ts';
import type { AttemptSummary } from '../../../resources/attempt.ts';
import { settings } from '../../settings.ts';

const formats = computed(() => {
  const zone = settings.value.zone === 'utc' ? { timeZone: 'UTC' } : {};
  const create = (locale: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, ...zone });
  return {
    day: create('en', { month: 'short', day: 'numeric' }),
    minute: create('en-GB', { hour: '2-digit', minute: '2-digit' }),
    second: create('en-GB', { timeStyle: 'medium' }),
    // The form of ISO 8601.
    date: create('sv', { dateStyle: 'short' }),
    zone: create('en', { timeZoneName: 'short' }),
  };
});

/** `2026-11-21 08:12:33` */
export function formatDateTime(at: number): string {
  return `${formats.value.date.format(at)} ${formats.value.second.format(at)}`;
}

/** `08:12`, on another day than `now` `Nov 21, 08:12` */
export function formatTime(at: number, now: number): string {
  const { day, minute } = formats.value;
  const date = day.format(at);
  return `${date === day.format(now) ? '' : `${date}, `}${minute.format(at)}`;
}

/** `UTC`, `GMT+1` */
export function formatZone(at: number): string {
  return formats.value.zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
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
  return `${formatCount(attempts.length, 'attempt')}: ${parts.join(', ')}`;
}
