/** Collects the deliveries before an emulator stops, and checks that all of them succeeded, for `svc emulator exec`. */

import { describeDelivery } from '../../diagnosis/describe-delivery.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import type { Hint } from '../../domain/errors.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import { type ControlPlane, listAll } from '../../operations/control-plane.ts';
import type { Delivery } from '../../resources/delivery.ts';
import type { Context } from '../context.ts';
import type { NoteOutput } from '../process-context.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';

/** Time limit for the deliveries that are due at the end. */
const SETTLE_TIMEOUT_MS = 5 * SECOND_MS;
const MAX_LINES = 20;

export interface DeliveryOutcome {
  /** Failed or pending, oldest first. */
  readonly undelivered: readonly Delivery[];
  /** A line for each of the first ones, with the reason. */
  readonly lines: readonly string[];
  readonly total: number;
}

/**
 * Waits until everything that is due has been sent, but not for later retries.
 * @throws SvcError `interrupted`
 */
export async function collectDeliveryOutcome(
  control: ControlPlane,
  { signal, now }: Pick<Context, 'signal' | 'now'>,
): Promise<DeliveryOutcome> {
  await control.waitForDeliveries({ retries: false, timeout_ms: SETTLE_TIMEOUT_MS, limit: 1 }, signal);
  const deliveries = await listAll((page) => control.listDeliveries(page));
  const undelivered = deliveries
    .filter(({ status }) => status === 'pending' || status === 'failed')
    .toReversed();
  const shown = undelivered.slice(0, MAX_LINES);
  const scheduleTimeOf = await fetchScheduleTimes(shown, control, { json: false, now });
  async function describe({ id, event_type: type, url }: Delivery): Promise<string> {
    const delivery = await control.getDelivery({ id });
    return `${type} to ${url}: ${describeDelivery(delivery, scheduleTimeOf(delivery))}`;
  }
  return { undelivered, lines: await Promise.all(shown.map(describe)), total: deliveries.length };
}

export interface NoDeliveries {
  readonly message: string;
  readonly hint: Hint;
}

export async function describeEmptyRun(control: Pick<ControlPlane, 'listEvents'>): Promise<NoDeliveries> {
  const { data: events } = await control.listEvents({ limit: 1 });
  const [message, cause] =
    events.length === 0
      ? [
          'No event was created in this emulator.',
          'Tests that use the Vitest fixtures or createEmulator() start their own: run those without svc emulator exec.',
        ]
      : [
          'No event had a delivery, because no enabled endpoint subscribed to its type.',
          'Register an endpoint in your tests, or pass its URL with --forward-to.',
        ];
  return {
    message,
    hint: { text: `${cause} To accept a run without deliveries, pass --allow-no-deliveries.` },
  };
}

export function reportUndelivered(
  { undelivered, lines, total }: DeliveryOutcome,
  { note }: Pick<NoteOutput, 'note'>,
): void {
  note(
    `${undelivered.length} of ${formatDeliveryCount(total)} did not succeed, but --require-settled requires every delivery to succeed:`,
  );
  for (const line of lines) note(`  ${line}`);
  const rest = undelivered.length - lines.length;
  if (rest > 0) note(`  … and ${rest} more.`);
}
