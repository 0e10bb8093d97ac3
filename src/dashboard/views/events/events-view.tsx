import { displayStatuses } from '../../../domain/delivery.ts';
import { describeEventSettings, type EventSummary, eventFilters } from '../../../resources/event.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { type FilterTexts, pickFilters, toListInput } from '../../filters.ts';
import { workspaceId } from '../../session.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { Excerpt } from '../../ui/excerpt.tsx';
import { LiveListView } from '../../ui/live-list-view.tsx';
import { DeliveryCounts, StatusIcon } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useEventTypes } from '../../use-event-types.ts';
import { type LiveList, useLiveList } from '../../use-live-list.ts';
import { EventView } from './event-view.tsx';

/** The page selects the workspace of all lists. */
const { workspace_id: _, ...filters } = eventFilters;

export function EventsView({ route }: { readonly route: Route }) {
  const filter = pickFilters(filters, route.query);
  return (
    <LiveListView
      route={route}
      list={useEvents(filter)}
      label="Event"
      filter={filter}
      filters={filters}
      search={['text', 'Search IDs, types, payloads']}
      useChoices={() => ({ type: useEventTypes() })}
      columns={['Type', 'ID', 'Deliveries', 'Created']}
      renderRow={renderRow}
      empty={<NoEventsYet />}
      Detail={EventView}
    />
  );
}

function renderRow(event: EventSummary) {
  const { id, type, delivery_counts: counts, created_at, excerpt } = event;
  const displayed = { ...counts, pending: counts.pending - counts.failing - counts.paused };
  const worst = displayStatuses.find((status) => displayed[status] > 0);
  return (
    <>
      {worst === undefined ? <span /> : <StatusIcon status={worst} />}
      <span>{type}</span>
      <code>{[id, ...Object.values(describeEventSettings(event))].join(' · ')}</code>
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
  return (
    <div class="placeholder">
      <h2>No events yet</h2>
      <p>Events that are created through the API appear here with the status of their deliveries.</p>
      <p>
        Create one on the <a href={toHash({ section: 'trigger' })}>Trigger</a> page, or run{' '}
        <Copyable what="command" text="svc trigger order.shipped" />
      </p>
    </div>
  );
}

function useEvents(filter: FilterTexts): LiveList<EventSummary> {
  const workspace = workspaceId.value;
  return useLiveList<EventSummary>({
    key: workspace === undefined ? null : JSON.stringify([workspace, filter]),
    fetchPage: (page) =>
      control.listEvents({ workspace_id: workspace, ...toListInput(filters, filter), ...page }),
  });
}
