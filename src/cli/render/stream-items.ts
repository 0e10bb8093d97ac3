/** Renders the items of the live stream, one per line. */

import { formatDuration, formatLatency, MINUTE_MS } from '../../domain/duration.ts';
import type { StreamItem } from '../../operations/stream-schemas.ts';
import type { ApiRequest } from '../../resources/request.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { formatSecondOfDay, formatTimeOfDay } from './format.ts';
import { styleFor, styleHttpStatus, styleOutcome } from './style.ts';
import { truncateLine } from './text-width.ts';

interface Output {
  readonly io: TerminalCapabilities;
}

type AttemptItem = Extract<StreamItem, { type: 'attempt' }>;

/** The width of the time and the gap after it. */
const INDENT = ' '.repeat('hh:mm:ss.mmmZ  '.length);

/** Renders an attempt on one line. Below it, if it failed: what follows, the error and the command that explains it. */
export function renderAttempt({ attempt, delivery }: AttemptItem, { io }: Output): string {
  const summary = [
    formatTimeOfDay(attempt.sent_at),
    styleOutcome(attempt, io),
    formatDuration(attempt.duration_ms),
    // Before the long values, so that 80 columns show the complete ID.
    delivery.id,
    `#${attempt.number}`,
    delivery.event_type,
    delivery.url,
  ].join('  ');
  if (attempt.error === null) return truncateLine(io, summary);
  const next = describeNextStep({ attempt, delivery });
  const result = next === null ? attempt.error : `${next}: ${attempt.error}`;
  const lines = [summary, INDENT + result].map((line) => truncateLine(io, line));
  // Complete at every width, so that it can be copied.
  return [...lines, `${INDENT}svc explain ${delivery.id}`].join('\n');
}

/**
 * What follows a failed attempt: `retry at 12:05:00Z`, or the status of its delivery. The time is labeled if the schedule clock was
 * not near the wall clock.
 * @returns null if a later attempt was made
 */
export function describeNextStep({
  attempt,
  delivery,
}: Pick<AttemptItem, 'attempt' | 'delivery'>): string | null {
  const { attempt_count: count, next_attempt_at: nextAt, status } = delivery;
  if (attempt.number < count) return null;
  if (nextAt === null) return status;
  const { sent_at: sentAt, scheduled_at: scheduledAt } = attempt;
  const isSameDay = sentAt.slice(0, 10) === nextAt.slice(0, 10);
  const time = isSameDay ? formatSecondOfDay(nextAt) : `${nextAt.slice(0, 10)} ${formatSecondOfDay(nextAt)}`;
  const isLabeled = Math.abs(Date.parse(sentAt) - Date.parse(scheduledAt)) >= MINUTE_MS;
  return `retry at ${time}${isLabeled ? ' schedule time' : ''}`;
}

/** Renders a request on one line. Truncated in a terminal. */
export function renderRequest(request: ApiRequest, { io }: Output): string {
  const { at, method, path, status, error_code: code, duration_ms: ms, id, fault } = request;
  // The path is last, so that 80 columns show the complete ID.
  const parts = [
    formatTimeOfDay(at),
    method,
    styleHttpStatus(status, io),
    formatLatency(ms),
    id,
    code,
    fault && `fault ${fault.kind}`,
    path,
  ];
  return truncateLine(io, parts.filter(Boolean).join('  '));
}

/** Shown when earlier output can be outdated. */
export function renderReset(capabilities: { readonly color: boolean }): string {
  return styleFor(capabilities).dim('The state was replaced by a reset or a snapshot.');
}
