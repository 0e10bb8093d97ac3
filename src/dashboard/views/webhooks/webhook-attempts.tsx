/** The results of the latest attempts to an endpoint. */

import { formatLatency } from '../../../domain/duration.ts';
import type { WebhookStatistics } from '../../../operations/overview-schemas.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { AttemptLink, OutcomeBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { formatSuccessRate } from './success-rate.ts';

const MAX_LISTED = 10;

interface Props {
  readonly webhookId: string;
  readonly statistics: WebhookStatistics;
}

export function WebhookAttempts({ webhookId, statistics }: Props) {
  const { attempts: count, succeeded, p50_ms: p50, p95_ms: p95 } = statistics;
  return (
    <section class="card stack" aria-label="Attempts">
      <div class="row">
        <h3>Attempts</h3>
        <a href={toHash({ section: 'deliveries', query: { webhook_id: webhookId } })}>All deliveries</a>
      </div>
      {count === 0 || p50 === null || p95 === null ? (
        <p class="muted">No attempts yet. Send a test event from the menu Test.</p>
      ) : (
        <>
          <p>
            <strong>{formatSuccessRate(statistics)}</strong> succeeded: {succeeded} of the last {count}.
            Duration: median {formatLatency(p50)}, 95th percentile {formatLatency(p95)}.
          </p>
          <LatestAttempts webhookId={webhookId} />
        </>
      )}
    </section>
  );
}

function LatestAttempts({ webhookId }: Pick<Props, 'webhookId'>) {
  const query = useQuery(
    () => control.listAttempts({ webhook_id: webhookId, limit: MAX_LISTED }),
    [webhookId],
    { isLive: true },
  );
  return (
    <QueryView query={query} what="attempts">
      {({ data }) => (
        <ol class="divided-list" aria-label="Latest attempts">
          {data.map((attempt) => (
            <li key={attempt.id}>
              <AttemptLink attempt={attempt} />
              <OutcomeBadge {...attempt} />
              <span class="muted">
                {formatLatency(attempt.duration_ms)}, <Time at={attempt.sent_at} clock="wall" />
              </span>
            </li>
          ))}
        </ol>
      )}
    </QueryView>
  );
}
