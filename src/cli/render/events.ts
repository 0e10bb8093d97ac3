import type { Event } from '../../contract/resources.ts';
import { formatRelative } from '../../domain/relative-time.ts';
import type { ScheduleNow } from '../schedule-now.ts';
import type { Column } from './table.ts';

/** Their times are schedule times. */
export function eventColumns(now: ScheduleNow): readonly Column<Event>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'TYPE', value: ({ type }) => type, leaves: 3 },
    { title: 'CREATED', value: (row) => formatRelative(row.created_at, now(row)), leaves: 2 },
    { title: 'PAYLOAD', value: ({ payload }) => JSON.stringify(payload), leaves: 1, shrinks: true },
  ];
}
