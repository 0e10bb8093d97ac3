import type { EndpointSummary } from '../../../contract/overview-schemas.ts';
import { describeOutcome } from '../../../domain/delivery.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { shortenUrl, toHash } from '../../address.ts';
import { AttemptDueTime, Time } from '../../ui/time.tsx';
import { formatSuccessRate } from '../webhooks/success-rate.ts';

interface Props {
  readonly endpoints: readonly EndpointSummary[];
  /** Whether the workspace has more endpoints than these. */
  readonly hasMore: boolean;
}

export function EndpointTiles({ endpoints, hasMore }: Props) {
  return (
    <section class="stack" aria-label="Endpoints">
      <div class="row">
        <h2>Endpoints</h2>
        <a href={toHash({ section: 'webhooks' })}>
          {hasMore ? `Newest ${endpoints.length}, show all` : 'All endpoints'}
        </a>
      </div>
      <ul class="overview-tiles plain-list">
        {endpoints.map((endpoint) => (
          <Tile key={endpoint.webhook_id} endpoint={endpoint} />
        ))}
      </ul>
    </section>
  );
}

function Tile({ endpoint }: { readonly endpoint: EndpointSummary }) {
  const { webhook_id: id, url, disabled, attempts: count, succeeded, p95_ms: p95 } = endpoint;
  const { last_failure: failure, next_attempt_at: next } = endpoint;
  return (
    <li class="card stack">
      <div class="row">
        <a class="overview-url" href={toHash({ section: 'webhooks', id })}>
          {shortenUrl(url)}
        </a>
        {disabled && <span class="badge canceled">disabled</span>}
      </div>
      <dl class="overview-facts">
        <div>
          <dt>Succeeded</dt>
          <dd>
            {count === 0 ? (
              <span class="muted">no attempts</span>
            ) : (
              <span class={succeeded < count ? 'error-text' : ''} title={`${succeeded} of the last ${count}`}>
                {formatSuccessRate(endpoint)}
              </span>
            )}
          </dd>
        </div>
        <div>
          <dt>p95 duration</dt>
          <dd>{p95 === null ? '–' : formatLatency(p95)}</dd>
        </div>
        <div>
          <dt>Last error</dt>
          <dd>
            {failure === null ? (
              <span class="muted">none</span>
            ) : (
              <a
                title={failure.error ?? undefined}
                href={toHash({
                  section: 'deliveries',
                  id: failure.delivery_id,
                  query: { attempt: String(failure.number) },
                })}
              >
                {describeOutcome(failure)} <Time at={failure.sent_at} clock="wall" />
              </a>
            )}
          </dd>
        </div>
        <div>
          <dt>Next attempt</dt>
          <dd>{next === null ? <span class="muted">none</span> : <AttemptDueTime at={next} />}</dd>
        </div>
      </dl>
    </li>
  );
}
