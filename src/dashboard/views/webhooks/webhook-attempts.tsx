import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AttemptSummary } from '../../../contract/delivery-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { toHash } from '../../address.ts';
import { control } from '../../control.ts';
import { useLiveItems } from '../../live-stream.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { AttemptLink, OutcomeBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { type Query, useQuery } from '../../use-query.ts';
import { computeAttemptStats, formatSuccessRate, mergeNewest } from './attempt-stats.ts';

const MAX_BARS = 100;
const MAX_LISTED = 10;

/** Outcomes and durations of the latest attempts to an endpoint. */
export function WebhookAttempts({ webhookId }: { readonly webhookId: string }) {
  const query = useAttempts(webhookId);
  return (
    <section class="card stack" aria-label="Attempts">
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
          <OutcomeChart attempts={attempts} maxBars={MAX_BARS} />
          <figcaption>
            <strong>{formatSuccessRate(attemptStats)}</strong> succeeded: {succeeded} of the last {count}
          </figcaption>
        </figure>
        <figure>
          <LatencyChart attempts={attempts} maxBars={MAX_BARS} />
          <figcaption>
            p50 <strong>{formatLatency(p50)}</strong>, p95 <strong>{formatLatency(p95)}</strong>, longest{' '}
            {formatLatency(longest)} <span class="muted">(logarithmic scale)</span>
          </figcaption>
        </figure>
      </div>
      <ol class="webhooks-latest divided-list" aria-label="Latest attempts">
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

/** How many of the latest attempts the statistics cover. */
const MAX_ATTEMPTS = 200;

/** The latest attempts to an endpoint, newest first, live. */
export function useAttempts(webhookId: string): Query<readonly AttemptSummary[]> {
  const query = useQuery(
    () => control.listAttempts({ webhook_id: webhookId, limit: MAX_ATTEMPTS }),
    [webhookId],
  );
  const [liveAttempts, setLiveAttempts] = useState<readonly AttemptSummary[]>([]);
  useEffect(() => setLiveAttempts([]), [webhookId]);
  useLiveItems((items) => {
    if (items.some(({ type }) => type === 'reset')) {
      setLiveAttempts([]);
      return query.refetch();
    }
    const newAttempts = items.flatMap((item) => toSummary(item, webhookId)).reverse();
    if (newAttempts.length > 0) setLiveAttempts((before) => mergeNewest(newAttempts, before, MAX_ATTEMPTS));
  });
  return { ...query, value: query.value && mergeNewest(liveAttempts, query.value.data, MAX_ATTEMPTS) };
}

function toSummary(item: StreamItem, webhookId: string): AttemptSummary[] {
  if (item.type !== 'attempt' || item.delivery.webhook_id !== webhookId) return [];
  const { request: _, response: __, ...attempt } = item.attempt;
  const { id, event_type } = item.delivery;
  return [{ ...attempt, delivery_id: id, event_type, webhook_id: webhookId }];
}

interface Props {
  /** Newest first. */
  readonly attempts: readonly AttemptSummary[];
  /** Number of attempts that the chart shows. Fewer attempts leave space at its start. */
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
export function OutcomeChart({ attempts, maxBars }: Props) {
  const shown = attempts.slice(0, maxBars);
  const succeeded = shown.filter(isSucceeded).length;
  return (
    <Chart
      attempts={shown}
      maxBars={maxBars}
      label={`${describeLastAttempts('Last', shown.length)}: ${succeeded} succeeded, ${shown.length - succeeded} failed`}
      top={-HEIGHT}
      toBar={(attempt) => ({ y: isSucceeded(attempt) ? -HEIGHT : 0, height: HEIGHT })}
    >
      <path class="webhooks-axis" d={`M0 0H${maxBars}`} />
    </Chart>
  );
}

/** The scale is logarithmic, so that one attempt of ten seconds does not flatten those of ten milliseconds. */
function LatencyChart({ attempts, maxBars }: Props) {
  const shown = attempts.slice(0, maxBars);
  const attemptStats = computeAttemptStats(shown);
  if (attemptStats === null) return null;
  const { p50, p95, longest } = attemptStats;
  const toHeight = (ms: number) => (HEIGHT * Math.log1p(ms)) / Math.log1p(Math.max(longest, 1));
  return (
    <Chart
      attempts={shown}
      maxBars={maxBars}
      label={`Durations of the ${describeLastAttempts('last', shown.length)}: p50 ${formatLatency(p50)}, p95 ${formatLatency(p95)}, longest ${formatLatency(longest)}`}
      top={0}
      toBar={({ duration_ms: ms }) => ({ y: HEIGHT - toHeight(ms), height: toHeight(ms) })}
    >
      <path class="webhooks-percentile" d={`M0 ${HEIGHT - toHeight(p50)}H${maxBars}`} />
      <path class="webhooks-percentile" d={`M0 ${HEIGHT - toHeight(p95)}H${maxBars}`} />
    </Chart>
  );
}

interface ChartProps extends Props {
  readonly label: string;
  /** Smallest y coordinate. */
  readonly top: number;
  readonly toBar: (attempt: AttemptSummary) => { readonly y: number; readonly height: number };
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
          key={attempt.id}
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

function isSucceeded({ outcome }: AttemptSummary): boolean {
  return outcome === 'succeeded';
}
