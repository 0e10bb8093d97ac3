/** Deliveries of the control plane. */
import type { DeliveryDetail } from '../contract/deliveries.ts';
import { replayDelivery } from '../delivery/replay.ts';
import { notFound } from '../sandbox/access.ts';
import { toListBody, toPageRequest } from '../sandbox/pages.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listAttempts, verifyDelivery } from '../sandbox/verification.ts';
import { toDelivery } from '../store/delivery-view.ts';
import { toDeliveryFilter } from './filters.ts';
import type { CheckedCalls } from './local.ts';

export function createDeliveryCalls(
  sandbox: Sandbox,
): Pick<CheckedCalls, 'listDeliveries' | 'getDelivery' | 'verifyDelivery' | 'replayDelivery'> {
  const { deliveryView: deliveries } = sandbox.store;
  return {
    listDeliveries: async (input) => {
      const filter = toDeliveryFilter(sandbox, input);
      const request = toPageRequest(input, (id) => deliveries.find(id));
      return toListBody(await deliveries.list(filter, request), toDelivery);
    },
    getDelivery: async ({ id }): Promise<DeliveryDetail> => {
      const row = deliveries.find(id);
      if (row === undefined) throw notFound('delivery', id);
      return { ...toDelivery(row), attempts: listAttempts(sandbox, row) };
    },
    verifyDelivery: async ({ payload_base64: payload, now, tolerance_ms: toleranceMs, ...input }) =>
      verifyDelivery(sandbox, {
        ...{ ...input, toleranceMs },
        payload: payload === undefined ? undefined : Buffer.from(payload, 'base64'),
        now: now === undefined ? undefined : Date.parse(now),
      }),
    replayDelivery: async ({ id, new_id: newId, url, body }) =>
      toDelivery(await replayDelivery(sandbox, { id, newId, url, body })),
  };
}
