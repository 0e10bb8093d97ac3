/** The events of the workspace, and the open one. */
import './events.css';
import type { EventSummary } from '../../../contract/resources.ts';
import { deliveryStatuses } from '../../../domain/delivery.ts';
import { type Route, toHash } from '../../address.ts';
import { pickFilters } from '../../pick-filters.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FilterBar, FilterInput, SearchField } from '../../ui/filter-bar.tsx';
import { ListDetail } from '../../ui/list-detail.tsx';
import { LiveTable, PauseButton } from '../../ui/live-table.tsx';
import { PeriodFields } from '../../ui/period-fields.tsx';
import { EmptyState } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useEventTypes } from '../../use-event-types.ts';
import { EventView } from './event-view.tsx';
import { filterNames, useEvents } from './use-events.ts';

export function EventsView({ route: { id, query } }: { readonly route: Route }) {
  return (
    <div class="events">
      <ListDetail
        list={<EventList query={query} openId={id} />}
        detail={id === null ? null : <EventView id={id} />}
        label="Event"
        back={{ section: 'events', query: pickFilters(query, filterNames) }}
        backTitle="All events"
      />
    </div>
  );
}

const COLUMNS = ['Event', 'Deliveries', 'Created'];
const ROW_REM = 3.25;

interface Props {
  readonly query: Route['query'];
  /** ID of the open event; null when none is open. */
  readonly openId: string | null;
}

export function EventList({ query, openId }: Props) {
  const filter = pickFilters(query, filterNames);
  const list = useEvents(filter);
  const hasFilter = Object.keys(filter).length > 0;
  return (
    <>
      <FilterBar
        filter={filter}
        search={
          <SearchField
            name="text"
            label="Search"
            value={filter.text}
            placeholder="Search IDs, types, payloads"
          />
        }
        fields={
          <>
            <FilterInput name="type" label="Type" value={filter.type} suggestions={useEventTypes()} />
            <PeriodFields since={filter.since} until={filter.until} />
          </>
        }
      >
        <PauseButton {...list} />
      </FilterBar>
      <LiveTable
        list={list}
        what="events"
        columns={COLUMNS}
        cells={renderCells}
        rowHeight={ROW_REM}
        toRoute={(id) => ({ section: 'events', id, query: filter })}
        openId={openId}
        hasFilter={hasFilter}
        empty={<NoEventsYet />}
      />
    </>
  );
}

function renderCells({ id, type, delivery_counts, created_at }: EventSummary, address: string) {
  return [
    <>
      <a href={address} tabIndex={-1}>
        {type}
      </a>{' '}
      <small class="mono">{id}</small>
    </>,
    <DeliveryCounts counts={delivery_counts} />,
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

/** `✓ succeeded 2 ✗ failed 1` */
export function DeliveryCounts({ counts }: { readonly counts: EventSummary['delivery_counts'] }) {
  const presentStatuses = deliveryStatuses.filter((status) => counts[status] > 0);
  if (presentStatuses.length === 0) return <span class="muted">no subscribed endpoint</span>;
  return (
    <span class="events-counts">
      {presentStatuses.map((status) => (
        <StatusBadge key={status} status={status} count={counts[status]} />
      ))}
    </span>
  );
}
