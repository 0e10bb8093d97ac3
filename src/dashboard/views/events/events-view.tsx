/** The events of the workspace, and the open one. */
import { useRef } from 'preact/hooks';
import { EventFilter as filterFields } from '../../../contract/list-filters.ts';
import type { EventSummary } from '../../../contract/resources.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { displayStatuses } from '../../../domain/delivery.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { type LiveItems, MAX_PAGE_SIZE, PAGE_SIZE, type PageRequest } from '../../live-items.ts';
import { workspaceId } from '../../session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Excerpt } from '../../ui/excerpt.tsx';
import { FilterInput, PeriodFields } from '../../ui/filter-bar.tsx';
import { LiveListView } from '../../ui/live-list-view.tsx';
import { EmptyState } from '../../ui/query-view.tsx';
import { DeliveryCounts, StatusIcon } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { type FilterTexts, pickFilters } from '../../url-filter.ts';
import { useEventTypes } from '../../use-event-types.ts';
import { type LiveList, useLiveList } from '../../use-live-list.ts';
import { useThrottle } from '../../use-query.ts';
import { EventView } from './event-view.tsx';

export function EventsView({ route }: { readonly route: Route }) {
  const filter = pickFilters(eventFields, route.query);
  return (
    <LiveListView
      route={route}
      list={useEvents(filter)}
      label="Event"
      filter={filter}
      filterNames={Object.keys(eventFields)}
      search={{ name: 'text', label: 'Search', placeholder: 'Search IDs, types, payloads' }}
      fields={
        <>
          <FilterInput name="type" label="Type" value={filter.type} suggestions={useEventTypes()} />
          <PeriodFields since={filter.since} until={filter.until} />
        </>
      }
      renderRow={renderRow}
      empty={<NoEventsYet />}
      Detail={EventView}
    />
  );
}

function renderRow({ id, type, delivery_counts: counts, created_at, excerpt }: EventSummary) {
  const displayed = { ...counts, pending: counts.pending - counts.failing - counts.paused };
  const worst = displayStatuses.find((status) => displayed[status] > 0);
  return (
    <>
      {worst === undefined ? <span /> : <StatusIcon status={worst} />}
      <span>{type}</span>
      <span class="mono">{id}</span>
      <span>
        {excerpt !== undefined && <Excerpt text={excerpt} />}
        {excerpt === undefined && worst === undefined && 'no subscribed endpoint'}
        {excerpt === undefined && <DeliveryCounts countOf={(status) => displayed[status]} />}
      </span>
      <Time at={created_at} clock="schedule" />
    </>
  );
}

function NoEventsYet() {
  const command = 'svc trigger order.shipped';
  return (
    <EmptyState>
      <p>
        No events yet. Events that are created through the API appear here with the status of their
        deliveries.
      </p>
      <p>
        Create one on the <a href={toHash({ section: 'trigger' })}>Trigger</a> page, or run{' '}
        <code>{command}</code> <CopyButton what="command" text={command} />
      </p>
    </EmptyState>
  );
}

const { workspace_id: _, ...eventFields } = filterFields;
type EventFilter = FilterTexts<typeof eventFields>;

const REFETCH_INTERVAL_MS = 1_000;

function useEvents(filter: EventFilter): LiveList<EventSummary> {
  const workspace = workspaceId.value;
  const fetchPage = (page: PageRequest) =>
    control.listEvents({ workspace_id: workspace, ...filter, ...page });
  const list = useRef<LiveItems<EventSummary> | null>(null);
  // The live stream reports deliveries and requests, not events, so the events are loaded again.
  const requestCount = useRef(0);
  const newestResponse = useRef(0);
  const refreshSoon = useThrottle(async () => {
    if (list.current === null) return;
    const number = ++requestCount.current;
    const apply = await fetchShown(list.current, fetchPage);
    // Responses can arrive in another order than their requests were sent.
    if (number < newestResponse.current) return;
    newestResponse.current = number;
    apply();
  }, REFETCH_INTERVAL_MS);
  return useLiveList<EventSummary>({
    key: workspace === undefined ? null : JSON.stringify([workspace, filter]),
    fetchPage,
    onItems: (items, shown) => {
      list.current = shown;
      if (items.some((item) => changesEvents(item, workspace))) refreshSoon();
    },
  });
}

/**
 * Loads the events that are shown, and the new ones.
 * @returns a function that updates the list
 */
async function fetchShown(
  list: LiveItems<EventSummary>,
  fetchPage: (page: PageRequest) => ReturnType<typeof control.listEvents>,
): Promise<() => void> {
  const limit = Math.min(MAX_PAGE_SIZE, Math.max(PAGE_SIZE, list.items.length));
  // The connection status shows the error; the next stream item triggers another refresh.
  const { data } = await fetchPage({ limit }).catch(() => ({ data: [] }));
  return () => list.applyUpdates(data.map((item) => ({ item, matches: true })));
}

function changesEvents(item: StreamItem, workspace: string | undefined): boolean {
  if (item.type === 'request') return item.request.method === 'POST' && item.request.resource_id !== null;
  return 'delivery' in item && item.delivery.workspace_id === workspace;
}
