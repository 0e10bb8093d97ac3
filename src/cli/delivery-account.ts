/** What became of deliveries, for who waited in vain for something else. */
import type { Delivery, DeliveryDetail } from '../contract/resources.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import type { Context } from './context.ts';
import { toOneLine } from './render/control-characters.ts';
import { settledReasonText } from './render/remedy.ts';
import { formatRelative } from './render/time.ts';
import type { ScheduleNow } from './schedule-now.ts';

/** More lines than these explain nothing. */
const MOST_LINES = 20;

/** Notes for each of the first deliveries its state, its attempts, what is next and the last error. */
export async function noteAccount(
  deliveries: readonly Delivery[],
  now: ScheduleNow,
  control: Pick<ControlPlane, 'getDelivery'>,
  { io }: Pick<Context, 'io'>,
): Promise<void> {
  const explained = deliveries.slice(0, MOST_LINES);
  const details = await Promise.all(explained.map(({ id }) => control.getDelivery({ id })));
  for (const delivery of details) io.note(describe(delivery, now(delivery)));
  const rest = deliveries.length - explained.length;
  if (rest > 0) io.note(`… and ${rest} more.`);
}

/** `del_… pending after 2 attempts, the next in 4m 12s: the receiver answered 503` */
function describe(delivery: DeliveryDetail, now: number): string {
  const { id, status, attempts, settled_reason: reason, next_attempt_at: next } = delivery;
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  const further = [
    ...(reason === null ? [] : [settledReasonText[reason]]),
    ...(next === null ? [] : [`the next ${formatRelative(next, now)}`]),
  ];
  const error = attempts.at(-1)?.error ?? null;
  const head = [`${id} ${status} after ${count}`, ...further].join(', ');
  return error === null ? head : `${head}: ${toOneLine(error)}`;
}
