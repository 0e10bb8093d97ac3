/** The deliveries of the workspace, and the open one. */
import { useState } from 'preact/hooks';
import { describeOutcome, getDisplayStatus, settledReasonDescriptions } from '../../../domain/delivery.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { WILDCARD_SUBSCRIPTION } from '../../../domain/event.ts';
import { type Delivery, deliveryFilters, type ListedDelivery } from '../../../resources/delivery.ts';
import { type Route, shortenUrl } from '../../address.ts';
import { control } from '../../control.ts';
import { deliveryCounts } from '../../failure-indicator.tsx';
import { type FilterTexts, filterStatuses, getStatusCount, pickFilters, toListInput } from '../../filters.ts';
import { workspaceId } from '../../session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Excerpt } from '../../ui/excerpt.tsx';
import { type Choices, FilterButtons } from '../../ui/filter-bar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LiveListView } from '../../ui/live-list-view.tsx';
import { InjectedFault, StatusFilter, StatusIcon, statusGroupTitles } from '../../ui/status-badge.tsx';
import { AttemptDueTime, Time } from '../../ui/time.tsx';
import { useEventTypes } from '../../use-event-types.ts';
import { MAX_PAGE_SIZE, useLiveList } from '../../use-live-list.ts';
import { useQuery } from '../../use-query.ts';
import { DeliveryView } from '../delivery/delivery-view.tsx';
import { GettingStarted } from '../home/getting-started.tsx';
import { BulkReplayDialog } from '../replay/bulk-replay-dialog.tsx';

/** The page selects the workspace of all lists. */
const { workspace_id: _, ...filters } = deliveryFilters;

export function DeliveriesView({ route }: { readonly route: Route }) {
  const filter = pickFilters(filters, route.query);
  const workspace = workspaceId.value;
  const list = useLiveList<ListedDelivery>({
    key: workspace === undefined ? null : JSON.stringify([workspace, filter]),
    fetchPage: (page) =>
      control.listDeliveries({ workspace_id: workspace, ...toListInput(filters, filter), ...page }),
  });
  const [isReplaying, setReplaying] = useState(false);
  return (
    <>
      <LiveListView
        route={route}
        list={list}
        label="Delivery"
        filter={filter}
        filters={filters}
        search={['text', 'Search IDs, types, URLs, bodies']}
        quickFilter={<StatusButtons filter={filter} />}
        useChoices={useChoices}
        action={
          list.items.length > 0 && (
            <ActionButton onClick={() => setReplaying(true)}>
              <Icon name="replay" /> Replay all matches
            </ActionButton>
          )
        }
        columns={['Type', 'Endpoint', 'Result', 'Created']}
        renderRow={renderRow}
        empty={<GettingStarted />}
        Detail={DeliveryView}
      />
      {isReplaying && (
        <BulkReplayDialog
          filter={{ workspace_id: workspace, ...toListInput(filters, filter) }}
          onClose={() => setReplaying(false)}
        />
      )}
    </>
  );
}

const RESPONSES = ['none', '2xx', '3xx', '4xx', '5xx', '404', '429', '500', '503'];

function renderRow(delivery: ListedDelivery) {
  const { event_type: type, url, last_attempt: last, created_at: createdAt, excerpt } = delivery;
  return (
    <>
      <StatusIcon status={getDisplayStatus(delivery)} />
      <span>{type}</span>
      <span>{shortenUrl(url)}</span>
      <span>
        {last?.fault !== undefined && <InjectedFault kind={last.fault.kind} />}{' '}
        {excerpt === undefined && <Reason delivery={delivery} />}
        {excerpt !== undefined && <Excerpt text={excerpt} />}
      </span>
      <Time at={createdAt} clock="schedule" />
    </>
  );
}

/** The due time of the next attempt, or why it stopped: `503 · retry in 28m` in red. */
function Reason({ delivery }: { readonly delivery: Delivery }) {
  const { attempt_count: attempts, last_attempt: last, next_attempt_at: next } = delivery;
  const { settled_reason: reason, replay_of: original } = delivery;
  const status = getDisplayStatus(delivery);
  if (status === 'paused') return <>endpoint disabled</>;
  if (last !== null && (status === 'failing' || status === 'failed')) {
    return (
      <span data-state="failed">
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
  const facts = [
    last?.response_status,
    attempts > 1 && `${attempts} attempts`,
    last !== null && formatLatency(last.duration_ms),
    original !== null && 'replay',
  ];
  return <>{facts.filter(Boolean).join(' · ')}</>;
}

function StatusButtons({ filter: { status: selected, ...otherFilters } }: { readonly filter: FilterTexts }) {
  // The counts are those of the workspace.
  const counts = Object.keys(otherFilters).length > 0 ? undefined : deliveryCounts.value;
  return (
    <FilterButtons
      name="status"
      label="Status"
      value={selected}
      options={filterStatuses}
      titles={statusGroupTitles}
    >
      {(status) => <StatusFilter status={status} count={getStatusCount(status, counts)} />}
    </FilterButtons>
  );
}

function useChoices(): Choices {
  const workspace = workspaceId.value;
  const { value: endpoints } = useQuery(
    () => control.listWebhooks({ workspace_id: workspace, limit: MAX_PAGE_SIZE }),
    [workspace],
  );
  const subscribedTypes =
    endpoints?.data.flatMap(({ events }) => events.filter((type) => type !== WILDCARD_SUBSCRIPTION)) ?? [];
  return {
    status: null,
    scheduled: null,
    response_status: RESPONSES,
    type: [...new Set([...useEventTypes(), ...subscribedTypes])].sort(),
    webhook_id: Object.fromEntries(endpoints?.data.map(({ id, url }) => [id, url]) ?? []),
  };
}
