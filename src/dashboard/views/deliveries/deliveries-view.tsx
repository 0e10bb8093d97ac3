/** The deliveries of the workspace, and the open one. */
import './deliveries.css';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { settledReasonDescriptions } from '../../../domain/delivery.ts';
import type { Route } from '../../address.ts';
import { control } from '../../control.ts';
import type { ItemUpdate } from '../../feed.ts';
import { scheduleNow } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { shortenUrl } from '../../shorten-url.ts';
import { withErrorToast } from '../../toasts.ts';
import { ListDetail } from '../../ui/list-detail.tsx';
import { LiveTable, PauseButton } from '../../ui/live-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { AttemptDueTime, Time } from '../../ui/time.tsx';
import { type LiveList, useLiveList } from '../../use-live-list.ts';
import { DeliveryView } from '../delivery/delivery-view.tsx';
import { openReplayDialog } from '../replay/replay-request.ts';
import { type DeliveryFilter, matchesFilter, parseFilter, toListInput } from './delivery-filter.ts';
import { DeliveryFilterBar } from './delivery-filter-bar.tsx';
import { GettingStarted } from './getting-started.tsx';

export function DeliveriesView({ route: { id, query } }: { readonly route: Route }) {
  return (
    <div class="deliveries">
      <ListDetail
        list={<DeliveryList query={query} openId={id} />}
        detail={id === null ? null : <DeliveryView id={id} />}
        label="Delivery"
        back={{ section: 'deliveries', query: { ...parseFilter(query) } }}
        backTitle="All deliveries"
      />
    </div>
  );
}

const ROW_REM = 3.25;

interface DeliveryListProps {
  readonly query: Route['query'];
  /** ID of the open delivery; null when none is open. */
  readonly openId: string | null;
}

export function DeliveryList({ query, openId }: DeliveryListProps) {
  const filter = parseFilter(query);
  const list = useDeliveries(filter);
  const active = openId ?? list.selectedId;
  // The open tab stays the same when the user opens another delivery.
  const tab = query.tab ?? '';
  useShortcuts([
    {
      key: 'r',
      description: 'Replay the selected delivery',
      run: () => active !== null && void replay(active),
    },
  ]);
  const hasFilter = Object.keys(filter).length > 0;
  return (
    <>
      <DeliveryFilterBar filter={filter}>
        <PauseButton {...list} />
      </DeliveryFilterBar>
      <LiveTable
        list={list}
        what="deliveries"
        columns={COLUMNS}
        cells={renderCells}
        rowHeight={ROW_REM}
        toRoute={(id) => ({ section: 'deliveries', id, query: { ...filter, tab } })}
        openId={openId}
        hasFilter={hasFilter}
        empty={<GettingStarted />}
      />
    </>
  );
}

/** The open delivery may not be in the list. */
async function replay(id: string): Promise<void> {
  const delivery = await withErrorToast(control.getDelivery({ id }));
  if (delivery !== undefined) openReplayDialog(delivery);
}

export const COLUMNS = ['Status', 'Event', 'Endpoint', 'Attempts', 'Created'];

/** One cell per column. `address` links the delivery. */
export function renderCells(delivery: Delivery, address: string) {
  const { id, status, event_type: type, url, attempt_count: attempts, created_at: createdAt } = delivery;
  return [
    <StatusBadge status={status} paused={delivery.paused} />,
    <>
      <a href={address} tabIndex={-1}>
        {type}
      </a>
      <small class="mono">{id}</small>
    </>,
    <>
      <span class="deliveries-url" title={url}>
        {shortenUrl(url)}
      </span>
      <small>
        <NextAttempt delivery={delivery} />
      </small>
    </>,
    <>
      {attempts}
      <span class="deliveries-times">×</span>
    </>,
    <Time at={createdAt} clock="schedule" />,
  ];
}

/** The due time of the next attempt, or why it stopped. */
function NextAttempt({ delivery }: { readonly delivery: Delivery }) {
  const { status, paused, attempt_count: attempts, next_attempt_at: next, settled_reason: reason } = delivery;
  const { replay_of: original } = delivery;
  if (paused) return <>endpoint disabled</>;
  if (status === 'pending' && next === null) return <>sending</>;
  if (next !== null) {
    return (
      <>
        {attempts === 0 ? 'first' : 'next'} attempt <AttemptDueTime at={next} />
      </>
    );
  }
  if (reason !== null) return <>{settledReasonDescriptions[reason]}</>;
  return <>{original === null ? '' : `replay of ${original}`}</>;
}

/** The deliveries of the workspace that match the filter, live. */
export function useDeliveries(filter: DeliveryFilter): LiveList<Delivery> {
  const workspace = workspaceId.value;
  return useLiveList<Delivery>({
    key: workspace === undefined ? null : JSON.stringify([workspace, filter]),
    fetchPage: (page) => control.listDeliveries({ workspace_id: workspace, ...toListInput(filter), ...page }),
    onItems: (items, feed) => {
      const updates = items.flatMap((item) =>
        isInWorkspace(workspace, item) ? [toUpdate(item, filter)] : [],
      );
      if (updates.length > 0) feed.applyUpdates(updates);
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
