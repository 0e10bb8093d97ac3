/** `svc trigger --count`: many events of one type, and a summary of what became of them. */
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { Event } from '../contract/resources.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { listAll } from '../control/list-all.ts';
import { mapAtRate } from '../control/map-at-rate.ts';
import { trackDeliveries } from '../control/wait.ts';
import { formatDuration, SECOND_MS } from '../domain/duration.ts';
import { type ExitCode, SvcError } from '../errors.ts';
import { abortAfter } from '../timers.ts';
import type { Context } from './context.ts';
import { showDeliveryProgress, toWaitExitCode } from './delivery-wait.ts';
import { pollUntil } from './poll-until.ts';
import { renderProgressBar, withProgress } from './progress.ts';
import { renderFields } from './render/fields.ts';

export interface TriggerManyOptions {
  readonly type: string;
  readonly workspaceId: string;
  readonly count: number;
  readonly perSecond: number;
  /** How long to wait for deliveries to settle; undefined not at all. */
  readonly timeoutMs: number | undefined;
}

/** An event and when it was asked for and answered, in milliseconds of `performance.now()`. */
interface CreatedEvent {
  readonly event: Event;
  readonly requestedAt: number;
  readonly respondedAt: number;
}

/** When the news of an attempt that settled a delivery came, by the id of the delivery. */
type SettledAt = Map<string, number>;

/** How long the last look may take when the person has interrupted, or news may be late. */
const FINAL_RESULT_TIMEOUT_MS = 2 * SECOND_MS;

/**
 * Creates events with `create`, which gets the number of each from 1, and prints a summary of what became of them.
 * What ends it early is thrown after the summary of what there is.
 */
export async function triggerMany(
  create: (number: number) => Promise<Event>,
  options: TriggerManyOptions,
  context: Context,
): Promise<ExitCode> {
  const { timeoutMs } = options;
  const startedAt = performance.now();
  const created: CreatedEvent[] = [];
  const settledAt: SettledAt = new Map();
  const following = new AbortController();
  const [work] = await Promise.allSettled([
    (async () => {
      if (timeoutMs !== undefined) await followAttempts(settledAt, options, following.signal, context);
      await createAll(create, created, options, context);
      if (timeoutMs !== undefined) await waitForSettled(created, options, timeoutMs, context);
    })(),
  ]);
  const durationMs = performance.now() - startedAt;
  const failed = work.status === 'rejected';
  if (failed && created.length === 0) throw work.reason;

  const control = await context.connect(failed ? abortAfter(FINAL_RESULT_TIMEOUT_MS) : context.signal);
  const deliveries = await listDeliveriesOf(created, control);
  const times =
    timeoutMs === undefined
      ? created.map(({ requestedAt, respondedAt }) => respondedAt - requestedAt)
      : await findSettlementTimes(created, deliveries, settledAt);
  following.abort();
  printSummary({ created, deliveries, durationMs, times }, options, context);
  if (failed) throw addRateHint(work.reason);
  return toWaitExitCode(deliveries, timeoutMs);
}

async function createAll(
  create: (number: number) => Promise<Event>,
  created: CreatedEvent[],
  { count, perSecond }: TriggerManyOptions,
  context: Context,
): Promise<void> {
  async function createOne(index: number): Promise<void> {
    const askedAt = performance.now();
    const event = await create(index + 1);
    created.push({ event, requestedAt: askedAt, respondedAt: performance.now() });
  }
  await withProgress(
    context,
    async () => `Creating ${renderProgressBar(created.length, count)}`,
    mapAtRate(createOne, { count, perSecond, signal: context.signal }),
  );
}

