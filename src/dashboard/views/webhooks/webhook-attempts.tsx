/** The results of the latest attempts to an endpoint. */
import type { ComponentChildren } from 'preact';
import type { WebhookStatistics } from '../../../contract/overview-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { formatLatency, SECOND_MS } from '../../../domain/duration.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { AttemptLink, OutcomeBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useQuery } from '../../use-query.ts';
import { formatSuccessRate } from './success-rate.ts';

/** Number of attempts that the charts on the page of an endpoint show. */
export const MAX_BARS = 100;
const MAX_LISTED = 10;

/** Reloads results after attempts, at most once a second. */
export function reloadAfterAttempts(isShown: (delivery: AttemptItem['delivery']) => boolean) {
  return {
    refetchOn: (item: StreamItem) =>
      item.type === 'reset' || (item.type === 'attempt' && isShown(item.delivery)),
    intervalMs: SECOND_MS,
  };
}

type AttemptItem = Extract<StreamItem, { type: 'attempt' }>;

interface WebhookAttemptsProps {
  readonly webhookId: string;
  readonly statistics: WebhookStatistics;
}

export function WebhookAttempts({ webhookId, statistics }: WebhookAttemptsProps) {
  const hasAttempts = statistics.attempts > 0;
  return (
    <section class="card stack" aria-label="Attempts">
      <div class="row">
        <h3>Attempts</h3>
        <a href={toHash({ section: 'deliveries', query: { webhook_id: webhookId } })}>All deliveries</a>
      </div>
      {hasAttempts ? (
        <>
          <AttemptCharts statistics={statistics} />
          <LatestAttempts webhookId={webhookId} />
        </>
      ) : (
        <p class="muted">
          No attempts yet. <a href={toHash({ section: 'trigger' })}>Trigger an event</a> that this endpoint
          subscribes to.
        </p>
      )}
    </section>
  );
}

function AttemptCharts({ statistics }: { readonly statistics: WebhookStatistics }) {
  const { attempts: count, succeeded } = statistics;
  const { p50, p95, longest } = toDurations(statistics);
  return (
    <div class="webhooks-charts">
      <figure>
        <OutcomeChart statistics={statistics} maxBars={MAX_BARS} />
        <figcaption>
          <strong>{formatSuccessRate(statistics)}</strong> succeeded: {succeeded} of the last {count}
        </figcaption>
      </figure>
      <figure>
        <LatencyChart statistics={statistics} maxBars={MAX_BARS} />
        <figcaption>
          Duration: p50 <strong>{formatLatency(p50)}</strong>, p95 <strong>{formatLatency(p95)}</strong>,
          longest {formatLatency(longest)} <span class="muted">(logarithmic scale)</span>
        </figcaption>
      </figure>
    </div>
  );
}

/** The durations are null only without attempts. */
function toDurations({ p50_ms: p50, p95_ms: p95, max_ms: longest }: WebhookStatistics) {
  return { p50: p50 ?? 0, p95: p95 ?? 0, longest: longest ?? 0 };
}

function LatestAttempts({ webhookId }: { readonly webhookId: string }) {
  const query = useQuery(
    () => control.listAttempts({ webhook_id: webhookId, limit: MAX_LISTED }),
    [webhookId],
    reloadAfterAttempts((delivery) => delivery.webhook_id === webhookId),
  );
  return (
    <QueryView query={query} what="attempts">
      {({ data }) => (
        <ol class="webhooks-latest divided-list" aria-label="Latest attempts">
          {data.map((attempt) => (
            <li key={attempt.id}>
              <AttemptLink attempt={attempt} />
              <OutcomeBadge {...attempt} />
              <span class="webhooks-duration">{formatLatency(attempt.duration_ms)}</span>
              <Time at={attempt.sent_at} clock="wall" />
            </li>
          ))}
        </ol>
      )}
    </QueryView>
  );
}

interface Props {
  readonly statistics: WebhookStatistics;
  /** Number of attempts that the chart has space for. Fewer attempts leave space at its start. */
  readonly maxBars: number;
}

/** Height of one half of the outcome chart, and of the latency chart, in the coordinates of the SVG. */
const HEIGHT = 20;
/** Width of a bar in its space of 1. */
const BAR_WIDTH = 0.8;

/** `Last attempt`, `Last 3 attempts` */
function describeLastAttempts(last: 'Last' | 'last', count: number): string {
  return count === 1 ? `${last} attempt` : `${last} ${count} attempts`;
}

/** Successes are above the line, failures below it. */
export function OutcomeChart({ statistics: { recent_attempts: attempts }, maxBars }: Props) {
  const succeeded = attempts.filter(isSucceeded).length;
  return (
    <Chart
      attempts={attempts}
      maxBars={maxBars}
      label={`${describeLastAttempts('Last', attempts.length)}: ${succeeded} succeeded, ${attempts.length - succeeded} failed`}
      top={-HEIGHT}
      toBar={(attempt) => ({ y: isSucceeded(attempt) ? -HEIGHT : 0, height: HEIGHT })}
    >
      <path class="webhooks-axis" d={`M0 0H${maxBars}`} />
    </Chart>
  );
}

/** The scale is logarithmic, so that one attempt of ten seconds does not flatten those of ten milliseconds. */
function LatencyChart({ statistics, maxBars }: Props) {
  const { p50, p95, longest } = toDurations(statistics);
  const toHeight = (ms: number) => (HEIGHT * Math.log1p(ms)) / Math.log1p(Math.max(longest, 1));
  return (
    <Chart
      attempts={statistics.recent_attempts}
      maxBars={maxBars}
      label={`Durations of the ${describeLastAttempts('last', statistics.attempts)}: p50 ${formatLatency(p50)}, p95 ${formatLatency(p95)}, longest ${formatLatency(longest)}`}
      top={0}
      toBar={({ duration_ms: ms }) => ({ y: HEIGHT - toHeight(ms), height: toHeight(ms) })}
    >
      <path class="webhooks-percentile" d={`M0 ${HEIGHT - toHeight(p50)}H${maxBars}`} />
      <path class="webhooks-percentile" d={`M0 ${HEIGHT - toHeight(p95)}H${maxBars}`} />
    </Chart>
  );
}

type RecentAttempt = WebhookStatistics['recent_attempts'][number];

interface ChartProps extends Pick<Props, 'maxBars'> {
  /** Newest first. */
  readonly attempts: readonly RecentAttempt[];
  readonly label: string;
  /** Smallest y coordinate. */
  readonly top: number;
  readonly toBar: (attempt: RecentAttempt) => { readonly y: number; readonly height: number };
  readonly children: ComponentChildren;
}

function Chart({ attempts, maxBars, label, top, toBar, children }: ChartProps) {
  return (
    <svg
      class="webhooks-chart"
      viewBox={`0 ${top} ${maxBars} ${HEIGHT - top}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {attempts.map((attempt, index) => (
        <rect
          key={index}
          class={isSucceeded(attempt) ? 'succeeded' : 'failed'}
          x={maxBars - index - 1}
          width={BAR_WIDTH}
          {...toBar(attempt)}
        />
      ))}
      {children}
    </svg>
  );
}

function isSucceeded({ outcome }: RecentAttempt): boolean {
  return outcome === 'succeeded';
}
