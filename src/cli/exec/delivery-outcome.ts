/** What became of the deliveries while a command ran. */
import type { DeliveryDetail } from '../../contract/delivery-schemas.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import { describeDelivery } from '../../control/describe-delivery.ts';
import { listAll } from '../../control/list-all.ts';
import { isPending, trackDeliveries } from '../../control/wait.ts';
import type { Context } from '../context.ts';
import type { NoteOutput } from '../io.ts';
import { fetchScheduleTimes, type ScheduleTimeOf } from '../schedule-time.ts';

/** What those that are due when the command ends get to be sent and answered. */
const SETTLE_TIMEOUT_MS = 5_000;
/** More lines than these explain nothing. */
const MAX_LINES = 20;

export interface DeliveryOutcome {
  /** Oldest first. */
  readonly deliveries: readonly DeliveryDetail[];
  readonly now: ScheduleTimeOf;
}

/**
 * Waits until everything that is due by now has been sent, but not for retries that are due later.
 * @throws SvcError `interrupted`
 */
export async function collectDeliveryOutcome(
  control: ControlPlane,
  { signal, now: wallNow }: Pick<Context, 'signal' | 'now'>,
): Promise<DeliveryOutcome> {
  const look = () => listAll((page) => control.listDeliveries(page));
  const now = await fetchScheduleTimes(await look(), control, { json: false, now: wallNow });
  const seen = await trackDeliveries(
    control,
    {
      filter: {},
      list: look,
      includes: () => true,
      classify: (delivery) => {
        const { next_attempt_at: next } = delivery;
        return isPending(delivery) && next !== null && Date.parse(next) <= now(delivery) ? 'open' : 'done';
      },
    },
    { timeoutMs: SETTLE_TIMEOUT_MS, signal },
  );
  const ids = seen.map(({ id }) => id).sort();
  return { deliveries: await Promise.all(ids.map((id) => control.getDelivery({ id }))), now };
}

/** Deliveries that failed or are still pending, where that is not what was expected. */
export interface UnexpectedDeliveries extends DeliveryOutcome {
  /** How many there were in all. */
  readonly total: number;
  readonly expectedFailed: number;
}

/** Null where nothing is pending and as many deliveries failed as expected. */
export function findUnexpectedDeliveries(
  { deliveries, now }: DeliveryOutcome,
  expectedFailed: number,
): UnexpectedDeliveries | null {
  const missing = deliveries.filter(({ status }) => status === 'pending' || status === 'failed');
  const isAsExpected =
    missing.length === expectedFailed && missing.every(({ status }) => status === 'failed');
  return isAsExpected ? null : { deliveries: missing, now, total: deliveries.length, expectedFailed };
}

/** Notes for each of the first what it was, where it was to go, and why it did not get there. */
export function reportUnexpectedDeliveries(
  unexpectedDeliveries: UnexpectedDeliveries,
  { note }: Pick<NoteOutput, 'note'>,
): void {
  const { deliveries, now } = unexpectedDeliveries;
  note(describeUnexpectedDeliveries(unexpectedDeliveries));
  for (const delivery of deliveries.slice(0, MAX_LINES)) {
    const account = describeDelivery(delivery, now(delivery));
    note(`  ${delivery.event_type} to ${delivery.url}: ${account}`);
  }
  const rest = deliveries.length - MAX_LINES;
  if (rest > 0) note(`  … and ${rest} more.`);
}

function describeUnexpectedDeliveries({ deliveries, total, expectedFailed }: UnexpectedDeliveries): string {
  if (expectedFailed === 0) {
    return `${deliveries.length} of ${total} deliveries did not arrive, and --require-settled asks for all:`;
  }
  const failed = deliveries.filter(({ status }) => status === 'failed').length;
  const found = `${failed} of ${total} deliveries failed and ${deliveries.length - failed} are pending`;
  return `${found}, but --expect-failed asks for ${expectedFailed} failed and none pending.`;
}
