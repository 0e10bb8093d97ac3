/** One event: its payload, its deliveries, and the request that created it. */
import { getDisplayStatus } from '../../../domain/delivery.ts';
import { indentJson } from '../../../domain/json-text.ts';
import { describeEventSettings, type EventDetail } from '../../../resources/event.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { useWorkspaceOf } from '../../session.ts';
import { CodeView } from '../../ui/code-view.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Badge, OutcomeBadge, StatusBadge } from '../../ui/status-badge.tsx';
import { AttemptCount, Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';

export function EventView({ id }: { readonly id: string }) {
  const query = useQuery(() => control.getEvent({ id }), [id]);
  useWorkspaceOf(query.value?.workspace_id);
  return (
    <QueryView query={query} what="the event">
      {(event) => (
        <div class="stack">
          <header class="row">
            <h2>{event.type}</h2>
            <a data-variant="plain" href={toHash({ section: 'trigger', query: { event: id } })}>
              <Icon name="bolt" /> Trigger again
            </a>
          </header>
          <EventProperties event={event} />
          <EventDeliveries key={id} eventId={id} />
          <section class="card" aria-label="Payload">
            <CodeView
              label="Payload"
              what="payload"
              text={indentJson(event.payload_text)}
              title={<h3>Payload</h3>}
            />
          </section>
        </div>
      )}
    </QueryView>
  );
}

function EventProperties({ event }: { readonly event: EventDetail }) {
  const { id, created_at, request_id: request } = event;
  return (
    <Properties
      items={{
        Event: <Copyable text={id} what="event ID" />,
        Created: (
          <>
            <Time at={created_at} clock="schedule" />
            {request !== null && (
              <>
                {' by request '}
                <a href={toHash({ section: 'requests', id: request })}>
                  <code>{request}</code>
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
        ...describeEventSettings(event),
      }}
    />
  );
}

const MAX_SHOWN = 50;

export function EventDeliveries({ eventId }: { readonly eventId: string }) {
  return (
    <section class="card" aria-label="Deliveries">
      <h3>Deliveries</h3>
      <EventDeliveryList eventId={eventId} />
    </section>
  );
}

/** The deliveries of an event, live. */
export function EventDeliveryList({ eventId }: { readonly eventId: string }) {
  const query = useQuery(() => control.listDeliveries({ event_id: eventId, limit: MAX_SHOWN }), [eventId], {
    isLive: true,
  });
  return (
    <QueryView query={query} what="deliveries">
      {({ data, has_more: hasMore }) =>
        data.length === 0 ? (
          <p class="muted">
            No deliveries. No enabled <a href={toHash({ section: 'home' })}>endpoint</a> was subscribed to
            this event type when the event was created.
          </p>
        ) : (
          <>
            <ul class="list">
              {data.map((delivery) => (
                <li class="row" key={delivery.id}>
                  <StatusBadge status={getDisplayStatus(delivery)} />
                  <p>
                    <a href={toHash({ section: 'deliveries', id: delivery.id })}>{delivery.url}</a>
                  </p>
                  {delivery.replay_of !== null && <Badge state="highlighted">replay</Badge>}
                  {delivery.last_attempt !== null && <OutcomeBadge {...delivery.last_attempt} />}
                  <AttemptCount delivery={delivery} />
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
