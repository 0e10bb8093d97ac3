import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { StreamItem } from '../../contract/stream-schemas.ts';
import { getDisplayStatus } from '../../domain/delivery.ts';
import { formatDuration } from '../../domain/duration.ts';
import { formatRelative } from '../../domain/relative-time.ts';
import type { Context } from '../context.ts';
import type { TerminalCapabilities } from '../io.ts';
import type { ScheduleTimeOf } from '../schedule-time.ts';
import { truncateLine } from './ansi.ts';
import { styleOutcome, styleStatus } from './style.ts';
import type { Column } from './table.ts';
import { formatTimeOfDay } from './time.ts';

/** Times are schedule times. */
export function deliveryColumns(
  { io }: Pick<Context, 'io'>,
  scheduleTimeOf: ScheduleTimeOf,
): readonly Column<Delivery>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'STATUS', value: (delivery) => styleStatus(getDisplayStatus(delivery), io) },
    { title: 'TYPE', value: ({ event_type: type }) => type, hideOrder: 5 },
    { title: 'ATTEMPTS', value: ({ attempt_count: count }) => String(count), hideOrder: 3 },
    {
      title: 'NEXT',
      value: (row) => (row.next_attempt_at ? formatRelative(row.next_attempt_at, scheduleTimeOf(row)) : ''),
      hideOrder: 4,
    },
    { title: 'CREATED', value: (row) => formatRelative(row.created_at, scheduleTimeOf(row)), hideOrder: 2 },
    { title: 'URL', value: ({ url }) => url, hideOrder: 1, canTruncate: true },
  ];
}

type AttemptItem = Extract<StreamItem, { type: 'attempt' }>;

/** Renders an attempt on one line, with its error and next retry on a second line. Truncated in a terminal. */
export function renderAttempt(
  { attempt, delivery }: AttemptItem,
  { io }: { readonly io: TerminalCapabilities },
): string {
  const head = [
    formatTimeOfDay(attempt.sent_at),
    styleOutcome(attempt, io),
    formatDuration(attempt.duration_ms),
    // Before the long values, so that 80 columns show the complete id.
    delivery.id,
    `#${attempt.number}`,
    delivery.event_type,
    delivery.url,
  ].join('  ');
  const lines =
    attempt.error === null
      ? [head]
      : [head, `${' '.repeat(14)}${attempt.error}${describeNextStep(delivery)}`];
  return lines.map((line) => truncateLine(io, line)).join('\n');
}

function describeNextStep({ status, next_attempt_at: next }: Delivery): string {
  return next === null ? ` — ${status}` : ` — retry at ${next}`;
}
