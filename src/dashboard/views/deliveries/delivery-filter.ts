/** The filter of the delivery list: in the URL, for the control plane, and for live updates. */
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import { type DisplayStatus, displayStatuses, getDisplayStatus } from '../../../domain/delivery.ts';
import { parseRelativeTime } from '../../../domain/duration.ts';
import { pickFilters } from '../../pick-filters.ts';

/** Names of the query parameters, the same as the options of `svc deliveries list`. */
export const filterNames = ['status', 'type', 'webhook', 'event', 'since', 'until', 'text'] as const;
type FilterName = (typeof filterNames)[number];

/** Filter values of the URL; none is empty. */
export type DeliveryFilter = Readonly<Partial<Record<FilterName, string>>> & {
  readonly status?: DisplayStatus;
};

/** Parses the filter from the query of a URL. Unknown and invalid values are ignored. */
export function parseFilter(query: Readonly<Record<string, string>>): DeliveryFilter {
  return pickFilters(query, filterNames, isDisplayStatus) as DeliveryFilter;
}

function isDisplayStatus(text: string): boolean {
  return displayStatuses.some((status) => status === text);
}

/** The filter as parameters of the control plane. */
export function toListInput({
  webhook,
  event,
  ...rest
}: DeliveryFilter): Omit<ControlInput<'listDeliveries'>, 'limit' | 'starting_after'> {
  return {
    ...rest,
    ...(webhook === undefined ? {} : { webhook_id: webhook }),
    ...(event === undefined ? {} : { event_id: event }),
  };
}

/**
 * Applies the rules of the control plane to a delivery: `pending` includes paused deliveries, `paused` selects only those.
 * Null when only its unknown body could decide.
 * @param body undefined when unknown
 * @param now schedule time in milliseconds since 1970
 */
export function matchesFilter(
  filter: DeliveryFilter,
  delivery: Delivery,
  body: string | undefined,
  now: number,
): boolean | null {
  const createdAt = Date.parse(delivery.created_at);
  const matchesFields =
    (filter.status === undefined || [delivery.status, getDisplayStatus(delivery)].includes(filter.status)) &&
    (filter.type ?? delivery.event_type) === delivery.event_type &&
    (filter.webhook ?? delivery.webhook_id) === delivery.webhook_id &&
    (filter.event ?? delivery.event_id) === delivery.event_id &&
    (filter.since === undefined || createdAt >= parseRelativeTime(filter.since, now)) &&
    (filter.until === undefined || createdAt < parseRelativeTime(filter.until, now));
  if (!matchesFields || filter.text === undefined) return matchesFields;
  const text = filter.text.toLowerCase();
  const { id, event_id, event_type, url } = delivery;
  const fields = [id, event_id, event_type, url, body ?? ''];
  if (fields.some((field) => field.toLowerCase().includes(text))) return true;
  return body === undefined ? null : false;
}
