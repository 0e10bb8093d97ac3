/** The handlers of the operations for deliveries and attempts. */

import { projectAttempts } from '../../domain/delivery.ts';
import type { ControlHandlers } from '../../operations/control-plane.ts';
import type { EmulatorStatus } from '../../operations/emulator-schemas.ts';
import type { DeliveryDetail } from '../../resources/delivery.ts';
import { type DeliveryRow, toDelivery } from '../../store/delivery-queries.ts';
import { toListBody, toPageRequest } from '../../store/row-page.ts';
import { replayDelivery } from '../deliveries/replay-delivery.ts';
import type { Sender } from '../deliveries/sender.ts';
import { getDeliveryRow } from '../service/access.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { describeSignature, listAttempts, verifyDelivery } from '../service/verification.ts';
import { explainDelivery, probeDelivery } from './explain-delivery.ts';
import { toCondition, toExcerpt } from './to-condition.ts';
import { completeUrl } from './webhook-handlers.ts';

export function createDeliveryHandlers(
  sandbox: Sandbox,
  sender: Sender,
  emulator: { status(): Pick<EmulatorStatus, 'api_key'> },
) {
  const { store } = sandbox;
  return {
    listDeliveries: async (input) => {
      const filter = toCondition(sandbox, input, 'schedule');
      const request = toPageRequest(input, (id) => store.deliveryQueries.find(id)?.seq);
      return toListBody(store.deliveryQueries.list(filter, request), (row) => ({
        ...toDelivery(row),
        ...toExcerpt(input.text, [row.id, row.event_id, row.event_type, row.url], () =>
          store.deliveryQueries.getBody(row.seq),
        ),
      }));
    },
    getDelivery: async ({ id }) => toDeliveryDetail(sandbox, getDeliveryRow(sandbox, id)),
    explainDelivery: async (input) => explainDelivery(sandbox, input, emulator.status().api_key),
    probeDelivery: (input, signal) =>
      probeDelivery(sandbox, sender, input, { apiKey: emulator.status().api_key, signal }),
    describeSignature: async ({ id, attempt }) => describeSignature(sandbox, id, attempt),
    verifyDelivery: async (input) => verifyDelivery(sandbox, input),
    replayDelivery: async ({ url, ...request }) =>
      toDelivery(await replayDelivery(sandbox, { ...request, url: url && completeUrl(url) })),
  } satisfies Partial<ControlHandlers>;
}

export function toDeliveryDetail(sandbox: Sandbox, row: DeliveryRow): DeliveryDetail {
  const projection = {
    dueAt: row.due_at,
    onSchedule: row.on_schedule === 1,
    firstAttemptAt: row.first_attempt_at,
    scheduledAttempts: row.scheduled_attempts,
    waitingReplays: row.replays_waiting,
  };
  const dueTimes = projectAttempts(projection, sandbox.rules.retry);
  return {
    ...toDelivery(row),
    attempts: listAttempts(sandbox, row),
    due_times: dueTimes.map((at) => new Date(at).toISOString()),
  };
}
