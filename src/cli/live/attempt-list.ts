/** The list of attempts in a live view. */
import type { EmulatorStatus } from '../../contract/emulator-schemas.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import type { Context } from '../context.ts';
import { renderDelivery } from '../render/delivery-detail.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';
import { type AttemptRow, addStreamItem, attemptColumns } from './attempt-rows.ts';
import type { LiveList } from './live-list.ts';
import { createScheduleClocks } from './schedule-clocks.ts';

export type AttemptControl = Pick<ControlPlane, 'getClock' | 'getDelivery' | 'replayDelivery'>;

export function createAttemptList(
  control: AttemptControl,
  { dashboard_url, max_attempts }: Pick<EmulatorStatus, 'dashboard_url' | 'max_attempts'>,
  heading: string,
  context: Context,
): LiveList<AttemptRow> {
  const scheduleClocks = createScheduleClocks(control);
  return {
    heading,
    empty: 'No attempts yet. Create an event in another terminal with: svc trigger order.shipped',
    add: addStreamItem,
    columns: (capabilities) =>
      attemptColumns(capabilities, { maxAttempts: max_attempts, getScheduleTime: scheduleClocks.get }),
    async refresh(rows) {
      const rowsWithRetry = rows.filter(({ delivery }) => delivery.next_attempt_at !== null);
      await scheduleClocks.refresh(new Set(rowsWithRetry.map(({ delivery }) => delivery.workspace_id)));
    },
    async describe({ delivery: { id }, attempt }) {
      const delivery = await control.getDelivery({ id });
      const scheduleTimeOf = await fetchScheduleTimes([delivery], control, context);
      const attempts = delivery.attempts.filter(({ number }) => number === attempt?.number);
      return renderDelivery({ ...delivery, attempts }, scheduleTimeOf(delivery), context);
    },
    async replay({ delivery: { id } }) {
      await control.replayDelivery({ id });
      return `Replaying ${id}.`;
    },
    toUrl: ({ delivery }) => `${dashboard_url}#/deliveries/${delivery.id}`,
  };
}
