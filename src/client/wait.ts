/** Waits for deliveries: reads the list once, then follows the live stream, until nothing more can happen. */

import { abortAfter, withAnySignal } from '../abort-signals.ts';
import type { ControlInput } from '../contract/control-operations.ts';
import { type ControlPlane, listAll } from '../contract/control-plane.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { StreamInput, StreamItem } from '../contract/stream-schemas.ts';
import type { SettledStatus } from '../domain/delivery.ts';
import { parseDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';
import { monotonic, sleep } from '../timers.ts';

/** Deliveries to wait for: which ones, how many, and in which status. */
export interface WaitCondition {
  readonly filter: Pick<
    ControlInput<'listDeliveries'>,
    'workspace_id' | 'event_id' | 'type' | 'webhook_id' | 'text' | 'since'
  >;
  /** Only this delivery. The filter is then empty. */
  readonly deliveryId?: string | undefined;
  /** Status to wait for. Default: any except pending. */
  readonly status?: SettledStatus | undefined;
  /** Number of deliveries. Default: all that match, at least one. */
  readonly count?: number | undefined;
}

/**
 * State of a delivery for the wait. By default, `waiting` is not settled, `matched` settled with the status that is waited
 * for, and `mismatched` settled with another one.
 */
type WaitState = 'waiting' | 'matched' | 'mismatched';
export type WaitCounts = Readonly<Record<WaitState, number>>;

/** Result of a wait. Lists are newest first. */
export interface WaitResult extends Readonly<Record<WaitState, readonly Delivery[]>> {
  readonly isMet: boolean;
  /** Whether the wait ended because no waiting delivery could change before the time limit. */
  readonly isStalled: boolean;
  /** All deliveries that match. */
  readonly deliveries: readonly Delivery[];
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called after each change. */
  readonly onChange?: (counts: WaitCounts) => void;
  /** Whether to wait until the timeout although no waiting delivery can change before it (default: only with a `count`). */
  readonly keepWaiting?: boolean | undefined;
  /**
   * Consecutive checks in which no waiting delivery can change before the wait ends (default: 1), {@link CHECK_INTERVAL_MS} apart.
   * Not a time, because a busy process delays the code that is about to move the clock as much as the checks.
   */
  readonly stalledChecks?: number;
}

/**
 * Waits until the condition is met, a matching delivery settles with another status, no waiting delivery can change before the
 * timeout, or the timeout passes. Includes deliveries that exist already. With a `count`, it waits for the timeout unless
 * `keepWaiting` is false, because new deliveries can be created.
 * @throws SvcError `interrupted`; `not_found` for a filter by a resource that does not exist
 */
export async function waitForDeliveries(
  control: Pick<ControlPlane, 'stream' | 'listDeliveries' | 'getDelivery' | 'getClock'>,
  { filter, deliveryId, status, count }: WaitCondition,
  options: WaitOptions,
): Promise<WaitResult> {
  const { since, ...selection } = filter;
  const sinceAt = since === undefined ? null : await resolveSince(since, filter, control);
  const sinceField = sinceAt === null ? {} : { since: new Date(sinceAt).toISOString() };
  const classify = (delivery: Delivery) => toWaitState(delivery, status);
  const isMet = ({ waiting, matched, mismatched }: WaitCounts) =>
    mismatched === 0 && (count === undefined ? waiting === 0 && matched > 0 : matched >= count);
  const target =
    deliveryId === undefined
      ? {
          filter: selection,
          list: () => listAll((page) => control.listDeliveries({ ...page, ...selection, ...sinceField })),
          includes: ({ created_at: at }: Delivery) => sinceAt === null || Date.parse(at) >= sinceAt,
        }
      : { filter: {}, list: async () => [await fetchDelivery(control, deliveryId)] };
  const isDone = (counts: WaitCounts) => counts.mismatched > 0 || isMet(counts);
  const keepWaiting = options.keepWaiting ?? count !== undefined;
  const tracked = await trackDeliveries(
    control,
    { ...target, classify, isDone },
    { ...options, keepWaiting },
  );
  // IDs sort by time of creation.
  const deliveries = tracked.deliveries.sort((a, b) => (a.id < b.id ? 1 : -1));
  const listInState = (state: WaitState) => deliveries.filter((delivery) => classify(delivery) === state);
  const waiting = listInState('waiting');
  const matched = listInState('matched');
  const mismatched = listInState('mismatched');
  const counts = {
    waiting: waiting.length,
    matched: matched.length,
    mismatched: mismatched.length,
  };
  const { isStalled } = tracked;
  return { deliveries, waiting, matched, mismatched, isMet: isMet(counts), isStalled };
}

function toWaitState(delivery: Delivery, status: SettledStatus | undefined): WaitState {
  if (isPending(delivery)) return 'waiting';
  return status === undefined || delivery.status === status ? 'matched' : 'mismatched';
}

/**
 * @param since an ISO 8601 time, or a duration before now by the schedule clock, which stamps deliveries.
 * @returns milliseconds since 1970.
 */
export async function resolveSince(
  since: string,
  { workspace_id: workspace }: WaitCondition['filter'],
  control: Pick<ControlPlane, 'getClock'>,
): Promise<number> {
  const duration = parseDuration(since);
  if (duration === null) return Date.parse(since);
  const { now } = await control.getClock(workspace === undefined ? {} : { workspace_id: workspace });
  return Date.parse(now) - duration;
}

export interface WaitTarget {
  /** Filter of the stream. */
  readonly filter: Pick<StreamInput, 'event_id' | 'type' | 'webhook_id' | 'workspace_id'>;
  /** Lists the current deliveries. Called when the stream is ready, so that no change is missed. */
  readonly list: () => Promise<readonly Delivery[]>;
  /** Which deliveries of the stream to track. Default: those that the list contains. */
  readonly includes?: (delivery: Delivery) => boolean;
  /** Default: a delivery is matched when it is not pending. */
  readonly classify?: (delivery: Delivery) => WaitState;
  /** Whether the wait is over. Default: when no delivery is waiting. */
  readonly isDone?: (counts: WaitCounts) => boolean;
}

export interface TrackResult {
  /** As they were last seen. */
  readonly deliveries: Delivery[];
  /** Whether the wait ended because no waiting delivery could change before the timeout. */
  readonly isStalled: boolean;
}

/** Interval of the checks whether a waiting delivery can change. */
export const CHECK_INTERVAL_MS = 100;

/**
 * Tracks deliveries by the stream until `isDone`, until no waiting delivery can change before the timeout, or until the
 * timeout. It does not poll them, so that waiting for thousands of deliveries is cheap. When an endpoint is changed, it reads
 * the list again, because deliveries of a disabled endpoint are paused. It does the same after a reset, which removes deliveries.
 * @throws SvcError `interrupted`
 */
export async function trackDeliveries(
  control: Pick<ControlPlane, 'stream' | 'getClock'>,
  target: WaitTarget,
  { timeoutMs, signal, onChange, keepWaiting = false, stalledChecks = 1 }: WaitOptions,
): Promise<TrackResult> {
  const { filter, list, isDone = ({ waiting }) => waiting === 0 } = target;
  const tracker = new WaitTracker(target.classify ?? ((delivery) => toWaitState(delivery, undefined)));
  const includes = target.includes ?? (({ id }) => tracker.deliveries.has(id));
  const endAt = monotonic() + timeoutMs;
  /** Consecutive checks in which no delivery had changed and none could change. */
  let stalledCount = 0;

  /** @returns whether no waiting delivery can change before the timeout */
  async function track(end: AbortSignal): Promise<boolean> {
    const stream = control.stream({ ...filter, types: 'delivery,attempt,webhook' }, end);
    await stream.ready;
    if (record(await list())) return false;
    if (keepWaiting) return follow(stream);
    return (await checkForStall()) || Promise.race([follow(stream), waitForStall(end)]);
  }

  async function follow(stream: AsyncIterable<StreamItem>): Promise<false> {
    for await (const item of stream) {
      let isOver = false;
      if ('delivery' in item && includes(item.delivery)) isOver = record([item.delivery]);
      else if (item.type === 'webhook') isOver = record(await list());
      else if (item.type === 'reset') {
        tracker.clear();
        isOver = record(await list());
      }
      if (isOver) break;
    }
    return false;
  }

  /** @returns whether the wait is over. */
  function record(deliveries: readonly Delivery[]): boolean {
    for (const delivery of deliveries) tracker.record(delivery);
    stalledCount = 0;
    onChange?.(tracker.counts);
    return isDone(tracker.counts);
  }

  async function waitForStall(end: AbortSignal): Promise<boolean> {
    while (!end.aborted) {
      await sleep(CHECK_INTERVAL_MS, end);
      if (!end.aborted && (await checkForStall())) return true;
    }
    return false;
  }

  /** @returns whether no waiting delivery could change before the timeout in `stalledChecks` checks in a row */
  async function checkForStall(): Promise<boolean> {
    stalledCount++;
    const waiting = tracker.listWaiting();
    // Without deliveries, it waits for the first one.
    if (tracker.deliveries.size === 0 || (await canAnyChange(waiting, endAt, control))) stalledCount = 0;
    return stalledCount >= stalledChecks;
  }

  const isStalled = await withAnySignal([signal, abortAfter(timeoutMs)], track);
  if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
  return { deliveries: [...tracker.deliveries.values()], isStalled };
}

/**
 * Whether one of the deliveries can change before `endAt` (`monotonic`): an attempt is due or in flight, or a request moves the
 * clock. A delivery to a disabled endpoint cannot (gap `delivery.paused`).
 */
async function canAnyChange(
  deliveries: readonly Delivery[],
  endAt: number,
  control: Pick<ControlPlane, 'getClock'>,
): Promise<boolean> {
  for (const workspaceId of new Set(deliveries.map(({ workspace_id: id }) => id))) {
    // Null if a reset has removed the workspace, or the emulator does not respond: the stream reports what happens next.
    const clock = await control.getClock({ workspace_id: workspaceId }).catch(() => null);
    if (clock === null || clock.moving !== undefined) return true;
    const lastDueAt = Date.parse(clock.now) + clock.speed * Math.max(0, endAt - monotonic());
    const canChange = ({ workspace_id, paused, next_attempt_at: next }: Delivery) =>
      workspace_id === workspaceId && !paused && (next === null || Date.parse(next) <= lastDueAt);
    if (deliveries.some(canChange)) return true;
  }
  return false;
}

/** A delivery with only the fields that the stream has, because a result must not depend on which of the two is faster. */
export async function fetchDelivery(
  control: Pick<ControlPlane, 'getDelivery'>,
  id: string,
): Promise<Delivery> {
  const { attempts: _, due_times: __, ...delivery } = await control.getDelivery({ id });
  return delivery;
}

/** The tracked deliveries as they were last seen, counted by state. */
class WaitTracker {
  readonly deliveries = new Map<string, Delivery>();
  readonly counts = { waiting: 0, matched: 0, mismatched: 0 };
  readonly #classify: (delivery: Delivery) => WaitState;

  constructor(classify: (delivery: Delivery) => WaitState) {
    this.#classify = classify;
  }

  record(delivery: Delivery): void {
    const previous = this.deliveries.get(delivery.id);
    if (previous !== undefined) this.#count(previous, -1);
    this.deliveries.set(delivery.id, delivery);
    this.#count(delivery, 1);
  }

  clear(): void {
    this.deliveries.clear();
    Object.assign(this.counts, { waiting: 0, matched: 0, mismatched: 0 });
  }

  listWaiting(): Delivery[] {
    return [...this.deliveries.values()].filter((delivery) => this.#classify(delivery) === 'waiting');
  }

  #count(delivery: Delivery, change: 1 | -1): void {
    this.counts[this.#classify(delivery)] += change;
  }
}

export function isPending({ status }: Delivery): boolean {
  return status === 'pending';
}
