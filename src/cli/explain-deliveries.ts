import type { Delivery } from '../contract/delivery-schemas.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { describeDelivery } from '../control/describe-delivery.ts';
import type { Context } from './context.ts';
import type { ScheduleTimeOf } from './schedule-time.ts';

/** More lines than these explain nothing. */
const MAX_LINES = 20;

/** Notes for each of the first deliveries its state, its attempts, what is next and the last error. */
export async function explainDeliveries(
  deliveries: readonly Delivery[],
  now: ScheduleTimeOf,
  control: Pick<ControlPlane, 'getDelivery'>,
  { io }: Pick<Context, 'io'>,
): Promise<void> {
  const explained = deliveries.slice(0, MAX_LINES);
  const details = await Promise.all(explained.map(({ id }) => control.getDelivery({ id })));
  for (const delivery of details) io.note(describeDelivery(delivery, now(delivery)));
  const rest = deliveries.length - explained.length;
  if (rest > 0) io.note(`… and ${rest} more.`);
}
