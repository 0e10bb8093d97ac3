/** The results of the latest attempts to an endpoint. */
import { formatLatency, SECOND_MS } from '../../../domain/duration.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { AttemptLink, OutcomeBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { formatSuccessRate } from './success-rate.ts';

/** As many as the first page summarizes. */
const MAX_COUNTED = 100;
const MAX_LISTED = 10;

export function WebhookAttempts({ webhookId }: { readonly webhookId: string }) {
  const query = useQuery(
    () => control.listAttempts({ webhook_id: webhookId, limit: MAX_COUNTED }),
    [webhookId],
    {
      refetchOn: (item) =>
        item.type === 'reset' || (item.type === 'attempt' && item.delivery.webhook_id === webhookId),
      intervalMs: SECOND_MS,
    },
  );
  return (
    <section class="card stack" aria-label="Attempts">
      <div class="row">
        <h3>Attempts</h3>
        <a href={toHash({ section: 'deliveries', query: { webhook_id: webhookId } })}>All deliveries</a>
      </div>
      <QueryView query={query} what="attempts">
        {({ data }) => {
          if (data.length === 0)
            return <p class="muted">No attempts yet. Send a test event from the menu Test.</p>;
          const attempts = data.length;
          const succeeded = data.filter(({ outcome }) => outcome === 'succeeded').length;
          return (
            <>
              <p>
                <strong>{formatSuccessRate({ attempts, succeeded })}</strong> succeeded: {succeeded} of the
                last {attempts}.
              </p>
              <ol class="divided-list" aria-label="Latest attempts">
                {data.slice(0, MAX_LISTED).map((attempt) => (
                  <li key={attempt.id}>
                    <AttemptLink attempt={attempt} />
                    <OutcomeBadge {...attempt} />
                    <span class="muted">
                      {formatLatency(attempt.duration_ms)}, <Time at={attempt.sent_at} clock="wall" />
                    </span>
                  </li>
                ))}
              </ol>
            </>
          );
        }}
      </QueryView>
    </section>
  );
}
