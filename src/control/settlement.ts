/** Waiting for deliveries: a look at the list, and from then on the live stream, which tells of every change. */

import type { Delivery } from '../contract/deliveries.ts';
import type { StreamInput } from '../contract/stream.ts';
import { SvcError } from '../errors.ts';
import { abortAfter } from '../timers.ts';
import type { ControlPlane } from './control-plane.ts';

/** Where a delivery stands for whoever waits: `wrong` is one that has settled otherwise than it was to. */
export type Standing = 'open' | 'done' | 'wrong';
/** `paused` counts the open deliveries whose endpoint is disabled. */
export type StandingCounts = Readonly<Record<Standing | 'paused', number>>;

export interface Awaited {
  /** What the stream is narrowed to. */
  readonly filter: Pick<StreamInput, 'event_id' | 'type' | 'webhook_id' | 'workspace_id'>;
  /** The deliveries as they are now. It is called once the stream stands, so that nothing falls between the two. */
  readonly look: () => Promise<readonly Delivery[]>;
  /** Which deliveries of the stream are waited for; those that the look has found when left out. */
  readonly includes?: (delivery: Delivery) => boolean;
  /** Done are those that are not pending when left out. */
  readonly judge?: (delivery: Delivery) => Standing;
  /** When to stop. Default: when no delivery is open, or all open ones are paused. */
  readonly isOver?: (counts: StandingCounts) => boolean;
}

export interface Patience {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told after every change how many stand where. */
  readonly onChange?: (counts: StandingCounts) => void;
}

/**
 * Waits until `isOver`, or until the time is over. It asks the emulator for nothing but news, so that waiting for
 * thousands of deliveries costs no more than their attempts. The stream does not report that an endpoint was disabled:
 * what is open when the time is over is read again.
 * @returns the deliveries as they were last seen.
 * @throws SvcError `interrupted`
 */
export async function awaitDeliveries(
  control: Pick<ControlPlane, 'stream'>,
  awaited: Awaited,
  { timeoutMs, signal, onChange }: Patience,
): Promise<Delivery[]> {
  const { filter, look, isOver = isAtRest } = awaited;
  const ledger = new Ledger(awaited.judge ?? ((delivery) => (isPending(delivery) ? 'open' : 'done')));
  const includes = awaited.includes ?? (({ id }) => ledger.deliveries.has(id));
  const leaving = new AbortController();
  const end = AbortSignal.any([signal, leaving.signal, abortAfter(timeoutMs)]);

  async function follow(): Promise<void> {
    const stream = control.stream({ ...filter, types: 'delivery,attempt' }, end);
    await stream.ready;
    for (const delivery of await look()) ledger.record(delivery);
    onChange?.(ledger.counts);
    if (isOver(ledger.counts)) return;
    for await (const item of stream) {
      if (!('delivery' in item) || !includes(item.delivery)) continue;
      ledger.record(item.delivery);
      onChange?.(ledger.counts);
      if (isOver(ledger.counts)) return;
    }
    if (!end.aborted || signal.aborted) return;
    for (const delivery of await look()) ledger.record(delivery);
  }

  try {
    await follow();
  } finally {
    leaving.abort();
  }
  if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
  return [...ledger.deliveries.values()];
}

/** The deliveries that are waited for, each as it was last seen, and how many stand where. */
class Ledger {
  readonly deliveries = new Map<string, Delivery>();
  readonly counts = { open: 0, done: 0, wrong: 0, paused: 0 };
  readonly #judge: (delivery: Delivery) => Standing;

  constructor(judge: (delivery: Delivery) => Standing) {
    this.#judge = judge;
  }

  record(delivery: Delivery): void {
    const before = this.deliveries.get(delivery.id);
    if (before !== undefined) this.#count(before, -1);
    this.deliveries.set(delivery.id, delivery);
    this.#count(delivery, 1);
  }

  #count(delivery: Delivery, by: 1 | -1): void {
    const standing = this.#judge(delivery);
    this.counts[standing] += by;
    if (standing === 'open' && delivery.paused) this.counts.paused += by;
  }
}

/** Whether nothing that is open can settle before somebody enables an endpoint or moves the clock (decision `delivery.paused`). */
export function isAtRest({ open, paused }: StandingCounts): boolean {
  return open === paused;
}

export function isPending({ status }: Delivery): boolean {
  return status === 'pending';
}
