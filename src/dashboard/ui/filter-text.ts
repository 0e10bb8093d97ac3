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
  since: 'From',
  status: 'Status',
  text: 'Search',
  type: 'Type',
  until: 'Before',
  webhook_id: 'Endpoint',
};

export const RECENT_PERIODS = { '5m': 'last 5 minutes', '1h': 'last hour', '24h': 'last 24 hours' };

/** The time by which a list is filtered. */
export interface FilteredTime {
  /** Label of a recent period. */
  readonly label: string;
  readonly clock: 'schedule time' | 'real time';
}

const createdTime: FilteredTime = { label: 'Created', clock: 'schedule time' };

/** The label of a filter and its value: `Created`, `last hour (schedule time)` */
export function describeFilter(name: string, value: string, time = createdTime) {
  const label = filterLabels[name] ?? name;
  if (name === 'status') return { label, text: describeStatusFilter(value) };
  if (name !== 'since' && name !== 'until') return { label, text: value };
  const period = name === 'since' ? new Map(Object.entries(RECENT_PERIODS)).get(value) : undefined;
  return { label: period === undefined ? label : time.label, text: `${period ?? value} (${time.clock})` };
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
