import { useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import type { Delivery } from '../../../contract/deliveries.ts';
import type { StreamItem } from '../../../contract/stream.ts';
import { isConnected } from '../../connection.ts';
import { control } from '../../control.ts';
import { Feed, type News } from '../../feed.ts';
import { useLive } from '../../live.ts';
import { scheduleNow } from '../../schedule.ts';
import { status, workspaceId } from '../../session.ts';
import { type Filter, fits, toInput } from './filter.ts';

/**
 * The deliveries of the workspace that fit, live. Narrowed to something else, it shows what it had until the answer is
 * there.
 * @param isHeld whether rows may neither come nor go
 */
export function useDeliveries(filter: Filter, isHeld: boolean): Feed<Delivery> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const workspace = workspaceId.value;
  const feed = useMemo(
    () =>
      new Feed<Delivery>({
        ask: (page) => control.listDeliveries({ workspace_id: workspace, ...toInput(filter), ...page }),
        onChange: () => redraw(0),
      }),
    // An emulator that was started anew may hold other things.
    [workspace, status.value?.started_at, JSON.stringify(filter)],
  );
  useEffect(() => {
    if (workspace !== undefined) feed.open();
    return () => feed.close();
  }, [feed]);
  useEffect(() => feed.hold(isHeld), [feed, isHeld]);
  useEffect(() => {
    if (isConnected.value) feed.again();
  }, [feed, isConnected.value]);
  useLive((items) => {
    const replaced = items.findLastIndex(({ type }) => type === 'reset');
    if (replaced !== -1) feed.open();
    const since = items.slice(replaced + 1);
    const news = since.flatMap((item) => (isOf(workspace, item) ? [toNews(item, filter)] : []));
    if (news.length > 0) feed.hear(news);
  });
  const shown = useRef(feed);
  if (feed.isOpen || feed.error !== null) shown.current = feed;
  return shown.current;
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
