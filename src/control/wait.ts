/** Waiting for deliveries: a look at the list, and from then on the live stream, which tells of every change. */

import type { Delivery } from '../contract/delivery-schemas.ts';
import type { StreamInput } from '../contract/stream-schemas.ts';
import { SvcError } from '../errors.ts';
import { abortAfter } from '../timers.ts';
import type { ControlPlane } from './control-plane.ts';

/** Where a delivery stands for whoever waits: `wrong` is one that has settled otherwise than it was to. */
export type WaitState = 'open' | 'done' | 'wrong';
/** `paused` counts the open deliveries whose endpoint is disabled. */
export type WaitCounts = Readonly<Record<WaitState | 'paused', number>>;

export interface WaitTarget {
  /** What the stream is narrowed to. */
  readonly filter: Pick<StreamInput, 'event_id' | 'type' | 'webhook_id' | 'workspace_id'>;
  /** The deliveries as they are now. It is called once the stream stands, so that nothing falls between the two. */
  readonly list: () => Promise<readonly Delivery[]>;
  /** Which deliveries of the stream are waited for; those that the look has found when left out. */
  readonly includes?: (delivery: Delivery) => boolean;
  /** Done are those that are not pending when left out. */
  readonly classify?: (delivery: Delivery) => WaitState;
  /** When to stop. Default: when no delivery is open, or all open ones are paused. */
  readonly isDone?: (counts: WaitCounts) => boolean;
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told after every change how many stand where. */
  readonly onChange?: (counts: WaitCounts) => void;
}

/**
 * Waits until `isOver`, or until the time is over. It asks the emulator for nothing but news, so that waiting for
 * thousands of deliveries costs no more than their attempts. The stream does not report that an endpoint was disabled:
 * what is open when the time is over is read again.
 * @returns the deliveries as they were last seen.
 * @throws SvcError `interrupted`
 */
export async function trackDeliveries(
  control: Pick<ControlPlane, 'stream'>,
  waitTarget: WaitTarget,
  { timeoutMs, signal, onChange }: WaitOptions,
): Promise<Delivery[]> {
  const { filter, list, isDone = areAllOpenPaused } = waitTarget;
  const waitTracker = new WaitTracker(
    waitTarget.classify ?? ((delivery) => (isPending(delivery) ? 'open' : 'done')),
  );
  const includes = waitTarget.includes ?? (({ id }) => waitTracker.deliveries.has(id));
  const leaving = new AbortController();
  const end = AbortSignal.any([signal, leaving.signal, abortAfter(timeoutMs)]);

  async function follow(): Promise<void> {
    const stream = control.stream({ ...filter, types: 'delivery,attempt' }, end);
    await stream.ready;
    for (const delivery of await list()) waitTracker.record(delivery);
    onChange?.(waitTracker.counts);
    if (isDone(waitTracker.counts)) return;
    for await (const item of stream) {
      if (!('delivery' in item) || !includes(item.delivery)) continue;
      waitTracker.record(item.delivery);
      onChange?.(waitTracker.counts);
      if (isDone(waitTracker.counts)) return;
    }
    if (!end.aborted || signal.aborted) return;
    for (const delivery of await list()) waitTracker.record(delivery);
  }

  try {
    await follow();
  } finally {
    leaving.abort();
  }
  if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
  return [...waitTracker.deliveries.values()];
}

/** The deliveries that are waited for, each as it was last seen, and how many stand where. */
class WaitTracker {
  readonly deliveries = new Map<string, Delivery>();
  readonly counts = { open: 0, done: 0, wrong: 0, paused: 0 };
  readonly #judge: (delivery: Delivery) => WaitState;

  constructor(judge: (delivery: Delivery) => WaitState) {
    this.#judge = judge;
  }

  record(delivery: Delivery): void {
    const before = this.deliveries.get(delivery.id);
    if (before !== undefined) this.#count(before, -1);
    this.deliveries.set(delivery.id, delivery);
    this.#count(delivery, 1);
  }

  #count(delivery: Delivery, by: 1 | -1): void {
    const waitState = this.#judge(delivery);
    this.counts[waitState] += by;
    if (waitState === 'open' && delivery.paused) this.counts.paused += by;
  }
}

/** Whether nothing that is open can settle before somebody enables an endpoint or moves the clock (decision `delivery.paused`). */
export function areAllOpenPaused({ open, paused }: WaitCounts): boolean {
  return open === paused;
}

export function isPending({ status }: Delivery): boolean {
  return status === 'pending';
}
