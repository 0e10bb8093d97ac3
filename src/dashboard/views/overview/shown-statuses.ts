import type { DeliveryStatusCounts } from '../../../contract/overview-schemas.ts';
import { filterStatuses } from '../../ui/filter-text.ts';

/** The statuses with deliveries. `pending` is among them only if some are neither failing nor paused, which are shown anyway. */
export function listShownStatuses(counts: DeliveryStatusCounts): (keyof DeliveryStatusCounts)[] {
  const hasWaiting = counts.pending > counts.failing + counts.paused;
  return filterStatuses
    .filter((status) => status !== 'succeeded')
    .filter((status) => counts[status] > 0 && (status !== 'pending' || hasWaiting));
}
