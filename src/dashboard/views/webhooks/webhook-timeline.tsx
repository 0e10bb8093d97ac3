/** The attempts to an endpoint on a timeline, and the results of the latest ones. */
import { formatLatency } from '../../../domain/duration.ts';
import type { WebhookStatistics, WebhookWithStatistics } from '../../../operations/overview-schemas.ts';
import { toHash } from '../../address.ts';
import { useSchedule } from '../timeline/line.ts';
import { Timeline, TimelineArea, TimeScale, toDeliveries } from '../timeline/timeline.tsx';
import { formatSuccessRate } from './success-rate.ts';

export function WebhookTimeline({ webhook }: { readonly webhook: WebhookWithStatistics }) {
  const { id, url, statistics } = webhook;
  const schedule = useSchedule();
  if (schedule === undefined) return null;
  const marks = schedule.marks.filter(({ webhook_id }) => webhook_id === id);
  const shown = { ...schedule, drawn: marks };
  return (
    <section class="card" aria-label="Attempts">
      <TimelineArea schedule={shown}>
        <TimeScale schedule={shown} />
        <Timeline label={url} at={schedule.at} marks={marks} toTarget={toDeliveries(id)} />
        <p>
          {describeResults(statistics)}{' '}
          <a href={toHash({ section: 'deliveries', query: { webhook_id: id } })}>All deliveries</a>
        </p>
      </TimelineArea>
    </section>
  );
}

function describeResults(statistics: WebhookStatistics): string {
  const { attempts: count, succeeded, p50_ms: p50, p95_ms: p95 } = statistics;
  if (p50 === null || p95 === null) return 'No attempts yet.';
  return `${formatSuccessRate(succeeded, count)} succeeded: ${succeeded} of the last ${count}. Duration: median ${formatLatency(p50)}, 95th percentile ${formatLatency(p95)}.`;
}
