import type { Delivery } from '../../../contract/delivery-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { control } from '../../control.ts';
import type { ItemUpdate } from '../../feed.ts';
import { scheduleNow } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { type LiveList, useLiveList } from '../../use-live-list.ts';
import { type DeliveryFilter, matchesFilter, toListInput } from './delivery-filter.ts';

/** The deliveries of the workspace that match the filter, live. */
export function useDeliveries(filter: DeliveryFilter): LiveList<Delivery> {
  const workspace = workspaceId.value;
  return useLiveList<Delivery>({
    key: workspace === undefined ? null : JSON.stringify([workspace, filter]),
    fetchPage: (page) => control.listDeliveries({ workspace_id: workspace, ...toListInput(filter), ...page }),
    onItems: (items, feed) => {
      const news = items.flatMap((item) => (isInWorkspace(workspace, item) ? [toUpdate(item, filter)] : []));
      if (news.length > 0) feed.applyUpdates(news);
    },
  });
}

type DeliveryItem = Extract<StreamItem, { type: 'delivery' | 'attempt' }>;

function isInWorkspace(workspace: string | undefined, item: StreamItem): item is DeliveryItem {
  return 'delivery' in item && item.delivery.workspace_id === workspace;
}

function toUpdate(item: DeliveryItem, filter: DeliveryFilter): ItemUpdate<Delivery> {
  const { delivery } = item;
  const body = item.type === 'attempt' ? item.attempt.request.body : undefined;
  return { item: delivery, matches: matchesFilter(filter, delivery, body, scheduleNow.peek() ?? 0) };
}
