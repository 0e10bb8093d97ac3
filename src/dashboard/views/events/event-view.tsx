/** One event: its payload, its deliveries, and the request that created it. */
import { useState } from 'preact/hooks';
import type { EventDetail } from '../../../contract/resources.ts';
import { toEnvelope } from '../../../domain/event.ts';
import { indentJson } from '../../../domain/json.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { JsonHighlight } from '../../ui/json-highlight.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { EventDeliveries } from './event-deliveries.tsx';

export function EventView({ id }: { readonly id: string }) {
  const query = useQuery(() => control.getEvent({ id }), [id]);
  return (
    <QueryView query={query} what="the event">
      {(event) => (
        <div class="event-detail">
          <header class="row">
            <h2>{event.type}</h2>
            <a class="button" href={toHash({ section: 'trigger', query: { event: id } })}>
              <Icon name="bolt" /> Trigger again
            </a>
          </header>
          <EventProperties event={event} />
          <EventDeliveries key={id} eventId={id} />
          <EventContent event={event} />
        </div>
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
    <dl class="properties">
      <dt>Event</dt>
      <dd class="row">
        <code>{id}</code> <CopyButton what="event ID" text={id} />
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={created_at} clock="schedule" />
        {request !== null && (
          <>
            {' by request '}
            <a class="mono" href={toHash({ section: 'requests', id: request })}>
              {request}
            </a>
          </>
        )}
      </dd>
      <dt>Requests</dt>
      <dd>
        <a href={toHash({ section: 'requests', query: { resource: id } })}>All requests for this event</a>
      </dd>
    </dl>
  );
}

function EventContent({ event }: { readonly event: EventDetail }) {
  const [open, setOpen] = useState('payload');
  const { payload_text: payload, created_at: createdAt, workspace_id: workspaceId, id, type } = event;
  const envelope = toEnvelope({ id, type, workspaceId, payload, createdAt: Date.parse(createdAt) });
  const tabs = [
    { name: 'payload', title: 'Payload', text: payload, isRaw: false },
    { name: 'envelope', title: 'Envelope', text: envelope, isRaw: false },
    { name: 'raw', title: 'Raw', text: envelope, isRaw: true },
  ];
  return (
    <section class="card" aria-label="Content">
      <Tabs
        label="Content"
        openName={open}
        onOpen={setOpen}
        tabs={tabs.map(({ name, title, text, isRaw }) => ({
          name,
          title,
          render: () => (
            <div class="event-text">
              <CopyButton what={isRaw ? 'raw body' : name} text={isRaw ? text : indentJson(text)} />
              {isRaw ? <pre>{text}</pre> : <JsonHighlight text={indentJson(text)} />}
            </div>
          ),
        }))}
      />
    </section>
  );
}
