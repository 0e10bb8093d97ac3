/** The events of the workspace, and the open one. */
import './events.css';
import { useRef } from 'preact/hooks';
import { EventFilter as filterFields } from '../../../contract/list-filters.ts';
import type { EventSummary } from '../../../contract/resources.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import type { Feed } from '../../feed.ts';
import { PAGE_SIZE } from '../../paged-list.ts';
import { workspaceId } from '../../session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FilterInput, PeriodFields } from '../../ui/filter-bar.tsx';
import { LiveListView } from '../../ui/live-list-view.tsx';
import { EmptyState } from '../../ui/query-view.tsx';
import { DeliveryCounts } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import type { VisibleRange } from '../../ui/use-visible-rows.ts';
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
      columns={COLUMNS}
      renderCells={renderCells}
      empty={<NoEventsYet />}
      Detail={EventView}
    />
  );
}

const COLUMNS = ['Event', 'Deliveries', 'Created'];

function renderCells({ id, type, delivery_counts: counts, created_at }: EventSummary, address: string) {
  const hasDeliveries = Object.values(counts).some((count) => count > 0);
  const displayed = { ...counts, pending: counts.pending - counts.failing - counts.paused };
  return [
    <>
      <a href={address} tabIndex={-1}>
        {type}
      </a>{' '}
      <small class="mono">{id}</small>
    </>,
    hasDeliveries ? (
      <DeliveryCounts countOf={(status) => displayed[status]} />
    ) : (
      <span class="muted">no subscribed endpoint</span>
    ),
    <Time at={created_at} clock="schedule" />,
  ];
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
  const fetchPage = (page: { readonly limit: number; readonly starting_after?: string }) =>
    control.listEvents({ workspace_id: workspace, ...filter, ...page });
  const visibleRange = useRef<VisibleRange>({ first: 0, last: 0, isAtTop: true });
  const latestFeed = useRef<Feed<EventSummary> | null>(null);
  const refreshCount = useRef(0);
  /** Number of the latest refresh whose response was accepted. */
  const acceptedRefresh = useRef(0);
  // The live stream reports deliveries and requests, not events, so the events are loaded again.
  const refreshSoon = useThrottle(() => {
    if (latestFeed.current === null) return;
    const number = ++refreshCount.current;
    const acceptResponse = () => {
      if (number < acceptedRefresh.current) return false;
      acceptedRefresh.current = number;
      return true;
    };
    void refresh(latestFeed.current, fetchPage, visibleRange.current, acceptResponse);
  }, REFETCH_INTERVAL_MS);
  const list = useLiveList<EventSummary>({
    key: workspace === undefined ? null : JSON.stringify([workspace, filter]),
    fetchPage,
    onItems: (items, feed) => {
      latestFeed.current = feed;
      if (items.some((item) => changesEvents(item, workspace))) refreshSoon();
    },
  });
  return {
    ...list,
    onVisibleRangeChange: (range) => {
      visibleRange.current = range;
      list.onVisibleRangeChange(range);
    },
  };
}

/**
 * Updates the newest events, and those in view when they are further down.
 * @param acceptResponse notes that the responses have arrived; returns false if those of a later refresh came before
 */
async function refresh(
  feed: Feed<EventSummary>,
  fetchPage: (page: { limit: number; starting_after?: string }) => ReturnType<typeof control.listEvents>,
  { first, last, isAtTop }: VisibleRange,
  acceptResponse: () => boolean,
): Promise<void> {
  const { list } = feed;
  // The first page covers the items in view unless they are further down.
  const itemAbove = list.at(first - 1);
  const cursor = last < PAGE_SIZE || itemAbove === undefined ? null : itemAbove.id;
  const pages = [
    { limit: PAGE_SIZE },
    ...(cursor === null ? [] : [{ limit: last - first + 1, starting_after: cursor }]),
  ].map(fetchPage);
  // The connection status shows the error; the next stream item triggers another refresh.
  const responses = await Promise.all(pages).catch(() => []);
  if (responses.length === 0 || !acceptResponse()) return;
  const [newest] = responses;
  // With more than a page of new events, the list would have a gap between them and the earlier ones.
  if (newest?.has_more && isAtTop && list.has(newest.end_cursor ?? '') === false) return feed.load();
  feed.applyUpdates(responses.flatMap(({ data }) => data).map((item) => ({ item, matches: true })));
}

function changesEvents(item: StreamItem, workspace: string | undefined): boolean {
  if (item.type === 'request') return item.request.method === 'POST' && item.request.resource_id !== null;
  return 'delivery' in item && item.delivery.workspace_id === workspace;
}
