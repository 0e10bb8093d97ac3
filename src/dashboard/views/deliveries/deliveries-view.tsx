/** The deliveries of the workspace, and the open one. */
import { ActionButton } from '../../ui/action-button.tsx';
import './deliveries.css';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import type { DeliveryStatusCounts } from '../../../contract/overview-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import {
  describeOutcome,
  displayStatuses,
  getDisplayStatus,
  settledReasonDescriptions,
} from '../../../domain/delivery.ts';
import { WILDCARD_SUBSCRIPTION } from '../../../domain/event.ts';
import { type Route, shortenUrl } from '../../address.ts';
import { control } from '../../control.ts';
import { deliveryCounts } from '../../failure-indicator.tsx';
import type { ItemUpdate } from '../../feed.ts';
import { findNextFailing, nextFailingShortcut } from '../../next-failing-delivery.ts';
import { MAX_PAGE_SIZE } from '../../paged-list.ts';
import { navigate, replaceRoute } from '../../router.ts';
import { selectedClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { withErrorToast } from '../../toasts.ts';
import { DownloadButton } from '../../ui/download-button.tsx';
import { FilterButtons, FilterInput, FilterSelect, PeriodFields } from '../../ui/filter-bar.tsx';
import { filterStatuses } from '../../ui/filter-text.ts';
import { Icon } from '../../ui/icon.tsx';
import { LiveListView } from '../../ui/live-list-view.tsx';
import { StatusBadge, StatusFilter, statusGroupTitles } from '../../ui/status-badge.tsx';
import { AttemptDueTime, Time } from '../../ui/time.tsx';
import { pickFilters, toListInput } from '../../url-filter.ts';
import { useEventTypes } from '../../use-event-types.ts';
import { type LiveList, useLiveList } from '../../use-live-list.ts';
import { useQuery } from '../../use-query.ts';
import { DeliveryView } from '../delivery/delivery-view.tsx';
import { GettingStarted } from '../overview/getting-started.tsx';
import { openBulkReplayDialog, openReplayDialog, ReplayDialog } from '../replay/replay-dialog.tsx';
import { type DeliveryFilter, deliveryFields, matchesFilter } from './delivery-filter.ts';

export function DeliveriesView({ route }: { readonly route: Route }) {
  const filter = pickFilters(deliveryFields, route.query);
  const list = useDeliveries(filter);
  const active = route.id ?? list.selectedId;
  useShortcuts([
    {
      key: 'r',
      description: 'Replay the selected delivery',
      run: () => active !== null && void replay(active),
    },
    {
      ...nextFailingShortcut,
      run: () => void openNextFailing(route, filter, active),
    },
  ]);
  return (
    <>
      <LiveListView
        route={route}
        list={list}
        label="Delivery"
        filter={filter}
        filterNames={Object.keys(deliveryFields)}
        search={{ name: 'text', label: 'Search', placeholder: 'Search IDs, types, URLs, bodies' }}
        statusHint={`one of ${displayStatuses.join(', ')}`}
        quickFilter={<StatusButtons filter={filter} />}
        fields={<FilterFields filter={filter} />}
        action={list.feed.list.length > 0 && <ListActions filter={filter} />}
        columns={COLUMNS}
        renderCells={renderCells}
        empty={<GettingStarted />}
        Detail={DeliveryView}
      />
      <ReplayDialog />
    </>
  );
}

async function openNextFailing(route: Route, filter: DeliveryFilter, after: string | null): Promise<void> {
  const found = await findNextFailing({ filter: toListInput(deliveryFields, filter), after });
  if (found === undefined) return;
  const to = { section: route.section, id: found.id, query: { ...filter, tab: route.query.tab ?? '' } };
  if (route.id === null) navigate(to);
  else replaceRoute(to);
}

function ListActions({ filter }: { readonly filter: DeliveryFilter }) {
  const selection = { workspace_id: workspaceId.value, ...toListInput(deliveryFields, filter) };
  return (
    <>
      <ActionButton type="button" onClick={() => openBulkReplayDialog(selection)}>
        <Icon name="replay" /> Replay all matches
      </ActionButton>
      <DownloadButton selection={selection} what="all matches" />
    </>
  );
}

/** The open delivery may not be in the list. */
async function replay(id: string): Promise<void> {
  const delivery = await withErrorToast(control.getDelivery({ id }));
  if (delivery !== undefined) openReplayDialog(delivery);
}

const RESPONSES = [
  '2xx',
  '3xx',
  '4xx',
  '5xx',
  'none',
  '400',
  '401',
  '404',
  '409',
  '429',
  '500',
  '502',
  '503',
];
const COLUMNS = ['Status', 'Event', 'Endpoint', 'Attempts', 'Created'];

function renderCells(delivery: Delivery, address: string) {
  const { id, event_type: type, url, attempt_count: attempts, created_at: createdAt } = delivery;
  return [
    <StatusBadge status={getDisplayStatus(delivery)} />,
    <>
      <a href={address} tabIndex={-1}>
        {type}
      </a>
      <small class="mono">{id}</small>
    </>,
    <>
      <EndpointUrl url={url} />
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

/** Where space is short, the host is shortened first, because endpoints often differ only in their paths. */
function EndpointUrl({ url }: { readonly url: string }) {
  const [, host, path] = /^([^/]*)(.*)$/.exec(shortenUrl(url)) ?? [];
  return (
    <span class="deliveries-url" title={url}>
      <span>{host}</span>
      <span>{path}</span>
    </span>
  );
}

/** The due time of the next attempt, or why it stopped: `503 · retry in 28m` in red. */
function NextAttempt({ delivery }: { readonly delivery: Delivery }) {
  const { attempt_count: attempts, last_attempt: last, next_attempt_at: next } = delivery;
  const { settled_reason: reason, replay_of: original } = delivery;
  const status = getDisplayStatus(delivery);
  if (status === 'paused') return <>endpoint disabled</>;
  if (last !== null && (status === 'failing' || status === 'failed')) {
    return (
      <span class="error-text">
        {describeOutcome(last)}
        {next !== null && (
          <>
            {' · retry '}
            <AttemptDueTime at={next} />
          </>
        )}
        {reason !== null && ` · ${settledReasonDescriptions[reason]}`}
      </span>
    );
  }
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

function useDeliveries(filter: DeliveryFilter): LiveList<Delivery> {
  const workspace = workspaceId.value;
  return useLiveList<Delivery>({
    key: workspace === undefined ? null : JSON.stringify([workspace, filter]),
    fetchPage: (page) =>
      control.listDeliveries({ workspace_id: workspace, ...toListInput(deliveryFields, filter), ...page }),
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
  return {
    item: delivery,
    matches: matchesFilter(filter, delivery, body, selectedClock.peek().now.peek() ?? 0),
  };
}

function StatusButtons({
  filter: { status: selected, ...otherFilters },
}: {
  readonly filter: DeliveryFilter;
}) {
  const counts = deliveryCounts.value;
  // The counts are those of the workspace.
  const hasOtherFilters = Object.keys(otherFilters).length > 0;
  return (
    <FilterButtons
      name="status"
      label="Status"
      value={selected}
      options={filterStatuses}
      titles={statusGroupTitles}
    >
      {(status) => (
        <StatusFilter
          status={status}
          count={hasOtherFilters ? undefined : counts?.[status as keyof DeliveryStatusCounts]}
        />
      )}
    </FilterButtons>
  );
}

function FilterFields({ filter }: { readonly filter: DeliveryFilter }) {
  const workspace = workspaceId.value;
  const { value: endpoints } = useQuery(
    () => control.listWebhooks({ workspace_id: workspace, limit: MAX_PAGE_SIZE }),
    [workspace],
  );
  const subscribedTypes =
    endpoints?.data.flatMap(({ events }) => events.filter((type) => type !== WILDCARD_SUBSCRIPTION)) ?? [];
  const types = [...new Set([...useEventTypes(), ...subscribedTypes])].sort();
  return (
    <>
      <FilterInput
        name="response_status"
        label="Response"
        value={filter.response_status}
        suggestions={RESPONSES}
      />
      <FilterInput name="type" label="Type" value={filter.type} suggestions={types} />
      <FilterSelect name="webhook_id" label="Endpoint" value={filter.webhook_id}>
        {endpoints?.data.map(({ id, url }) => (
          <option key={id} value={id}>
            {url}
          </option>
        ))}
      </FilterSelect>
      <PeriodFields since={filter.since} until={filter.until} />
    </>
  );
}
