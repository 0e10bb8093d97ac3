/** The filter of the delivery list. */
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import { DeliveryFilter as filterFields, matchesDeliveryFilter } from '../../../contract/list-filters.ts';
import { type FilterTexts, toCondition } from '../../url-filter.ts';

const { workspace_id: _, ...otherFields } = filterFields;
/** All fields except the workspace, which the page selects for all lists. */
export const deliveryFields = otherFields;
export type DeliveryFilter = FilterTexts<typeof deliveryFields>;

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
  return matchesDeliveryFilter(toCondition(deliveryFields, filter, now), delivery, () => body);
}
