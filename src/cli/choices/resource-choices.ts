/** The resources of the emulator as choices, newest first. */
import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import type { Context } from '../context.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { eventColumns, keyColumns, webhookColumns, workspaceColumns } from '../render/resource-columns.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';
import { type ChoiceList, type ChoiceSource, toChoiceList } from './choice-source.ts';

/** The page limit of the public API. */
const MAX_CHOICES = 100;

export const deliveryChoices: ChoiceSource = {
  noun: 'delivery',
  plural: 'deliveries',
  emptyHint: 'Create one with: svc trigger',
  async list(context) {
    const control = await context.connect();
    return toDeliveryChoices((await control.listDeliveries({ limit: MAX_CHOICES })).data, control, context);
  },
};

/** Failed deliveries first, because they are replayed most often. */
export const replayableDeliveryChoices: ChoiceSource = {
  noun: 'delivery',
  plural: 'deliveries',
  emptyHint: 'Create one with: svc trigger',
  async list(context) {
    const control = await context.connect();
    const pages = await Promise.all([
      control.listDeliveries({ limit: MAX_CHOICES, status: 'failed' }),
      control.listDeliveries({ limit: MAX_CHOICES }),
    ]);
    const known = new Map(pages.flatMap(({ data }) => data).map((delivery) => [delivery.id, delivery]));
    return toDeliveryChoices([...known.values()], control, context);
  },
};

export const eventChoices: ChoiceSource = {
  noun: 'event',
  plural: 'events',
  emptyHint: 'Create one with: svc trigger',
  async list(context) {
    const [{ list }, api, control] = await Promise.all([
      context.resolveRules(),
      context.connectApi(),
      context.connect(),
    ]);
    const { value: page } = await api.listEvents({
      [list.workspaceParameter]: await context.getWorkspaceId(),
      limit: String(MAX_CHOICES),
    });
    const scheduleTimeOf = await fetchScheduleTimes(page.data, control, context);
    return toChoiceList(page.data, eventColumns(scheduleTimeOf), toId);
  },
};

export const webhookChoices: ChoiceSource = {
  noun: 'endpoint',
  plural: 'endpoints',
  emptyHint: 'Register one with: svc webhooks create',
  async list(context) {
    const control = await context.connect();
    const { data } = await control.listWebhooks({ limit: MAX_CHOICES });
    const scheduleTimeOf = await fetchScheduleTimes(data, control, context);
    return toChoiceList(data, webhookColumns(scheduleTimeOf), toId);
  },
};

export const workspaceChoices: ChoiceSource = {
  noun: 'workspace',
  plural: 'workspaces',
  emptyHint: 'Create one with: svc workspaces create',
  async list(context) {
    const { data } = await (await context.connect()).listWorkspaces({ limit: MAX_CHOICES });
    return toChoiceList(data, workspaceColumns(context.now()), toId);
  },
};

/** Keys that are not revoked. */
export const keyChoices: ChoiceSource = {
  noun: 'key',
  plural: 'keys',
  emptyHint: 'Create one with: svc keys create',
  async list(context) {
    const { data } = await (await context.connect()).listKeys({ limit: MAX_CHOICES });
    const columns = keyColumns(context.now()).filter(({ title }) => title !== 'REVOKED');
    const valid = data.filter((key) => key.revoked_at === null);
    return toChoiceList(valid, columns, toId);
  },
};

/** Without the columns that do not help to choose. */
async function toDeliveryChoices(
  rows: readonly Delivery[],
  control: ControlPlane,
  context: Context,
): Promise<ChoiceList> {
  const columns = deliveryColumns(context, await fetchScheduleTimes(rows, control, context));
  const shown = columns.filter(({ title }) => title !== 'ATTEMPTS' && title !== 'NEXT');
  return toChoiceList(rows, shown, toId);
}

function toId({ id }: { readonly id: string }): string {
  return id;
}
