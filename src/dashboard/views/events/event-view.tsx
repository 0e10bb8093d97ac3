/** One event: its payload, its deliveries, and the request that created it. */
import { useState } from 'preact/hooks';
import type { EventDetail } from '../../../contract/resources.ts';
import { getDisplayStatus } from '../../../domain/delivery.ts';
import { toEnvelope } from '../../../domain/event.ts';
import { indentJson } from '../../../domain/json.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { CodeView } from '../../ui/code-view.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { CopyableId, Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { OutcomeBadge, StatusBadge } from '../../ui/status-badge.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AttemptCount, Time } from '../../ui/time.tsx';
import { SelectedWorkspaceScope, WorkspaceScope } from '../../ui/workspace-scope.tsx';
import { useQuery } from '../../use-query.ts';

export function EventView({ id }: { readonly id: string }) {
  const query = useQuery(() => control.getEvent({ id }), [id]);
  return (
    <QueryView query={query} what="the event">
      {(event) => (
        <SelectedWorkspaceScope workspaceId={event.workspace_id}>
          <div class="stack">
            <header class="row">
              <h2>{event.type}</h2>
              <a class="button push-right" href={toHash({ section: 'trigger', query: { event: id } })}>
                <Icon name="bolt" /> Trigger again
              </a>
            </header>
            <EventProperties event={event} />
            <EventDeliveries key={id} eventId={id} />
            <EventContent event={event} />
          </div>
        </SelectedWorkspaceScope>
      )}
    </QueryView>
  );
}

function EventProperties({
  event: { id, created_at, request_id: request },
}: {
  readonly event: EventDetail;
}) {
  return (
    <Properties
      items={{
        Event: <CopyableId id={id} what="event" />,
        Created: (
          <>
            <Time at={created_at} clock="schedule" />
            {request !== null && (
              <>
                {' by request '}
                <a class="mono" href={toHash({ section: 'requests', id: request })}>
                  {request}
                </a>
              </>
            )}
          </>
        ),
        Requests: (
          <a href={toHash({ section: 'requests', query: { resource_id: id } })}>
            All requests for this event
          </a>
        ),
      }}
    />
  );
}

function EventContent({ event }: { readonly event: EventDetail }) {
  const [openTab, setOpenTab] = useState('payload');
  const { payload_text: payload, created_at: createdAt, workspace_id: workspaceId, id, type } = event;
  const envelope = toEnvelope({ id, type, workspaceId, payload, createdAt: Date.parse(createdAt) });
  const tabs = [
    { name: 'payload', title: 'Payload', text: indentJson(payload) },
    { name: 'envelope', title: 'Envelope', text: indentJson(envelope) },
    { name: 'raw body', title: 'Raw', text: envelope },
  ];
  return (
    <section class="card" aria-label="Content">
      <Tabs
        label="Content"
        openName={openTab}
        onOpen={setOpenTab}
        tabs={tabs.map(({ name, title, text }) => ({
          name,
          title,
          render: () => <CodeView label={title} what={name} text={text} />,
        }))}
      />
    </section>
  );
}

const MAX_SHOWN = 50;

export function EventDeliveries({ eventId }: { readonly eventId: string }) {
  return (
    <section class="card" aria-label="Deliveries">
      <div class="row">
        <h3>Deliveries</h3>
        <DownloadButton selection={{ event_id: eventId }} what="the deliveries of this event" />
      </div>
      <EventDeliveryList eventId={eventId} />
    </section>
  );
}

/** The deliveries of an event, live. */
export function EventDeliveryList({ eventId }: { readonly eventId: string }) {
  const query = useQuery(() => control.listDeliveries({ event_id: eventId, limit: MAX_SHOWN }), [eventId], {
    refetchOn: (item) => item.type === 'reset' || ('delivery' in item && item.delivery.event_id === eventId),
  });
  return (
    <QueryView query={query} what="deliveries">
      {({ data, has_more: hasMore }) =>
        data.length === 0 ? (
          <p class="muted">
            No deliveries. No <a href={toHash({ section: 'home' })}>endpoint</a> was subscribed to this event
            type when the event was created.
          </p>
        ) : (
          <>
            <ul class="divided-list">
              {data.map((delivery) => (
                <li key={delivery.id}>
                  <StatusBadge status={getDisplayStatus(delivery)} />
                  <a href={toHash({ section: 'deliveries', id: delivery.id })}>{delivery.url}</a>
                  {delivery.replay_of !== null && <span class="badge highlighted">replay</span>}
                  {delivery.last_attempt !== null && <OutcomeBadge {...delivery.last_attempt} />}
                  <WorkspaceScope workspaceId={delivery.workspace_id}>
                    <AttemptCount delivery={delivery} />
                  </WorkspaceScope>
                </li>
              ))}
            </ul>
            {hasMore && (
              <a href={toHash({ section: 'deliveries', query: { event_id: eventId } })}>
                All deliveries of this event
              </a>
            )}
          </>
        )
      }
    </QueryView>
  );
}
