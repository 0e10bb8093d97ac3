/** What became of the deliveries while a command ran. */
import type { DeliveryDetail } from '../../contract/deliveries.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import { describeDelivery } from '../../control/delivery-account.ts';
import { listAll } from '../../control/pages.ts';
import { awaitDeliveries, isPending } from '../../control/settlement.ts';
import type { Context } from '../context.ts';
import type { Notes } from '../io.ts';
import { findScheduleNow, type ScheduleNow } from '../schedule-now.ts';

/** What those that are due when the command ends get to be sent and answered. */
const LONGEST_SETTLING_MS = 5_000;
/** More lines than these explain nothing. */
const MOST_LINES = 20;

export interface Outcome {
  /** Oldest first. */
  readonly deliveries: readonly DeliveryDetail[];
  readonly now: ScheduleNow;
}

/**
 * Waits until everything that is due by now has been sent, but not for retries that are due later.
 * @throws SvcError `interrupted`
 */
export async function findOutcome(
  control: ControlPlane,
  { signal, now: wallNow }: Pick<Context, 'signal' | 'now'>,
): Promise<Outcome> {
  const look = () => listAll((page) => control.listDeliveries(page));
  const now = await findScheduleNow(await look(), control, { json: false, now: wallNow });
  const seen = await awaitDeliveries(
    control,
    {
      filter: {},
      look,
      includes: () => true,
      judge: (delivery) => {
        const { next_attempt_at: next } = delivery;
        return isPending(delivery) && next !== null && Date.parse(next) <= now(delivery) ? 'open' : 'done';
      },
    },
    { timeoutMs: LONGEST_SETTLING_MS, signal },
  );
  const ids = seen.map(({ id }) => id).sort();
  return { deliveries: await Promise.all(ids.map((id) => control.getDelivery({ id }))), now };
}

/** Deliveries that failed or are still pending, where that is not what was expected. */
export interface Shortfall extends Outcome {
  /** How many there were in all. */
  readonly total: number;
  readonly expectedFailed: number;
}

/** Null where nothing is pending and as many deliveries failed as expected. */
export function findShortfall({ deliveries, now }: Outcome, expectedFailed: number): Shortfall | null {
  const missing = deliveries.filter(({ status }) => status === 'pending' || status === 'failed');
  const isAsExpected =
    missing.length === expectedFailed && missing.every(({ status }) => status === 'failed');
  return isAsExpected ? null : { deliveries: missing, now, total: deliveries.length, expectedFailed };
}

/** Notes for each of the first what it was, where it was to go, and why it did not get there. */
export function noteShortfall(shortfall: Shortfall, { note }: Pick<Notes, 'note'>): void {
  const { deliveries, now } = shortfall;
  note(describeShortfall(shortfall));
  for (const delivery of deliveries.slice(0, MOST_LINES)) {
    const account = describeDelivery(delivery, now(delivery));
    note(`  ${delivery.event_type} to ${delivery.url}: ${account}`);
  }
  const rest = deliveries.length - MOST_LINES;
  if (rest > 0) note(`  … and ${rest} more.`);
}

function describeShortfall({ deliveries, total, expectedFailed }: Shortfall): string {
  if (expectedFailed === 0) {
    return `${deliveries.length} of ${total} deliveries did not arrive, and --require-settled asks for all:`;
  }
  const failed = deliveries.filter(({ status }) => status === 'failed').length;
  const found = `${failed} of ${total} deliveries failed and ${deliveries.length - failed} are pending`;
  return `${found}, but --expect-failed asks for ${expectedFailed} failed and none pending.`;
}
