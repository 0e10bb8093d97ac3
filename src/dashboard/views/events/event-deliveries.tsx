import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { useLiveItems } from '../../live-stream.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { AttemptCount } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { useThrottle } from '../../use-throttle.ts';

const MAX_SHOWN = 50;
const REFETCH_INTERVAL_MS = 500;

/** The deliveries of an event, live. */
export function EventDeliveries({ eventId }: { readonly eventId: string }) {
  const query = useQuery(() => control.listDeliveries({ event_id: eventId, limit: MAX_SHOWN }), [eventId]);
  const refetchSoon = useThrottle(query.refetch, REFETCH_INTERVAL_MS);
  useLiveItems((items) => {
    if (items.some((item) => 'delivery' in item && item.delivery.event_id === eventId)) refetchSoon();
  });
  return (
    <section class="card" aria-label="Deliveries">
      <h3>Deliveries</h3>
      <QueryView query={query} what="deliveries">
        {({ data, has_more: hasMore }) =>
          data.length === 0 ? (
            <p class="muted">
              No deliveries. No <a href={toHash({ section: 'webhooks' })}>endpoint</a> subscribed to this
              event type when the event was created.
            </p>
          ) : (
            <>
              <ul class="events-deliveries">
                {data.map((delivery) => (
                  <li key={delivery.id}>
                    <StatusBadge status={delivery.status} paused={delivery.paused} />
                    <a href={toHash({ section: 'deliveries', id: delivery.id })}>{delivery.url}</a>
                    <AttemptCount delivery={delivery} />
                  </li>
                ))}
              </ul>
              {hasMore && (
                <a href={toHash({ section: 'deliveries', query: { event: eventId } })}>
                  All deliveries of this event
                </a>
              )}
            </>
          )
        }
      </QueryView>
    </section>
  );
}
