/** `svc trigger --count`: creates many events of one type and prints a summary of their deliveries. */

import { abortAfter } from '../../abort-signals.ts';
import { mapAtRate } from '../../client/map-at-rate.ts';
import { pollUntil } from '../../client/poll-until.ts';
import { trackDeliveries } from '../../client/wait.ts';
import { type ControlPlane, listAll } from '../../contract/control-plane.ts';
import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { Event } from '../../contract/resources.ts';
import { getDisplayStatus } from '../../domain/delivery.ts';
import { formatDuration, formatLatency, SECOND_MS } from '../../domain/duration.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import type { Context } from '../context.ts';
import {
  type CommandWait,
  explainNoDeliveries,
  hintToExplain,
  showDeliveryProgress,
  toWaitExitCode,
} from '../delivery-wait.ts';
import { renderProgressBar, withProgress } from '../progress.ts';
import { renderFields } from '../render/table.ts';

interface TriggerManyOptions {
  readonly type: string;
  readonly workspaceId: string;
  readonly count: number;
  readonly perSecond: number;
  /** How to wait for the deliveries to settle; undefined to not wait. */
  readonly wait: CommandWait | undefined;
}

/** An event, with the times of its request and response in milliseconds of `performance.now()`. */
interface CreatedEvent {
  readonly event: Event;
  readonly requestedAt: number;
  readonly respondedAt: number;
}

/** The time at which the stream reported the last attempt, by delivery ID, in milliseconds of `performance.now()`. */
type SettledAtById = Map<string, number>;

/** Time limit of the final list request after an interruption, and of attempts that the stream has not reported yet. */
const FINAL_RESULT_TIMEOUT_MS = 2 * SECOND_MS;

/**
 * Creates events with `create`, which gets numbers from 1, and prints a summary. After an error it prints the summary
 * of the events that were created, and then throws the error.
 */
export async function triggerMany(
  create: (number: number) => Promise<Event>,
  options: TriggerManyOptions,
  context: Context,
): Promise<ExitCode> {
  const { wait } = options;
  const control = await context.connect();
  const startedAt = performance.now();
  const created: CreatedEvent[] = [];
  const settledAt: SettledAtById = new Map();
  const finished = new AbortController();
  let isStalled = false;
  let failure: { readonly error: unknown } | null = null;
  try {
    if (wait !== undefined) await followAttempts(settledAt, options, finished.signal, control);
    await createAll(create, created, options, context);
    if (wait !== undefined) isStalled = await waitForSettled(created, options, wait, control, context);
  } catch (error) {
    if (created.length === 0) throw error;
    failure = { error };
  }
  const durationMs = performance.now() - startedAt;
  // An interruption aborts the requests of the first client.
  const finalControl = failure ? await context.connect(abortAfter(FINAL_RESULT_TIMEOUT_MS)) : control;
  const deliveries = await listDeliveriesOf(created, finalControl);
  const durations =
    wait === undefined
      ? created.map(({ requestedAt, respondedAt }) => respondedAt - requestedAt)
      : await findSettlementDurations(created, deliveries, settledAt);
  finished.abort();

  const failing = deliveries.filter((delivery) => getDisplayStatus(delivery) === 'failing').length;
  const countOf = (...statuses: string[]) =>
    deliveries.filter(({ status }) => statuses.includes(status)).length;
  const summary = {
    events: created.length,
    deliveries: {
      succeeded: countOf('succeeded'),
      failed: countOf('failed', 'canceled'),
      pending: countOf('pending'),
    },
    duration_ms: roundToHundredths(durationMs),
    p50_ms: findPercentile(durations, 0.5),
    p99_ms: findPercentile(durations, 0.99),
  };
  context.print(summary, () => {
    const { events, p50_ms: p50, p99_ms: p99 } = summary;
    const { succeeded, failed, pending } = summary.deliveries;
    const total = created.length < options.count ? ` of ${options.count}` : '';
    const timeLabel = wait === undefined ? 'Response time' : 'Delivery time';
    const fields = {
      Events: `${events}${total} in ${formatDuration(durationMs)}`,
      Deliveries: `${succeeded} succeeded, ${failing} failing, ${failed} failed, ${pending - failing} pending`,
      [timeLabel]: p50 === null ? null : `p50 ${formatLatency(p50)}, p99 ${formatLatency(p99 ?? p50)}`,
    };
    return renderFields(fields, context.io);
  });
  if (deliveries.length === 0) explainNoDeliveries(options.type, context.io);
  if (failure) throw addRateHint(failure.error);
  if (wait === undefined) {
    hintToExplain(deliveries, context);
    return ExitCode.success;
  }
  return toWaitExitCode({ deliveries, isStalled, ...wait }, control, context);
}

