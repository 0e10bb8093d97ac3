/** Waits for deliveries: reads the list once, then follows the live stream. */
import type { ControlInput } from '../contract/control-operations.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { StreamInput } from '../contract/stream-schemas.ts';
import type { SettledStatus } from '../domain/delivery.ts';
import { parseDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';
import { abortAfter, withAnySignal } from '../timers.ts';
import { type ControlPlane, listAll } from './control-plane.ts';

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
/** `paused` counts the waiting deliveries to disabled endpoints. */
export type WaitCounts = Readonly<Record<WaitState | 'paused', number>>;

/** Result of a wait. Lists are newest first. */
export interface WaitResult extends Readonly<Record<WaitState, readonly Delivery[]>> {
  readonly isMet: boolean;
  /** Whether the condition is not met because every waiting delivery is paused. */
  readonly isPaused: boolean;
  /** All deliveries that match. */
  readonly deliveries: readonly Delivery[];
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called after each change. */
  readonly onChange?: (counts: WaitCounts) => void;
}

/**
 * Waits until the condition is met, a matching delivery settles with another status, all waiting deliveries are paused, or
 * the timeout passes. Includes deliveries that exist already. With a `count`, paused deliveries do not end the wait, because
 * new ones can be created.
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
  const isPaused = (counts: WaitCounts) => count === undefined && counts.waiting > 0 && areAllPaused(counts);
  const target =
    deliveryId === undefined
      ? {
          filter: selection,
          list: () => listAll((page) => control.listDeliveries({ ...page, ...selection, ...sinceField })),
          includes: ({ created_at: at }: Delivery) => sinceAt === null || Date.parse(at) >= sinceAt,
        }
      : { filter: {}, list: async () => [await fetchDelivery(control, deliveryId)] };
  const canStop = (counts: WaitCounts) => counts.mismatched > 0 || isMet(counts) || isPaused(counts);
  const tracked = await trackDeliveries(control, { ...target, classify, canStop }, options);
  // IDs sort by time of creation.
  const deliveries = tracked.sort((a, b) => (a.id < b.id ? 1 : -1));
  const listInState = (state: WaitState) => deliveries.filter((delivery) => classify(delivery) === state);
  const waiting = listInState('waiting');
  const matched = listInState('matched');
  const mismatched = listInState('mismatched');
  const counts = {
    waiting: waiting.length,
    matched: matched.length,
    mismatched: mismatched.length,
    paused: waiting.filter((delivery) => delivery.paused).length,
  };
  return { deliveries, waiting, matched, mismatched, isMet: isMet(counts), isPaused: isPaused(counts) };
}

function toWaitState(delivery: Delivery, status: SettledStatus | undefined): WaitState {
  if (isPending(delivery)) return 'waiting';
  return status === undefined || delivery.status === status ? 'matched' : 'mismatched';
}

/**
 * @param since an ISO 8601 time, or a duration before now by the schedule clock, which stamps deliveries.
 * @returns milliseconds since 1970.
 */
async function resolveSince(
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
  /** Whether to stop. Default: when no delivery is waiting, or all waiting ones are paused. */
  readonly canStop?: (counts: WaitCounts) => boolean;
}

/**
 * Tracks deliveries by the stream until `canStop` or the timeout. It does not poll, so that waiting for thousands of deliveries
 * is cheap. When an endpoint is changed, it reads the list again, because deliveries of a disabled endpoint are paused. It does
 * the same after a reset, which removes deliveries.
 * @returns the deliveries as they were last seen.
 * @throws SvcError `interrupted`
 */
export async function trackDeliveries(
  control: Pick<ControlPlane, 'stream'>,
  target: WaitTarget,
  { timeoutMs, signal, onChange }: WaitOptions,
): Promise<Delivery[]> {
  const { filter, list, canStop = areAllPaused } = target;
  const tracker = new WaitTracker(target.classify ?? ((delivery) => toWaitState(delivery, undefined)));
  const includes = target.includes ?? (({ id }) => tracker.deliveries.has(id));

  async function follow(end: AbortSignal): Promise<void> {
    const stream = control.stream({ ...filter, types: 'delivery,attempt,webhook' }, end);
    await stream.ready;
    if (record(await list())) return;
    for await (const item of stream) {
      let shouldStop = false;
      if ('delivery' in item && includes(item.delivery)) shouldStop = record([item.delivery]);
      else if (item.type === 'webhook') shouldStop = record(await list());
      else if (item.type === 'reset') {
        tracker.clear();
        shouldStop = record(await list());
      }
      if (shouldStop) return;
    }
  }

  /** @returns whether to stop. */
  function record(deliveries: readonly Delivery[]): boolean {
    for (const delivery of deliveries) tracker.record(delivery);
    onChange?.(tracker.counts);
    return canStop(tracker.counts);
  }

  await withAnySignal([signal, abortAfter(timeoutMs)], follow);
  if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
  return [...tracker.deliveries.values()];
}

/** A delivery with only the fields that the stream has, because a result must not depend on which of the two is faster. */
export async function fetchDelivery(
  control: Pick<ControlPlane, 'getDelivery'>,
  id: string,
): Promise<Delivery> {
  const { attempts: _, planned_attempts: __, ...delivery } = await control.getDelivery({ id });
  return delivery;
}

/** The tracked deliveries as they were last seen, counted by state. */
class WaitTracker {
  readonly deliveries = new Map<string, Delivery>();
  readonly counts = { waiting: 0, matched: 0, mismatched: 0, paused: 0 };
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
    Object.assign(this.counts, { waiting: 0, matched: 0, mismatched: 0, paused: 0 });
  }

  #count(delivery: Delivery, change: 1 | -1): void {
    const state = this.#classify(delivery);
    this.counts[state] += change;
    if (state === 'waiting' && delivery.paused) this.counts.paused += change;
  }
}

/** Whether no waiting delivery can settle until an endpoint is enabled or the clock moves (gap `delivery.paused`). */
function areAllPaused({ waiting, paused }: WaitCounts): boolean {
  return waiting === paused;
}

export function isPending({ status }: Delivery): boolean {
  return status === 'pending';
}
