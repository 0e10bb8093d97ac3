/** The events of the workspace, and the open one. */
import './events.css';
import type { Route } from '../../address.ts';
import { pickFilters } from '../../pick-filters.ts';
import { ListDetail } from '../../ui/list-detail.tsx';
import { EventList } from './event-list.tsx';
import { EventView } from './event-view.tsx';
import { filterNames } from './use-events.ts';

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
