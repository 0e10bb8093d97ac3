/** Waits for deliveries: reads the list once, then follows the live stream. */
import type { ControlInput } from '../contract/control-operations.ts';
import type { Delivery } from '../contract/delivery-schemas.ts';
import type { StreamInput } from '../contract/stream-schemas.ts';
import type { DeliveryStatus } from '../domain/delivery.ts';
import { parseDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';
import { abortAfter } from '../timers.ts';
import type { ControlPlane } from './control-plane.ts';
import { listAll } from './list-all.ts';

export type SettledStatus = Exclude<DeliveryStatus, 'pending'>;

/** Deliveries to wait for: which ones, how many, and in which status. */
export interface WaitCondition {
  readonly filter: Pick<
    ControlInput<'listDeliveries'>,
    'workspace_id' | 'event_id' | 'type' | 'webhook_id' | 'text' | 'since'
  >;
  /** Status to wait for. Default: any except pending. */
  readonly status?: SettledStatus | undefined;
  /** Number of deliveries. Default: all that match, at least one. */
  readonly count?: number | undefined;
}

/** State of a delivery for the wait: `wrong` settled with a different status than the one that is waited for. */
export type WaitState = 'open' | 'done' | 'wrong';
/** `paused` counts the open deliveries whose endpoint is disabled. */
export type WaitCounts = Readonly<Record<WaitState | 'paused', number>>;

/** Result of a wait. Lists are newest first. */
export interface WaitResult extends Readonly<Record<WaitState, readonly Delivery[]>> {
  readonly isMet: boolean;
  /** Whether the condition is not met because every open delivery is paused. */
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
 * Waits until the condition is met, a matching delivery settles with another status, all open deliveries are paused, or the
 * timeout passes. Includes deliveries that exist already. With a `count`, paused deliveries do not end the wait, because
 * new ones can be created.
 * @throws SvcError `interrupted`
 */
export async function waitForDeliveries(
  control: Pick<ControlPlane, 'stream' | 'listDeliveries' | 'getClock'>,
  { filter, status, count }: WaitCondition,
  options: WaitOptions,
): Promise<WaitResult> {
  const { since, ...selection } = filter;
  const sinceAt = since === undefined ? null : await resolveSince(since, filter, control);
  const from = sinceAt === null ? {} : { since: new Date(sinceAt).toISOString() };
  const classify = (delivery: Delivery) => classifyBy(delivery, status);
  const isMet = ({ open, done, wrong }: WaitCounts) =>
    wrong === 0 && (count === undefined ? open === 0 && done > 0 : done >= count);
  const isPaused = (counts: WaitCounts) => count === undefined && counts.open > 0 && areAllOpenPaused(counts);
  const tracked = await trackDeliveries(
    control,
    {
      filter: selection,
      list: () => listAll((page) => control.listDeliveries({ ...page, ...selection, ...from })),
      includes: ({ created_at: at }) => sinceAt === null || Date.parse(at) >= sinceAt,
      classify,
      isDone: (counts) => counts.wrong > 0 || isMet(counts) || isPaused(counts),
    },
    options,
  );
  const deliveries = tracked.sort((a, b) => (a.id < b.id ? 1 : -1));
  const listInState = (state: WaitState) => deliveries.filter((delivery) => classify(delivery) === state);
  const [open, done, wrong] = [listInState('open'), listInState('done'), listInState('wrong')];
  const paused = open.filter((delivery) => delivery.paused).length;
  const counts = { open: open.length, done: done.length, wrong: wrong.length, paused };
  return { deliveries, open, done, wrong, isMet: isMet(counts), isPaused: isPaused(counts) };
}

function classifyBy(delivery: Delivery, wanted: DeliveryStatus | undefined): WaitState {
  if (isPending(delivery)) return 'open';
  return wanted === undefined || delivery.status === wanted ? 'done' : 'wrong';
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
  const before = parseDuration(since);
  if (before === null) return Date.parse(since);
  const { now } = await control.getClock(workspace === undefined ? {} : { workspace_id: workspace });
  return Date.parse(now) - before;
}

export interface WaitTarget {
  /** Filter of the stream. */
  readonly filter: Pick<StreamInput, 'event_id' | 'type' | 'webhook_id' | 'workspace_id'>;
  /** Lists the current deliveries. Called when the stream is ready, so that no change is missed. */
  readonly list: () => Promise<readonly Delivery[]>;
  /** Which deliveries of the stream to track. Default: those that the list contains. */
  readonly includes?: (delivery: Delivery) => boolean;
  /** Default: a delivery is done when it is not pending. */
  readonly classify?: (delivery: Delivery) => WaitState;
  /** When to stop. Default: when no delivery is open, or all open ones are paused. */
  readonly isDone?: (counts: WaitCounts) => boolean;
}

/**
 * Tracks deliveries by the stream until `isDone` or the timeout. It does not poll, so that waiting for thousands of deliveries
 * is cheap. The stream does not report that an endpoint was disabled, so the list is read again after the timeout.
 * @returns the deliveries as they were last seen.
 * @throws SvcError `interrupted`
 */
export async function trackDeliveries(
  control: Pick<ControlPlane, 'stream'>,
  target: WaitTarget,
  { timeoutMs, signal, onChange }: WaitOptions,
): Promise<Delivery[]> {
  const { filter, list, isDone = areAllOpenPaused } = target;
  const tracker = new WaitTracker(target.classify ?? ((delivery) => (isPending(delivery) ? 'open' : 'done')));
  const includes = target.includes ?? (({ id }) => tracker.deliveries.has(id));
  const leaving = new AbortController();
  const end = AbortSignal.any([signal, leaving.signal, abortAfter(timeoutMs)]);

  async function follow(): Promise<void> {
    const stream = control.stream({ ...filter, types: 'delivery,attempt' }, end);
    await stream.ready;
    for (const delivery of await list()) tracker.record(delivery);
    onChange?.(tracker.counts);
    if (isDone(tracker.counts)) return;
    for await (const item of stream) {
      if (!('delivery' in item) || !includes(item.delivery)) continue;
      tracker.record(item.delivery);
      onChange?.(tracker.counts);
      if (isDone(tracker.counts)) return;
    }
    if (!end.aborted || signal.aborted) return;
    for (const delivery of await list()) tracker.record(delivery);
  }

  try {
    await follow();
  } finally {
    leaving.abort();
  }
  if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
  return [...tracker.deliveries.values()];
}

/** The tracked deliveries as they were last seen, counted by state. */
class WaitTracker {
  readonly deliveries = new Map<string, Delivery>();
  readonly counts = { open: 0, done: 0, wrong: 0, paused: 0 };
  readonly #classify: (delivery: Delivery) => WaitState;

  constructor(classify: (delivery: Delivery) => WaitState) {
    this.#classify = classify;
  }

  record(delivery: Delivery): void {
    const before = this.deliveries.get(delivery.id);
    if (before !== undefined) this.#count(before, -1);
    this.deliveries.set(delivery.id, delivery);
    this.#count(delivery, 1);
  }

  #count(delivery: Delivery, by: 1 | -1): void {
    const state = this.#classify(delivery);
    this.counts[state] += by;
    if (state === 'open' && delivery.paused) this.counts.paused += by;
  }
}

/** Whether no open delivery can settle until an endpoint is enabled or the clock moves (decision `delivery.paused`). */
export function areAllOpenPaused({ open, paused }: WaitCounts): boolean {
  return open === paused;
}

export function isPending({ status }: Delivery): boolean {
  return status === 'pending';
}
