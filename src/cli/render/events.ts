import type { Event } from '../../contract/resources.ts';
import { formatRelative } from '../../domain/relative-time.ts';
import type { ScheduleTimeOf } from '../schedule-time.ts';
import type { Column } from './table.ts';

/** Their times are schedule times. */
export function eventColumns(now: ScheduleTimeOf): readonly Column<Event>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'TYPE', value: ({ type }) => type, hideOrder: 3 },
    { title: 'CREATED', value: (row) => formatRelative(row.created_at, now(row)), hideOrder: 2 },
    { title: 'PAYLOAD', value: ({ payload }) => JSON.stringify(payload), hideOrder: 1, canTruncate: true },
  ];
}
