/** Attempts as a live view shows them. */
import type { EmulatorStatus } from '../../contract/emulator.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import type { Context } from '../context.ts';
import { renderDelivery } from '../render/delivery-detail.ts';
import { findScheduleNow } from '../schedule-now.ts';
import { type AttemptRow, addItem, attemptColumns } from './attempt-rows.ts';
import type { LiveKind } from './kind.ts';
import { createScheduleTimes } from './schedule-times.ts';

export type AttemptControl = Pick<ControlPlane, 'getClock' | 'getDelivery' | 'replayDelivery'>;

export function createAttemptKind(
  control: AttemptControl,
  { dashboard_url, max_attempts }: Pick<EmulatorStatus, 'dashboard_url' | 'max_attempts'>,
  heading: string,
  context: Context,
): LiveKind<AttemptRow> {
  const times = createScheduleTimes(control);
  return {
    heading,
    empty: 'No attempt yet. svc trigger order.shipped, in another terminal, causes one.',
    add: addItem,
    columns: (look) => attemptColumns(look, { maxAttempts: max_attempts, findTime: times.find }),
    async refresh(rows) {
      const waiting = rows.filter(({ delivery }) => delivery.next_attempt_at !== null);
      await times.look(new Set(waiting.map(({ delivery }) => delivery.workspace_id)));
    },
    async describe({ delivery: { id }, attempt }) {
      const delivery = await control.getDelivery({ id });
      const now = await findScheduleNow([delivery], control, context);
      const attempts = delivery.attempts.filter(({ number }) => number === attempt?.number);
      return renderDelivery({ ...delivery, attempts }, now(delivery), context);
    },
    async replay({ delivery: { id } }) {
      await control.replayDelivery({ id });
      return `Replaying ${id}.`;
    },
    toUrl: ({ delivery }) => `${dashboard_url}#/deliveries/${delivery.id}`,
  };
}
