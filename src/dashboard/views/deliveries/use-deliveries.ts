import type { Delivery } from '../../../contract/deliveries.ts';
import type { StreamItem } from '../../../contract/stream.ts';
import { control } from '../../control.ts';
import type { News } from '../../feed.ts';
import { type LiveList, useLiveList } from '../../live-list.ts';
import { scheduleNow } from '../../schedule.ts';
import { workspaceId } from '../../session.ts';
import { type Filter, fits, toInput } from './filter.ts';

/** The deliveries of the workspace that fit, live. */
export function useDeliveries(filter: Filter): LiveList<Delivery> {
  const workspace = workspaceId.value;
  return useLiveList<Delivery>({
    key: workspace === undefined ? null : JSON.stringify([workspace, filter]),
    ask: (page) => control.listDeliveries({ workspace_id: workspace, ...toInput(filter), ...page }),
    hear: (items, feed) => {
      const news = items.flatMap((item) => (isOf(workspace, item) ? [toNews(item, filter)] : []));
      if (news.length > 0) feed.hear(news);
    },
  });
}

type DeliveryItem = Extract<StreamItem, { type: 'delivery' | 'attempt' }>;

function isOf(workspace: string | undefined, item: StreamItem): item is DeliveryItem {
  return 'delivery' in item && item.delivery.workspace_id === workspace;
}

function toNews(item: DeliveryItem, filter: Filter): News<Delivery> {
  const { delivery } = item;
  const body = item.type === 'attempt' ? item.attempt.request.body : undefined;
  return { item: delivery, belongs: fits(filter, delivery, body, scheduleNow.peek() ?? 0) };
}
