import { displayStatuses } from '../../../domain/delivery.ts';
import { describeEventSettings, type EventSummary, eventFilters } from '../../../resources/event.ts';
import { type Route, toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { pickFilters, toListInput } from '../../filters.ts';
import { status, workspaceId } from '../../session.ts';
import { Copyable } from '../../ui/copy-button.tsx';
import { Excerpt } from '../../ui/excerpt.tsx';
import { Form } from '../../ui/form.tsx';
import { LiveListView } from '../../ui/live-list-view.tsx';
import { DeliveryCounts, StatusIcon } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useEventTypes } from '../../use-event-types.ts';
import { useFormSubmit } from '../../use-form-submit.ts';
import { useLiveList } from '../../use-live-list.ts';
import { createEvent } from '../trigger/create-event.ts';
import { getFixturePayload } from '../trigger/get-fixture-payload.ts';
import { EventView } from './event-view.tsx';

/** The page selects the workspace of all lists. */
const { workspace_id: _, ...filters } = eventFilters;

export function EventsView({ route }: { readonly route: Route }) {
  const filter = pickFilters(filters, route.query);
  const workspace = workspaceId.value;
  const list = useLiveList<EventSummary>({
    key: workspace === undefined ? null : JSON.stringify([workspace, filter]),
    fetchPage: (page) =>
      control.listEvents({ workspace_id: workspace, ...toListInput(filters, filter), ...page }),
  });
  return (
    <LiveListView
      route={route}
      list={list}
      label="Event"
      filter={filter}
      filters={filters}
      search={['text', 'Search IDs, types, payloads']}
      useChoices={() => ({ type: useEventTypes() })}
      columns={['Type', 'ID', 'Deliveries', 'Created']}
      renderRow={renderRow}
      empty={<FirstEvent />}
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
        {excerpt === undefined && worst === undefined && 'no enabled endpoint subscribed'}
        {excerpt === undefined && <DeliveryCounts countOf={(status) => displayed[status]} />}
      </span>
      <Time at={created_at} clock="schedule" />
    </>
  );
}

function FirstEvent() {
  const type = status.value?.example_type ?? '';
  const form = useFormSubmit([], async () => {
    const payload = await getFixturePayload(type);
    await createEvent({ type, payload, workspaceId: workspaceId.peek() ?? '', settings: {} });
  });
  return (
    <section class="card stack" aria-label="First event">
      <h2>No events yet</h2>
      <p class="muted">Each event that you create appears here with the status of its deliveries.</p>
      <Form
        form={form}
        action={`Send ${type}`}
        buttons={<a href={toHash({ section: 'trigger', query: { type } })}>Edit it first</a>}
      />
      <p class="muted">
        or run <Copyable what="command" text={`svc trigger ${type}`} />
      </p>
    </section>
  );
}
