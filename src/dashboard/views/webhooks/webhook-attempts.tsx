import type { AttemptSummary } from '../../../contract/delivery-schemas.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { toHash } from '../../address.ts';
import { AttemptLink } from '../../ui/attempt-link.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { OutcomeBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { LatencyChart, OutcomeChart } from './attempt-charts.tsx';
import { computeAttemptStats, formatSuccessRate } from './attempt-stats.ts';
import { useAttempts } from './use-attempts.ts';

/** Limits for the charts and for the list. */
const CHART_SLOTS = 100;
const MAX_LISTED = 10;

/** Outcomes and durations of the latest attempts to an endpoint. */
export function WebhookAttempts({ webhookId }: { readonly webhookId: string }) {
  const query = useAttempts(webhookId);
  return (
    <section class="card webhooks-attempts" aria-label="Attempts">
      <div class="row">
        <h3>Attempts</h3>
        <a href={toHash({ section: 'deliveries', query: { webhook: webhookId } })}>All deliveries</a>
      </div>
      <QueryView query={query} what="attempts">
        {(attempts) =>
          attempts.length === 0 ? (
            <p class="muted">
              No attempts yet. <a href={toHash({ section: 'trigger' })}>Trigger an event</a> that this
              endpoint subscribes to.
            </p>
          ) : (
            <AttemptStatistics attempts={attempts} />
          )
        }
      </QueryView>
    </section>
  );
}

function AttemptStatistics({ attempts }: { readonly attempts: readonly AttemptSummary[] }) {
  const attemptStats = computeAttemptStats(attempts);
  if (attemptStats === null) return null;
  const { count, succeeded, p50, p95, longest } = attemptStats;
  return (
    <>
      <div class="webhooks-charts">
        <figure>
          <OutcomeChart attempts={attempts} slots={CHART_SLOTS} />
          <figcaption>
            <strong>{formatSuccessRate(attemptStats)}</strong> succeeded: {succeeded} of the last {count}
          </figcaption>
        </figure>
        <figure>
          <LatencyChart attempts={attempts} slots={CHART_SLOTS} />
          <figcaption>
            p50 <strong>{formatLatency(p50)}</strong>, p95 <strong>{formatLatency(p95)}</strong>, longest{' '}
            {formatLatency(longest)} <span class="muted">(logarithmic scale)</span>
          </figcaption>
        </figure>
      </div>
      <ol class="webhooks-latest" aria-label="Latest attempts">
        {attempts.slice(0, MAX_LISTED).map((attempt) => (
          <li key={attempt.id}>
            <AttemptLink attempt={attempt} />
            <OutcomeBadge {...attempt} />
            <span class="webhooks-duration">{formatLatency(attempt.duration_ms)}</span>
            <Time at={attempt.sent_at} clock="wall" />
          </li>
        ))}
      </ol>
    </>
  );
}
