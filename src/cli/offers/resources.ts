/** The resources of the emulator, newest first, for who chooses one of them. */
import type { Delivery } from '../../contract/deliveries.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import type { Context } from '../context.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { eventColumns } from '../render/events.ts';
import { keyColumns } from '../render/keys.ts';
import { webhookColumns } from '../render/webhook.ts';
import { workspaceColumns } from '../render/workspaces.ts';
import { findScheduleNow } from '../schedule-now.ts';
import { type Offer, type Offered, offerRows } from './offer.ts';

/** Who looks for an older one knows its id. The public API lists no more at a time. */
const MOST = 100;

export const deliveries: Offer = {
  noun: 'delivery',
  async list(context) {
    const control = await context.connect();
    return offerDeliveries((await control.listDeliveries({ limit: MOST })).data, control, context);
  },
};

/** Those that failed come first: they are what is sent again. */
export const replayableDeliveries: Offer = {
  noun: 'delivery',
  async list(context) {
    const control = await context.connect();
    const pages = await Promise.all([
      control.listDeliveries({ limit: MOST, status: 'failed' }),
      control.listDeliveries({ limit: MOST }),
    ]);
    const known = new Map(pages.flatMap(({ data }) => data).map((delivery) => [delivery.id, delivery]));
    return offerDeliveries([...known.values()], control, context);
  },
};

export const events: Offer = {
  noun: 'event',
  async list(context) {
    const [{ list }, api, control] = await Promise.all([context.rules(), context.api(), context.connect()]);
    const { value: page } = await api.listEvents({
      [list.workspaceParameter]: await context.workspaceId(),
      limit: String(MOST),
    });
    const now = await findScheduleNow(page.data, control, context);
    return offerRows(page.data, eventColumns(now), toId);
  },
};

export const webhooks: Offer = {
  noun: 'endpoint',
  async list(context) {
    const control = await context.connect();
    const { data } = await control.listWebhooks({ limit: MOST });
    const now = await findScheduleNow(data, control, context);
    return offerRows(data, webhookColumns(now), toId);
  },
};

export const workspaces: Offer = {
  noun: 'workspace',
  async list(context) {
    const { data } = await (await context.connect()).listWorkspaces({ limit: MOST });
    return offerRows(data, workspaceColumns(context.now()), toId);
  },
};

/** Those that have not been revoked. */
export const keys: Offer = {
  noun: 'key',
  async list(context) {
    const { data } = await (await context.connect()).listKeys({ limit: MOST });
    const columns = keyColumns(context.now()).filter(({ title }) => title !== 'REVOKED');
    const valid = data.filter((key) => key.revoked_at === null);
    return offerRows(valid, columns, toId);
  },
};

/** By what tells them apart: how often each was tried, and when it will be again, does not. */
async function offerDeliveries(
  rows: readonly Delivery[],
  control: ControlPlane,
  context: Context,
): Promise<Offered> {
  const columns = deliveryColumns(context, await findScheduleNow(rows, control, context));
  const telling = columns.filter(({ title }) => title !== 'TRIES' && title !== 'NEXT');
  return offerRows(rows, telling, toId);
}

function toId({ id }: { readonly id: string }): string {
  return id;
}
