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

/** How many have a place in the drawings, and how many are listed. */
const CHART_SLOTS = 100;
const MAX_LISTED = 10;

/** How the endpoint fares: outcomes and durations of its newest attempts. */
export function WebhookAttempts({ webhookId }: { readonly webhookId: string }) {
  const query = useAttempts(webhookId);
  return (
    <section class="card webhooks-attempts" aria-label="Attempts">
      <div class="row">
        <h3>Attempts</h3>
        <a href={toHash({ section: 'deliveries', query: { webhook: webhookId } })}>All its deliveries</a>
      </div>
      <QueryView query={query} what="attempts">
        {(attempts) =>
          attempts.length === 0 ? (
            <p class="muted">
              None yet. <a href={toHash({ section: 'trigger' })}>Trigger an event</a> of a type that it
              subscribes to.
            </p>
          ) : (
            <Figures attempts={attempts} />
          )
        }
      </QueryView>
    </section>
  );
}

function Figures({ attempts }: { readonly attempts: readonly AttemptSummary[] }) {
  const attemptStats = computeAttemptStats(attempts);
  if (attemptStats === null) return null;
  const { count, succeeded, p50, p95, longest } = attemptStats;
  return (
    <>
      <div class="webhooks-plots">
        <figure>
          <OutcomeChart attempts={attempts} slots={CHART_SLOTS} />
          <figcaption>
            <strong>{formatSuccessRate(attemptStats)}</strong> succeeded: {succeeded} of the newest {count}
          </figcaption>
        </figure>
        <figure>
          <LatencyChart attempts={attempts} slots={CHART_SLOTS} />
          <figcaption>
            p50 <strong>{formatLatency(p50)}</strong>, p95 <strong>{formatLatency(p95)}</strong>, longest{' '}
            {formatLatency(longest)} <span class="muted">(logarithmic)</span>
          </figcaption>
        </figure>
      </div>
      <ol class="webhooks-newest" aria-label="Newest attempts">
        {attempts.slice(0, MAX_LISTED).map((attempt) => (
          <li key={attempt.id}>
            <AttemptLink attempt={attempt} />
            <OutcomeBadge {...attempt} />
            <span class="webhooks-number">{formatLatency(attempt.duration_ms)}</span>
            <Time at={attempt.sent_at} of="wall" />
          </li>
        ))}
      </ol>
    </>
  );
}
