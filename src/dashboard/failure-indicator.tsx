/** Shows in the title of the page how many deliveries fail. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { MAX_DELIVERY_COUNT } from '../domain/delivery.ts';
import type { DeliveryStatusCounts } from '../operations/overview-schemas.ts';
import { control } from './control.ts';
import { workspaceId } from './session.ts';
import { useQuery } from './use-query.ts';

/** The counts of the selected workspace; undefined until the first response. */
export const deliveryCounts = signal<DeliveryStatusCounts>();

/** @param title the title of the page without the count */
export function FailureIndicator({ title }: { readonly title: string }) {
  const workspace = workspaceId.value;
  const { value: counts } = useQuery(
    async () => (workspace === undefined ? undefined : control.countDeliveries({ workspace_id: workspace })),
    [workspace],
    { isLive: true },
  );
  useEffect(() => {
    deliveryCounts.value = counts;
  }, [counts]);
  document.title = `${formatFailureCount(counts)}${title} · svc`;
  return null;
}

/** The number of deliveries that are failing or have failed: `(3) `, or `(1012+) ` if it may be higher. Empty for none. */
function formatFailureCount({ failing, failed }: Partial<DeliveryStatusCounts> = {}): string {
  const count = (failing ?? 0) + (failed ?? 0);
  const isCapped = Math.max(failing ?? 0, failed ?? 0) === MAX_DELIVERY_COUNT;
  return count === 0 ? '' : `(${count}${isCapped ? '+' : ''}) `;
}
