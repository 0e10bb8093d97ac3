/** The filter of the delivery list: in the URL, for the control plane, and for live updates. */
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../../domain/delivery.ts';
import { parseRelativeTime } from '../../../domain/relative-time.ts';
import { containsText } from '../../../domain/text-search.ts';
import { pickFilters } from '../../pick-filters.ts';

/** Names of the query parameters, the same as the options of `svc deliveries list`. */
export const filterNames = ['status', 'type', 'webhook', 'event', 'since', 'until', 'text'] as const;
type FilterName = (typeof filterNames)[number];

/** Filter values of the URL; none is empty. */
export type DeliveryFilter = Readonly<Partial<Record<FilterName, string>>> & {
  readonly status?: DeliveryStatus;
};

/** Parses the filter from the query of a URL. Unknown and invalid values are ignored. */
export function parseFilter(query: Readonly<Record<string, string>>): DeliveryFilter {
  return pickFilters(query, filterNames, isDeliveryStatus) as DeliveryFilter;
}

function isDeliveryStatus(text: string): boolean {
  return deliveryStatuses.some((status) => status === text);
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
 * Applies the rules of the control plane to a delivery; null when only its unknown body could decide.
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
  const fitsRest =
    (filter.status ?? delivery.status) === delivery.status &&
    (filter.type ?? delivery.event_type) === delivery.event_type &&
    (filter.webhook ?? delivery.webhook_id) === delivery.webhook_id &&
    (filter.event ?? delivery.event_id) === delivery.event_id &&
    (filter.since === undefined || createdAt >= parseRelativeTime(filter.since, now)) &&
    (filter.until === undefined || createdAt < parseRelativeTime(filter.until, now));
  if (!fitsRest || filter.text === undefined) return fitsRest;
  const text = filter.text.toLowerCase();
  const { id, event_id, event_type, url } = delivery;
  if ([id, event_id, event_type, url, body ?? ''].some((each) => containsText(each, text))) return true;
  return body === undefined ? null : false;
}
