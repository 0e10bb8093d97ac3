import type { Delivery } from '../contract/deliveries.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { describeDelivery } from '../control/delivery-account.ts';
import type { Context } from './context.ts';
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
  for (const delivery of details) io.note(describeDelivery(delivery, now(delivery)));
  const rest = deliveries.length - explained.length;
  if (rest > 0) io.note(`… and ${rest} more.`);
}
