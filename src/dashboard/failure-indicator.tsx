/** Shows in the title and the icon of the page how many deliveries fail. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { DeliveryStatusCounts } from '../contract/overview-schemas.ts';
import { MAX_DELIVERY_COUNT } from '../domain/delivery.ts';
import { SECOND_MS } from '../domain/duration.ts';
import { control } from './control.ts';
import icon from './icon.svg';
import { workspaceId } from './session.ts';
import { type Query, useQuery } from './use-query.ts';

/** The counts of the selected workspace; undefined until the first response. */
export const deliveryCounts = signal<DeliveryStatusCounts>();

/** A hidden page polls, because it does not follow the live stream. */
const HIDDEN_POLL_MS = 10 * SECOND_MS;
/** The icon has space for one digit. */
const MAX_ICON_COUNT = 9;

/** @param title the title of the page without the count */
export function FailureIndicator({ title }: { readonly title: string }) {
  const { value: counts, refetch } = useDeliveryCounts();
  useEffect(() => {
    const timer = setInterval(() => {
      // Also after a lost connection, because a hidden page does not connect again.
      if (document.hidden) refetch();
    }, HIDDEN_POLL_MS);
    return () => clearInterval(timer);
  }, []);
  const count = counts === undefined ? 0 : counts.failing + counts.failed;
  useEffect(() => {
    deliveryCounts.value = counts;
  }, [counts]);
  useEffect(() => showInIcon(count), [count]);
  document.title = `${counts === undefined || count === 0 ? '' : `(${formatFailureCount(counts)}) `}${title} · svc`;
  return null;
}

function useDeliveryCounts(): Query<DeliveryStatusCounts | undefined> {
  const workspace = workspaceId.value;
  return useQuery(
    async () => (workspace === undefined ? undefined : control.countDeliveries({ workspace_id: workspace })),
    [workspace],
    {
      refetchOn: (item) =>
        item.type === 'reset' ||
        item.type === 'webhook' ||
        ('delivery' in item && item.delivery.workspace_id === workspace),
      intervalMs: SECOND_MS,
    },
  );
}

/** The number of deliveries that are failing or have failed: `3`, or `1012+` if it may be higher. */
function formatFailureCount({ failing, failed }: DeliveryStatusCounts): string {
  return `${failing + failed}${Math.max(failing, failed) === MAX_DELIVERY_COUNT ? '+' : ''}`;
}

function showInIcon(count: number): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link !== null) link.href = count === 0 ? icon : createCountIcon(count);
}

function createCountIcon(count: number): string {
  const text = count > MAX_ICON_COUNT ? `${MAX_ICON_COUNT}+` : count;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b3261e"/>
    <text x="16" y="23" font-family="sans-serif" font-size="20" font-weight="700" text-anchor="middle" fill="#fff">${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
