import { describeOutcome } from '../../../domain/delivery.ts';
import { formatLatency } from '../../../domain/duration.ts';
import type { EndpointSummary } from '../../../operations/overview-schemas.ts';
import { shortenUrl, toHash } from '../../address.ts';
import { AttemptDueTime, Time } from '../../ui/time.tsx';
import { formatSuccessRate } from '../webhooks/success-rate.ts';

/** The endpoints with the results of their newest attempts, failing ones first. */
export function EndpointList({ endpoints }: { readonly endpoints: readonly EndpointSummary[] }) {
  const sorted = [...endpoints].sort((a, b) => Number(b.failing) - Number(a.failing));
  return (
    <table class="endpoints">
      <thead>
        <tr>
          {['Endpoint', 'State', 'Success rate', 'Median', 'Last error', 'Next attempt'].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted.map((endpoint) => (
          <Row key={endpoint.webhook_id} endpoint={endpoint} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ endpoint }: { readonly endpoint: EndpointSummary }) {
  const { webhook_id: id, url, attempts: count, succeeded } = endpoint;
  const { p50_ms: median, last_failure: failure, next_attempt_at: next } = endpoint;
  const none = <span class="muted">–</span>;
  return (
    <tr>
      <td>
        <a href={toHash({ section: 'webhooks', id })}>{shortenUrl(url)}</a>
      </td>
      <td>
        <EndpointState endpoint={endpoint} />
      </td>
      <td data-label="Success rate" title={`${succeeded} of the last ${count} attempts`}>
        {count === 0 ? none : formatSuccessRate(endpoint)}
      </td>
      <td data-label="Median">{median === null ? none : formatLatency(median)}</td>
      <td data-label="Last error">
        {failure === null ? (
          none
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
      </td>
      <td data-label="Next attempt">{next === null ? none : <AttemptDueTime at={next} />}</td>
    </tr>
  );
}

/** The worst state of its pending deliveries, or the result of the newest attempts. */
function EndpointState({ endpoint }: { readonly endpoint: EndpointSummary }) {
  const { disabled, failing, attempts, succeeded } = endpoint;
  const [state, text] = disabled
    ? ['paused', 'disabled']
    : failing
      ? ['failing', 'failing']
      : attempts === 0
        ? ['canceled', 'no attempts']
        : succeeded === attempts
          ? ['succeeded', 'healthy']
          : ['pending', `${attempts - succeeded} of ${attempts} failed`];
  return <span class={`badge ${state}`}>{text}</span>;
}
