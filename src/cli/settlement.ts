/** Waiting for deliveries: a look at the list, and from then on the live stream, which tells of every change. */
import type { StreamInput } from '../contract/control-api.ts';
import type { Delivery } from '../contract/resources.ts';
import type { HttpControlPlane } from '../control/http-client.ts';
import { formatDuration } from '../domain/duration.ts';
import { ExitCode, SvcError } from '../errors.ts';
import type { Context } from './context.ts';
import { renderBar, showWhile } from './progress.ts';

/** How long a command waits when nobody says. */
export const DEFAULT_WAIT_MS = 30_000;

/** Where a delivery stands for whoever waits: `wrong` is one that has settled otherwise than it was to. */
export type Standing = 'open' | 'done' | 'wrong';
export type StandingCounts = Readonly<Record<Standing, number>>;

export interface Awaited {
  /** What the stream is narrowed to. */
  readonly filter: Pick<StreamInput, 'event_id' | 'type' | 'webhook_id' | 'workspace_id'>;
  /** The deliveries as they are now. It is called once the stream stands, so that nothing falls between the two. */
  readonly look: () => Promise<readonly Delivery[]>;
  /** Which deliveries of the stream are waited for; those that the look has found when left out. */
  readonly includes?: (delivery: Delivery) => boolean;
  /** Done are those that are not pending when left out. */
  readonly judge?: (delivery: Delivery) => Standing;
  /** When to stop; once none is open when left out. */
  readonly isOver?: (counts: StandingCounts) => boolean;
  /** What has happened to those that are done, for the line of progress: `Settled`. */
  readonly progress: string;
}

/**
 * Waits until `isOver`, or until the time is over. It asks the emulator for nothing but news, so that waiting for
 * thousands of deliveries costs no more than their attempts.
 * @returns the deliveries as they were last seen.
 * @throws SvcError `interrupted`
 */
export async function awaitDeliveries(
  control: Pick<HttpControlPlane, 'stream'>,
  awaited: Awaited,
  { timeoutMs, ...context }: Pick<Context, 'io' | 'json' | 'signal'> & { readonly timeoutMs: number },
): Promise<Delivery[]> {
  const { filter, look, progress, isOver = ({ open }) => open === 0 } = awaited;
  const ledger = new Ledger(awaited.judge ?? ((delivery) => (isPending(delivery) ? 'open' : 'done')));
  const includes = awaited.includes ?? (({ id }) => ledger.deliveries.has(id));
  const leaving = new AbortController();
  const end = AbortSignal.any([context.signal, leaving.signal, AbortSignal.timeout(timeoutMs)]);

  async function follow(): Promise<void> {
    const stream = control.stream({ ...filter, types: 'delivery,attempt' }, end);
    await stream.ready;
    for (const delivery of await look()) ledger.record(delivery);
    if (isOver(ledger.counts)) return;
    for await (const item of stream) {
      if (item.type === 'request' || !includes(item.delivery)) continue;
      ledger.record(item.delivery);
      if (isOver(ledger.counts)) return;
    }
  }

  try {
    await showWhile(context, async () => `${progress} ${ledger.toBar()}`, follow());
  } finally {
    leaving.abort();
  }
  if (context.signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
  return [...ledger.deliveries.values()];
}

/** The deliveries that are waited for, each as it was last seen, and how many stand where. */
class Ledger {
  readonly deliveries = new Map<string, Delivery>();
  readonly counts = { open: 0, done: 0, wrong: 0 };
  readonly #judge: (delivery: Delivery) => Standing;

  constructor(judge: (delivery: Delivery) => Standing) {
    this.#judge = judge;
  }

  record(delivery: Delivery): void {
    const before = this.deliveries.get(delivery.id);
    if (before !== undefined) this.counts[this.#judge(before)]--;
    this.deliveries.set(delivery.id, delivery);
    this.counts[this.#judge(delivery)]++;
  }

  toBar(): string {
    const { size } = this.deliveries;
    return renderBar(size - this.counts.open, size);
  }
}

/** The error of a wait that ended before everything had settled. */
export function waitedTooLong(unsettled: number, timeoutMs: number): SvcError {
  const deliveries = unsettled === 1 ? '1 delivery has' : `${unsettled} deliveries have`;
  return new SvcError('timeout', `${deliveries} not settled after ${formatDuration(timeoutMs)}.`, {
    hint: 'svc deliveries list --status pending shows when each is tried again; svc clock settle does it now.',
  });
}

/**
 * How a command ends that was to wait so long until deliveries had settled; undefined is not at all.
 * @throws SvcError `timeout` when one is still pending.
 */
export function concludeSettled(deliveries: readonly Delivery[], timeoutMs: number | undefined): ExitCode {
  if (timeoutMs === undefined) return ExitCode.done;
  const pending = deliveries.filter(isPending).length;
  if (pending > 0) throw waitedTooLong(pending, timeoutMs);
  return deliveries.every(({ status }) => status === 'succeeded') ? ExitCode.done : ExitCode.notSo;
}

export function isPending({ status }: Delivery): boolean {
  return status === 'pending';
}
