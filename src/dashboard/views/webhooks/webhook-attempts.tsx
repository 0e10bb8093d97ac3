import type { AttemptSummary } from '../../../contract/deliveries.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { toHash } from '../../address.ts';
import { AttemptLink } from '../../ui/attempt-link.tsx';
import { Answer } from '../../ui/state.tsx';
import { OutcomeBadge } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { formatRate, measure } from './figures.ts';
import { LatencyPlot, OutcomePlot } from './plots.tsx';
import { useAttempts } from './use-attempts.ts';

/** How many have a place in the drawings, and how many are listed. */
const DRAWN = 100;
const LISTED = 10;

/** How the endpoint fares: outcomes and durations of its newest attempts. */
export function WebhookAttempts({ webhookId }: { readonly webhookId: string }) {
  const asked = useAttempts(webhookId);
  return (
    <section class="card webhooks-attempts" aria-label="Attempts">
      <div class="row">
        <h3>Attempts</h3>
        <a href={toHash({ section: 'deliveries', query: { webhook: webhookId } })}>All its deliveries</a>
      </div>
      <Answer asked={asked} what="attempts">
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
      </Answer>
    </section>
  );
}

function Figures({ attempts }: { readonly attempts: readonly AttemptSummary[] }) {
  const figures = measure(attempts);
  if (figures === null) return null;
  const { count, succeeded, p50, p95, longest } = figures;
  return (
    <>
      <div class="webhooks-plots">
        <figure>
          <OutcomePlot attempts={attempts} places={DRAWN} />
          <figcaption>
            <strong>{formatRate(figures)}</strong> succeeded: {succeeded} of the newest {count}
          </figcaption>
        </figure>
        <figure>
          <LatencyPlot attempts={attempts} places={DRAWN} />
          <figcaption>
            p50 <strong>{formatLatency(p50)}</strong>, p95 <strong>{formatLatency(p95)}</strong>, longest{' '}
            {formatLatency(longest)} <span class="muted">(logarithmic)</span>
          </figcaption>
        </figure>
      </div>
      <ol class="webhooks-newest" aria-label="Newest attempts">
        {attempts.slice(0, LISTED).map((attempt) => (
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
