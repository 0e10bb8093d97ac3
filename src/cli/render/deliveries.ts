import type { Delivery } from '../../contract/deliveries.ts';
import type { StreamItem } from '../../contract/stream.ts';
import { shownStatus } from '../../domain/delivery.ts';
import { formatDuration } from '../../domain/duration.ts';
import { formatRelative } from '../../domain/relative-time.ts';
import type { Context } from '../context.ts';
import type { Look } from '../io.ts';
import type { ScheduleNow } from '../schedule-now.ts';
import { cutLineTo } from './painted.ts';
import { paintOutcome, paintStatus } from './style.ts';
import type { Column } from './table.ts';
import { formatTimeOfDay } from './time.ts';

/** Their times are schedule times. */
export function deliveryColumns({ io }: Pick<Context, 'io'>, now: ScheduleNow): readonly Column<Delivery>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'STATUS', value: (delivery) => paintStatus(shownStatus(delivery), io) },
    { title: 'TYPE', value: ({ event_type: type }) => type, leaves: 5 },
    { title: 'TRIES', value: ({ attempt_count: count }) => String(count), leaves: 3 },
    {
      title: 'NEXT',
      value: (row) => (row.next_attempt_at ? formatRelative(row.next_attempt_at, now(row)) : ''),
      leaves: 4,
    },
    { title: 'CREATED', value: (row) => formatRelative(row.created_at, now(row)), leaves: 2 },
    { title: 'URL', value: ({ url }) => url, leaves: 1, shrinks: true },
  ];
}

type AttemptItem = Extract<StreamItem, { type: 'attempt' }>;

/** One attempt on one line, and below it what went wrong and when it is tried again; a terminal gets what fits. */
export function renderAttempt({ attempt, delivery }: AttemptItem, { io }: { readonly io: Look }): string {
  const head = [
    formatTimeOfDay(attempt.sent_at),
    paintOutcome(attempt, io),
    formatDuration(attempt.duration_ms),
    // Before what may be long: an id is of no use when it is cut, and 80 columns have room up to here.
    delivery.id,
    `#${attempt.number}`,
    delivery.event_type,
    delivery.url,
  ].join('  ');
  const lines =
    attempt.error === null ? [head] : [head, `${' '.repeat(14)}${attempt.error}${nextStep(delivery)}`];
  return lines.map((line) => cutLineTo(io, line)).join('\n');
}

function nextStep({ status, next_attempt_at: next }: Delivery): string {
  return next === null ? ` — ${status}` : ` — again at ${next}`;
}
