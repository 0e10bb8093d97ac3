/** Shows in the title of the page how many deliveries fail. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { DeliveryStatusCounts } from '../operations/overview-schemas.ts';
import { control } from './control.ts';
import { getStatusCount } from './filters.ts';
import { workspaceId } from './session.ts';
import { formatCappedCount } from './ui/status-badge.tsx';
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

/** The number of deliveries that are failing or have failed: `(3) `. Empty for none. */
function formatFailureCount(counts: DeliveryStatusCounts | undefined): string {
  const count = getStatusCount('unsuccessful', counts) ?? 0;
  return count === 0 ? '' : `(${formatCappedCount(count)}) `;
}
