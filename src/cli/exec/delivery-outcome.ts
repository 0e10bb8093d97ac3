/** Collects the deliveries before an emulator stops, and checks them against the options of `svc emulator exec`. */

import { describeDelivery } from '../../client/texts/describe-delivery.ts';
import { isPending, trackDeliveries } from '../../client/wait.ts';
import { type ControlPlane, listAll } from '../../contract/control-plane.ts';
import type { DeliveryDetail } from '../../contract/delivery-schemas.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import type { Hint } from '../../errors.ts';
import type { Context } from '../context.ts';
import type { NoteOutput } from '../process-context.ts';
import { fetchScheduleTimes, type ScheduleTimeOf } from '../schedule-time.ts';

/** Time limit for the deliveries that are due at the end. */
const SETTLE_TIMEOUT_MS = 5_000;
/** Maximum number of unexpected deliveries that are listed. */
const MAX_LINES = 20;

interface DeliveryOutcome {
  /** Oldest first. */
  readonly deliveries: readonly DeliveryDetail[];
  readonly scheduleTimeOf: ScheduleTimeOf;
}

/**
 * Waits until everything that is due has been sent, but not for later retries.
 * @throws SvcError `interrupted`
 */
export async function collectDeliveryOutcome(
  control: ControlPlane,
  { signal, now }: Pick<Context, 'signal' | 'now'>,
): Promise<DeliveryOutcome> {
  const list = () => listAll((page) => control.listDeliveries(page));
  // `json: false` requests the times with `--json` too, because they decide which deliveries are due.
  const scheduleTimeOf = await fetchScheduleTimes(await list(), control, { json: false, now });
  const { deliveries } = await trackDeliveries(
    control,
    {
      filter: {},
      list,
      // Also deliveries that are created during the wait.
      includes: () => true,
      classify(delivery) {
        const { next_attempt_at: next } = delivery;
        const isDue = next !== null && Date.parse(next) <= scheduleTimeOf(delivery);
        return isPending(delivery) && isDue ? 'waiting' : 'matched';
      },
    },
    { timeoutMs: SETTLE_TIMEOUT_MS, signal },
  );
  // IDs sort by creation time.
  const ids = deliveries.map(({ id }) => id).sort();
  return { deliveries: await Promise.all(ids.map((id) => control.getDelivery({ id }))), scheduleTimeOf };
}

/** Why a run had no deliveries, and what to do. */
export interface NoDeliveries {
  readonly message: string;
  readonly hint: Hint;
}

export async function explainNoDeliveries(control: Pick<ControlPlane, 'listEvents'>): Promise<NoDeliveries> {
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

/** Deliveries that failed or are still pending, and were not expected to. */
export interface UnexpectedDeliveries extends DeliveryOutcome {
  /** Number of all deliveries. */
  readonly total: number;
  /** Value of --expect-failed; null when only --require-settled was given, which expects no failure. */
  readonly expectedFailed: number | null;
}

/** Null when nothing is pending and the expected number of deliveries failed. */
export function findUnexpectedDeliveries(
  { deliveries, scheduleTimeOf }: DeliveryOutcome,
  expectedFailed: number | null,
): UnexpectedDeliveries | null {
  const undelivered = deliveries.filter(({ status }) => status === 'pending' || status === 'failed');
  const isAsExpected =
    undelivered.length === (expectedFailed ?? 0) && undelivered.every(({ status }) => status === 'failed');
  if (isAsExpected) return null;
  return { deliveries: undelivered, scheduleTimeOf, total: deliveries.length, expectedFailed };
}

/** Prints the first ones with their URL and the reason. */
export function reportUnexpectedDeliveries(
  unexpectedDeliveries: UnexpectedDeliveries,
  { note }: Pick<NoteOutput, 'note'>,
): void {
  const { deliveries, scheduleTimeOf } = unexpectedDeliveries;
  note(describeUnexpectedDeliveries(unexpectedDeliveries));
  for (const delivery of deliveries.slice(0, MAX_LINES)) {
    const description = describeDelivery(delivery, scheduleTimeOf(delivery));
    note(`  ${delivery.event_type} to ${delivery.url}: ${description}`);
  }
  const rest = deliveries.length - MAX_LINES;
  if (rest > 0) note(`  … and ${rest} more.`);
}

function describeUnexpectedDeliveries({ deliveries, total, expectedFailed }: UnexpectedDeliveries): string {
  if (expectedFailed === null || expectedFailed === 0) {
    const option = expectedFailed === null ? '--require-settled' : '--expect-failed 0';
    return `${deliveries.length} of ${formatDeliveryCount(total)} did not succeed, but ${option} requires every delivery to succeed:`;
  }
  const failed = deliveries.filter(({ status }) => status === 'failed').length;
  const pending = deliveries.length - failed;
  const actual = `${failed} of ${formatDeliveryCount(total)} failed and ${pending} ${pending === 1 ? 'is' : 'are'} pending`;
  return `${actual}, but --expect-failed requires ${expectedFailed} failed and none pending.`;
}
