/** The filters of all lists as text. */
import type { DeliveryStatusFilter } from '../../domain/delivery.ts';

/** Labels by the name of the filter in the URL. */
export const filterLabels: Readonly<Record<string, string>> = {
  api_key_id: 'API key',
  event_id: 'Event',
  method: 'Method',
  path: 'Path',
  resource_id: 'Resource',
  response_status: 'Response',
  since: 'Since',
  status: 'Status',
  text: 'Search',
  type: 'Type',
  until: 'Before',
  webhook_id: 'Endpoint',
};

/** The clock of the times by which a list is filtered. */
export type FilterClock = 'schedule time' | 'real time';

/** The label of a filter and its value: `Created since`, `1h (schedule time)` */
export function describeFilter(name: string, value: string, clock: FilterClock = 'schedule time') {
  const label = filterLabels[name] ?? name;
  if (name === 'status') return { label, text: describeStatusFilter(value) };
  return { label, text: name === 'since' || name === 'until' ? `${value} (${clock})` : value };
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

/** A pending delivery can have a badge that says failing or paused, so the text says that the filter selects those too. */
export function describeStatusFilter(status: string): string {
  return status === 'pending' ? 'all pending' : status;
}
