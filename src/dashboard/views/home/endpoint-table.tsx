/** The endpoints, failing ones first, with their attempts on one scale of schedule time. */
import { describeOutcome } from '../../../domain/delivery.ts';
import { formatLatency } from '../../../domain/duration.ts';
import type { EndpointSummary, Schedule, ScheduleMark } from '../../../operations/overview-schemas.ts';
import { shortenUrl, toHash } from '../../address.ts';
import { Badge, StatusBadge } from '../../ui/status-badge.tsx';
import { Timeline, TimeScale, toDeliveries } from '../timeline/timeline.tsx';
import { formatSuccessRate } from '../webhooks/success-rate.ts';

interface Props {
  readonly endpoints: readonly EndpointSummary[];
  readonly schedule: Schedule;
}

export function EndpointTable({ endpoints, schedule }: Props) {
  const sorted = [...endpoints].sort((a, b) => Number(b.failing) - Number(a.failing));
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Endpoint</th>
          <th scope="col">State</th>
          <th scope="col">
            <span class="hidden">Schedule</span>
            <TimeScale schedule={schedule} />
          </th>
          <th scope="col">Success</th>
          <th scope="col">Median</th>
          <th scope="col">Last error</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((endpoint) => (
          <Row
            key={endpoint.webhook_id}
            endpoint={endpoint}
            at={schedule.at}
            marks={schedule.marks.filter(({ webhook_id: id }) => id === endpoint.webhook_id)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly endpoint: EndpointSummary;
  readonly at: string;
  readonly marks: readonly ScheduleMark[];
}

function Row({ endpoint, at, marks }: RowProps) {
  const { webhook_id: id, url, attempts: count, succeeded } = endpoint;
  const { p50_ms: median, last_failure: failure } = endpoint;
  const none = <span class="muted">–</span>;
  return (
    <tr>
      <td title={url}>
        <a href={toHash({ section: 'webhooks', id })}>{shortenUrl(url)}</a>
      </td>
      <td>
        <EndpointState endpoint={endpoint} />
      </td>
      <td>
        <Timeline label={shortenUrl(url)} at={at} marks={marks} toTarget={toDeliveries(id)} />
      </td>
      <td data-label="Success" title={`${succeeded} of the last ${count} attempts`}>
        {count === 0 ? none : formatSuccessRate(succeeded, count)}
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
            {describeOutcome(failure)}
          </a>
        )}
      </td>
    </tr>
  );
}

/** The worst state of its pending deliveries, or the result of the newest attempts. */
function EndpointState({ endpoint }: { readonly endpoint: EndpointSummary }) {
  const { disabled, failing, attempts, succeeded } = endpoint;
  const failed = attempts - succeeded;
  if (disabled) return <Badge state="paused">disabled</Badge>;
  if (failing) return <StatusBadge status="failing" />;
  if (attempts === 0) return <Badge state="neutral">no attempts</Badge>;
  if (failed === 0) return <Badge state="succeeded">healthy</Badge>;
  return <Badge state="warning">{`${failed} of ${attempts} failed`}</Badge>;
}
