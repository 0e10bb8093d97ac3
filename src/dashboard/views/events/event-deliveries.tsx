import { toHash } from '../../address.ts';
import { useAsked } from '../../asked.ts';
import { control } from '../../control.ts';
import { useLive } from '../../live.ts';
import { useThrottle } from '../../throttle.ts';
import { Answer } from '../../ui/state.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

const SHOWN = 50;
const LOOK_AGAIN_MS = 500;

/** What became of an event at each endpoint, live. */
export function EventDeliveries({ eventId }: { readonly eventId: string }) {
  const asked = useAsked(() => control.listDeliveries({ event_id: eventId, limit: SHOWN }), [eventId]);
  const lookAgain = useThrottle(asked.again, LOOK_AGAIN_MS);
  useLive((items) => {
    if (items.some((item) => 'delivery' in item && item.delivery.event_id === eventId)) lookAgain();
  });
  return (
    <section class="card" aria-label="Deliveries">
      <h3>Deliveries</h3>
      <Answer asked={asked} what="its deliveries">
        {({ data, has_more: hasMore }) =>
          data.length === 0 ? (
            <p class="muted">
              None: no <a href={toHash({ section: 'webhooks' })}>endpoint</a> subscribed to its type when it
              was created.
            </p>
          ) : (
            <>
              <ul class="events-deliveries">
                {data.map(({ id, status, paused, url, attempt_count: attempts, next_attempt_at: next }) => (
                  <li key={id}>
                    <StatusBadge status={status} paused={paused} />
                    <a href={toHash({ section: 'deliveries', id })}>{url}</a>
                    <span class="muted">
                      {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
                      {next !== null && (
                        <>
                          {', the next '}
                          <Time at={next} of="schedule" />
                        </>
                      )}
                    </span>
                  </li>
                ))}
              </ul>
              {hasMore && (
                <a href={toHash({ section: 'deliveries', query: { event: eventId } })}>All its deliveries</a>
              )}
            </>
          )
        }
      </Answer>
    </section>
  );
}