/** Returns once no attempt can be missed any more; keeps the time of each in `settledAt` until `signal` is aborted. */
async function followAttempts(
  settledAt: SettledAt,
  { type, workspaceId }: TriggerManyOptions,
  signal: AbortSignal,
  context: Context,
): Promise<void> {
  const control = await context.connect();
  const stream = control.stream({ types: 'attempt', type, workspace_id: workspaceId }, signal);
  async function follow(): Promise<void> {
    for await (const item of stream) {
      if (item.type !== 'attempt' || item.delivery.status === 'pending') continue;
      settledAt.set(item.delivery.id, performance.now());
    }
  }
  // A first connection that fails is told by `ready`; a later one that is lost comes back.
  follow().catch(() => undefined);
  await stream.ready;
}

/** Waits until none of the deliveries is pending, or until the time is over. */
async function waitForSettled(
  created: readonly CreatedEvent[],
  { type, workspaceId }: TriggerManyOptions,
  timeoutMs: number,
  context: Context,
): Promise<void> {
  const control = await context.connect();
  const awaited = {
    filter: { type, workspace_id: workspaceId },
    list: () => listDeliveriesOf(created, control),
  };
  await showDeliveryProgress('Settled', context, (onChange) =>
    trackDeliveries(control, awaited, { ...context, timeoutMs, onChange }),
  );
}

/** The deliveries of many events of one type and workspace, found in few pages. */
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

/** From asking for an event to the answer that settled its delivery, of each delivery that got one. */
async function findSettlementTimes(
  created: readonly CreatedEvent[],
  deliveries: readonly Delivery[],
  settledAt: SettledAt,
): Promise<number[]> {
  const answered = deliveries.filter(({ status }) => status === 'succeeded' || status === 'failed');
  // The list may know of an attempt before its news is here.
  await pollUntil(
    async () => answered.every(({ id }) => settledAt.has(id)),
    (complete) => complete,
    { timeoutMs: FINAL_RESULT_TIMEOUT_MS, signal: abortAfter(2 * FINAL_RESULT_TIMEOUT_MS) },
  );
  const askedAt = new Map(created.map((each) => [each.event.id, each.requestedAt]));
  return answered.flatMap(({ id, event_id: event }) => {
    const [from, to] = [askedAt.get(event), settledAt.get(id)];
    return from === undefined || to === undefined ? [] : [to - from];
  });
}

interface TriggerManyResult {
  readonly created: readonly CreatedEvent[];
  readonly deliveries: readonly Delivery[];
  readonly durationMs: number;
  readonly times: readonly number[];
}

function printSummary(
  { created, deliveries, durationMs, times }: TriggerManyResult,
  { count, timeoutMs }: TriggerManyOptions,
  context: Context,
): void {
  const countOf = (...wanted: string[]) => deliveries.filter(({ status }) => wanted.includes(status)).length;
  const summary = {
    events: new Set(created.map(({ event }) => event.id)).size,
    deliveries: {
      succeeded: countOf('succeeded'),
      failed: countOf('failed', 'canceled'),
      pending: countOf('pending'),
    },
    duration_ms: round(durationMs),
    p50_ms: findPercentile(times, 0.5),
    p99_ms: findPercentile(times, 0.99),
  };
  context.print(summary, () => {
    const { events, p50_ms: p50, p99_ms: p99 } = summary;
    const { succeeded, failed, pending } = summary.deliveries;
    const of = created.length < count ? ` of ${count}` : '';
    const measured = timeoutMs === undefined ? 'Time to answer' : 'Time to deliver';
    const fields = {
      Events: `${events}${of} in ${formatDuration(durationMs)}`,
      Deliveries: `${succeeded} succeeded, ${failed} failed, ${pending} pending`,
      [measured]: p50 === null ? null : `p50 ${p50} ms, p99 ${p99} ms`,
    };
    return renderFields(fields, context.io);
  });
}

/** The time within which that share of all lies; null when there are none. */
function findPercentile(times: readonly number[], share: number): number | null {
  const time = times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1];
  return time === undefined ? null : round(time);
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function addRateHint(error: unknown): unknown {
  if (!(error instanceof SvcError) || error.code !== 'rate_limited') return error;
  return new SvcError(error.code, error.message, {
    hint: 'Create fewer a second with --rate.',
    cause: error,
  });
}
