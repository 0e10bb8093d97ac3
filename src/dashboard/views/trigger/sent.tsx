import type { Delivery } from '../../../contract/deliveries.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../../domain/delivery.ts';
import { toHash } from '../../address.ts';
import { Empty } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { RefusalNote } from './refusal-note.tsx';
import { type Sending, send, sendings } from './sendings.ts';

/** Deliveries of one sending that are shown one by one. */
const SHOWN = 8;

/** What was sent from here, newest first, and how it arrives. */
export function Sent() {
  return (
    <section class="trigger-sent" aria-labelledby="trigger-sent">
      <h2 id="trigger-sent">Sent</h2>
      {sendings.value.length === 0 && (
        <Empty>Events that you send from here appear with their deliveries, as they arrive.</Empty>
      )}
      <ol>
        {sendings.value.map((sending) => (
          <li key={sending.number} class="card">
            <Head sending={sending} />
            {sending.refusal !== null && <RefusalNote refusal={sending.refusal} />}
            <Arrival sending={sending} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Head({ sending }: { readonly sending: Sending }) {
  const { order, eventIds, replayedCount, isOver, stop } = sending;
  const [only] = eventIds;
  return (
    <div class="row trigger-head">
      <strong class="mono">{order.type}</strong>
      {order.count === 1 && only !== undefined && (
        <a class="mono" href={toHash({ section: 'events', id: only })}>
          {only}
        </a>
      )}
      <span role="status">{describe(sending)}</span>
      {replayedCount > 0 && (
        <span class="badge canceled" title="The idempotency key was used before: nothing new was created">
          replayed
        </span>
      )}
      {isOver ? (
        <button type="button" onClick={() => send(order)}>
          Send again
        </button>
      ) : (
        <button type="button" onClick={stop}>
          Stop
        </button>
      )}
    </div>
  );
}

function describe({ order: { count }, eventIds, isOver, refusal }: Sending): string {
  if (count === 1) return isOver || refusal !== null ? '' : 'Sending…';
  return `${eventIds.size} of ${count} created`;
}

function Arrival({ sending: { order, eventIds, deliveries, isOver } }: { readonly sending: Sending }) {
  if (eventIds.size === 0) return null;
  if (deliveries.size === 0) return isOver ? <Nobody type={order.type} /> : null;
  const all = [...deliveries.values()];
  return (
    <>
      {all.length > 1 && <Counts deliveries={all} />}
      <ul class="trigger-arrival">
        {all.slice(0, SHOWN).map((delivery) => (
          <li key={delivery.id} class="row">
            <StatusBadge status={delivery.status} paused={delivery.paused} />
            <a href={toHash({ section: 'deliveries', id: delivery.id })}>{delivery.url}</a>
            <Progress delivery={delivery} />
          </li>
        ))}
      </ul>
      {all.length > SHOWN && (
        <a href={toHash({ section: 'deliveries', query: { type: order.type } })}>
          All deliveries of {order.type}
        </a>
      )}
    </>
  );
}

function Progress({
  delivery: { attempt_count: count, next_attempt_at: next },
}: {
  readonly delivery: Delivery;
}) {
  return (
    <span class="muted">
      {count} {count === 1 ? 'attempt' : 'attempts'}
      {next !== null && count > 0 && (
        <>
          , the next <Time at={next} of="schedule" />
        </>
      )}
    </span>
  );
}

function Counts({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const countOf = (wanted: DeliveryStatus) => deliveries.filter(({ status }) => status === wanted).length;
  return (
    <p class="row">
      {deliveries.length} deliveries
      {deliveryStatuses
        .map((status) => ({ status, count: countOf(status) }))
        .filter(({ count }) => count > 0)
        .map(({ status, count }) => (
          <span key={status} class={`badge ${status}`}>
            {count} {status}
          </span>
        ))}
    </p>
  );
}

export function Nobody({ type }: { readonly type: string }) {
  return (
    <p class="trigger-nobody">
      No endpoint is subscribed to {type === '' ? 'it' : type}, so nothing is delivered.{' '}
      <a href={toHash({ section: 'webhooks' })}>Add an endpoint</a>
    </p>
  );
}
