/** The filter of the delivery list: in the URL, for the control plane, and for live updates. */
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import { matchesDeliveryFilter } from '../../../contract/list-filters.ts';
import { type DisplayStatus, displayStatuses } from '../../../domain/delivery.ts';
import { parseRelativeTime } from '../../../domain/duration.ts';
import { parseResponseFilter, type ResponseFilter } from '../../../domain/status-filter.ts';
import { pickFilters } from '../../address.ts';

/** Names of the query parameters, the same as the options of `svc deliveries list`. */
export const filterNames = [
  'status',
  'response',
  'type',
  'webhook',
  'event',
  'since',
  'until',
  'text',
] as const;
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
  response,
  ...rest
}: DeliveryFilter): Omit<ControlInput<'listDeliveries'>, 'limit' | 'starting_after'> {
  const responseStatus = toResponseFilter(response);
  return {
    ...rest,
    ...(responseStatus === undefined ? {} : { response_status: responseStatus }),
    ...(webhook === undefined ? {} : { webhook_id: webhook }),
    ...(event === undefined ? {} : { event_id: event }),
  };
}

function toResponseFilter(text: string | undefined): ResponseFilter | undefined {
  return text === undefined ? undefined : (parseResponseFilter(text) ?? undefined);
}

/**
 * Applies the filter to a delivery. Null when only its unknown body could decide.
 * @param body undefined when unknown
 * @param now schedule time in milliseconds since 1970
 */
export function matchesFilter(
  filter: DeliveryFilter,
  delivery: Delivery,
  body: string | undefined,
  now: number,
): boolean | null {
  const { since, until, ...fields } = toListInput(filter);
  const toTime = (text: string | undefined) => (text === undefined ? null : parseRelativeTime(text, now));
  const responseStatus = toResponseFilter(filter.response);
  const condition = {
    ...fields,
    response_status: responseStatus,
    since: toTime(since),
    until: toTime(until),
  };
  return matchesDeliveryFilter(condition, delivery, () => body);
}
