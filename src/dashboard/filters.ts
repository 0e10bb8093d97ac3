/** The filters of the lists, from the tables of the resources: their values in the URL, and as text. */
import * as v from 'valibot';
import { type DeliveryStatusFilter, MAX_DELIVERY_COUNT } from '../domain/delivery.ts';
import type { DeliveryStatusCounts } from '../operations/overview-schemas.ts';
import type { FilterInput, Filters } from '../resources/define-resource.ts';
import { formatDateTime } from './views/clock/clock-format.ts';

/** Values as the URL contains them; none is empty or invalid. */
export type FilterTexts = Readonly<Record<string, string>>;

/** The trimmed values of the filters. Values that are empty or invalid are ignored. */
export function pickFilters(table: Filters, query: FilterTexts): FilterTexts {
  const entries = Object.entries(table).flatMap(([name, { schema }]) => {
    const text = query[name]?.trim() ?? '';
    return text !== '' && v.is(schema, text) ? [[name, text]] : [];
  });
  return Object.fromEntries(entries);
}

/** The filters as parameters of the control plane. */
export function toListInput<Table extends Filters>(table: Table, texts: FilterTexts): FilterInput<Table> {
  const entries = Object.entries(texts).map(([name, text]) => [
    name,
    table[name] && v.parse(table[name].schema, text),
  ]);
  return Object.fromEntries(entries) as FilterInput<Table>;
}

/** In the order of the buttons: groups before what they include, and pending statuses before the final ones. */
export const filterStatuses = [
  'unsuccessful',
  'failing',
  'paused',
  'pending',
  'failed',
  'succeeded',
  'canceled',
] as const satisfies readonly DeliveryStatusFilter[];

/**
 * The value of a filter, with times as elsewhere. A pending delivery can have a badge that says failing or paused, so the text says that the
 * filter selects those too.
 */
export function describeFilterValue(name: string, value: string): string {
  if (name === 'status' && value === 'pending') return 'all pending';
  return value.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => formatDateTime(Date.parse(time)));
}

/** Number of deliveries that a status filter selects. It stops at 1,000, as the counts of the emulator do; undefined while it is unknown. */
export function getStatusCount(status: DeliveryStatusFilter, counts: DeliveryStatusCounts | undefined) {
  if (counts === undefined || status === 'succeeded') return undefined;
  if (status !== 'unsuccessful') return counts[status];
  return Math.min(counts.failing + counts.failed, MAX_DELIVERY_COUNT);
}