async function createAll(
  create: (number: number) => Promise<Event>,
  created: CreatedEvent[],
  { count, perSecond }: TriggerManyOptions,
  context: Context,
): Promise<void> {
  async function createOne(index: number): Promise<void> {
    const requestedAt = performance.now();
    const event = await create(index + 1);
    created.push({ event, requestedAt, respondedAt: performance.now() });
  }
  await withProgress(
    context,
    async () => `Creating ${renderProgressBar(created.length, count)}`,
    mapAtRate(createOne, { count, perSecond, signal: context.signal }),
  );
}

/** Records attempts in `settledAt` until `signal` is aborted. Returns when the stream is connected. */
async function followAttempts(
  settledAt: SettledAtById,
  { type, workspaceId }: TriggerManyOptions,
  signal: AbortSignal,
  control: ControlPlane,
): Promise<void> {
  const stream = control.stream({ types: 'attempt', type, workspace_id: workspaceId }, signal);
  async function follow(): Promise<void> {
    for await (const item of stream) {
      if (item.type !== 'attempt' || item.delivery.status === 'pending') continue;
      settledAt.set(item.delivery.id, performance.now());
    }
  }
  // `ready` rejects when the first connection fails; later ones are restored.
  follow().catch(() => undefined);
  await stream.ready;
}

/** @returns whether the wait ended because no delivery could settle before its time limit */
async function waitForSettled(
  created: readonly CreatedEvent[],
  { type, workspaceId }: TriggerManyOptions,
  wait: CommandWait,
  control: ControlPlane,
  context: Context,
): Promise<boolean> {
  const target = {
    filter: { type, workspace_id: workspaceId },
    list: () => listDeliveriesOf(created, control),
  };
  const { isStalled } = await showDeliveryProgress('Settled', context, (onChange) =>
    trackDeliveries(control, target, { ...context, ...wait, onChange }),
  );
  return isStalled;
}

/** Filters by type, workspace and time, so that few pages are needed. */
async function listDeliveriesOf(
  created: readonly CreatedEvent[],
  control: ControlPlane,
): Promise<Delivery[]> {
  const [oldest] = created.map(({ event }) => event).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (oldest === undefined) return [];
  const { type, workspace_id, created_at: since } = oldest;
  const deliveries = await listAll((page) => control.listDeliveries({ ...page, type, workspace_id, since }));
  const ids = new Set(created.map(({ event }) => event.id));
  return deliveries.filter(({ event_id: id }) => ids.has(id));
}

/** The time from the request for an event to the response that settled its delivery, for each delivery with one. */
async function findSettlementDurations(
  created: readonly CreatedEvent[],
  deliveries: readonly Delivery[],
  settledAt: SettledAtById,
): Promise<number[]> {
  const settled = deliveries.filter(({ status }) => status === 'succeeded' || status === 'failed');
  // The list can have an attempt before the stream reports it.
  await pollUntil(async () => settled.every(({ id }) => settledAt.has(id)), Boolean, {
    timeoutMs: FINAL_RESULT_TIMEOUT_MS,
    // Never aborted, unlike the signal of the context: after an interruption, the times are still printed.
    signal: new AbortController().signal,
  });
  const requestedAt = new Map(created.map(({ event, requestedAt }) => [event.id, requestedAt]));
  return settled.flatMap(({ id, event_id: eventId }) => {
    const [start, end] = [requestedAt.get(eventId), settledAt.get(id)];
    return start === undefined || end === undefined ? [] : [end - start];
  });
}

/** A percentile by the nearest-rank method; null without durations. */
function findPercentile(durations: readonly number[], fraction: number): number | null {
  const duration = durations.toSorted((a, b) => a - b)[Math.ceil(durations.length * fraction) - 1];
  return duration === undefined ? null : roundToHundredths(duration);
}

function roundToHundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function addRateHint(error: unknown): unknown {
  if (!(error instanceof SvcError) || error.code !== 'rate_limited') return error;
  return new SvcError(error.code, error.message, {
    hint: 'Create fewer events per second with --rate.',
    cause: error,
  });
}
