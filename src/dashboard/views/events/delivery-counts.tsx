import type { EventSummary } from '../../../contract/event-schemas.ts';
import { deliveryStatuses } from '../../../domain/delivery.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';

/** `✓ succeeded 2 ✗ failed 1` */
export function DeliveryCounts({ counts }: { readonly counts: EventSummary['delivery_counts'] }) {
  const present = deliveryStatuses.filter((status) => counts[status] > 0);
  if (present.length === 0) return <span class="muted">no subscribed endpoint</span>;
  return (
    <span class="events-counts">
      {present.map((status) => (
        <StatusBadge key={status} status={status} count={counts[status]} />
      ))}
    </span>
  );
}
