/** The resources of the emulator: the columns of their lists, and the choices of prompts and completion, newest first. */
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { ApiResponse } from '../../client/api-client.ts';
import type { ControlPlane } from '../../contract/control-plane.ts';
import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { ApiKey, Event, Page, WebhookDetail, Workspace } from '../../contract/resources.ts';
import { formatRelative } from '../../domain/duration.ts';
import { type IdKind, nounOf, pluralOf, suggestWhereToLook } from '../../domain/ids.ts';
import type { Context } from '../context.ts';
import { type ChoiceList, type ChoiceSource, toChoiceList } from '../prompt.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { requestColumns } from '../render/requests.ts';
import type { Column } from '../render/table.ts';
import { createdColumn, fetchScheduleTimes, type ScheduleTimeOf } from '../schedule-time.ts';

type EventRow = Event & { readonly payloadText: string };

/** Adds the payload as the emulator wrote it, because parsing rounds numbers above 2^53. */
export function toEventRows({ value, text }: ApiResponse<Page<Event>>): EventRow[] {
  const page = parseTree(text);
  return value.data.map((event, index) => {
    const payload = page && findNodeAtLocation(page, ['data', index, 'payload']);
    return { ...event, payloadText: text.substr(payload?.offset ?? 0, payload?.length ?? 0) };
  });
}

export function eventColumns(scheduleTimeOf: ScheduleTimeOf): readonly Column<EventRow>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'TYPE', value: ({ type }) => type, hideOrder: 3 },
    createdColumn(scheduleTimeOf, 2),
    { title: 'PAYLOAD', value: ({ payloadText }) => payloadText, hideOrder: 1, canTruncate: true },
  ];
}

export function webhookColumns(scheduleTimeOf: ScheduleTimeOf): readonly Column<WebhookDetail>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'URL', value: ({ url }) => url, canTruncate: true },
    { title: 'EVENTS', value: ({ events }) => events.join(','), hideOrder: 2, canTruncate: true },
    { title: 'STATE', value: ({ disabled }) => (disabled ? 'disabled' : 'enabled') },
    createdColumn(scheduleTimeOf, 1),
  ];
}

export function keyColumns(now: number): readonly Column<ApiKey>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, canTruncate: true },
    { title: 'KEY', value: ({ last4 }) => `…${last4}`, hideOrder: 4 },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(','), hideOrder: 3, canTruncate: true },
    { title: 'WORKSPACE', value: ({ workspace_id: id }) => id ?? 'all', hideOrder: 2 },
    { title: 'CREATED', value: ({ created_at: at }) => formatRelative(at, now), hideOrder: 1 },
    { title: 'REVOKED', value: ({ revoked_at: at }) => (at ? formatRelative(at, now) : '') },
  ];
}

export function workspaceColumns(now: number): readonly Column<Workspace>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, canTruncate: true },
    { title: 'ENVIRONMENT', value: ({ environment }) => environment, hideOrder: 2 },
    { title: 'CREATED', value: ({ created_at: at }) => formatRelative(at, now), hideOrder: 1 },
  ];
}

/** The maximum page size of the public API, unless the gap `list.limit` is overridden. */
const MAX_CHOICES = 100;

function describeKind(kind: IdKind) {
  return { noun: nounOf(kind), plural: pluralOf(kind), listHint: suggestWhereToLook('', kind) };
}

export const deliveryChoices: ChoiceSource = {
  ...describeKind('delivery'),
  emptyHint: { text: 'Create one', command: 'svc trigger' },
  async list(context) {
    const control = await context.connect();
    return toDeliveryChoices((await control.listDeliveries({ limit: MAX_CHOICES })).data, control, context);
  },
};

/** Failed deliveries first, because they are replayed most often. */
export const replayableDeliveryChoices: ChoiceSource = {
  ...deliveryChoices,
  listHint: {
    text: 'Or add --failed to replay every failed delivery. List the deliveries',
    command: 'svc deliveries list',
  },
  async list(context) {
    const control = await context.connect();
    const pages = await Promise.all([
      control.listDeliveries({ limit: MAX_CHOICES, status: 'failed' }),
      control.listDeliveries({ limit: MAX_CHOICES }),
    ]);
    const byId = new Map(pages.flatMap(({ data }) => data).map((delivery) => [delivery.id, delivery]));
    return toDeliveryChoices([...byId.values()], control, context);
  },
};

export const eventChoices: ChoiceSource = {
  ...describeKind('event'),
  emptyHint: { text: 'Create one', command: 'svc trigger' },
  async list(context) {
    const [api, control] = await Promise.all([context.connectApi(), context.connect()]);
    const response = await api.listEvents({
      [(await context.getStatus()).workspace_parameter]: await context.getWorkspaceId(),
      limit: String(MAX_CHOICES),
    });
    const rows = toEventRows(response);
    const scheduleTimeOf = await fetchScheduleTimes(rows, control, context);
    return toChoiceList(rows, eventColumns(scheduleTimeOf), toId);
  },
};

export const webhookChoices: ChoiceSource = {
  ...describeKind('webhook'),
  emptyHint: { text: 'Register one', command: 'svc webhooks create' },
  async list(context) {
    const control = await context.connect();
    const { data } = await control.listWebhooks({ limit: MAX_CHOICES });
    const scheduleTimeOf = await fetchScheduleTimes(data, control, context);
    return toChoiceList(data, webhookColumns(scheduleTimeOf), toId);
  },
};

export const workspaceChoices: ChoiceSource = {
  ...describeKind('workspace'),
  emptyHint: { text: 'Create one', command: 'svc workspaces create' },
  async list(context) {
    const { data } = await (await context.connect()).listWorkspaces({ limit: MAX_CHOICES });
    return toChoiceList(data, workspaceColumns(context.now()), toId);
  },
};

/** Keys that are not revoked. */
export const keyChoices: ChoiceSource = {
  ...describeKind('apiKey'),
  emptyHint: { text: 'Create one', command: 'svc keys create' },
  async list(context) {
    const { data } = await (await context.connect()).listKeys({ limit: MAX_CHOICES });
    const columns = keyColumns(context.now()).filter(({ title }) => title !== 'REVOKED');
    const valid = data.filter((key) => key.revoked_at === null);
    return toChoiceList(valid, columns, toId);
  },
};

export const requestChoices: ChoiceSource = {
  ...describeKind('request'),
  emptyHint: { text: 'Send one', command: 'svc trigger' },
  async list(context) {
    const { data } = await (await context.connect()).listRequests({ limit: MAX_CHOICES });
    const columns = requestColumns(context.io, (at) => formatRelative(at, context.now()));
    const idColumn = columns.filter(({ title }) => title === 'REQUEST');
    return toChoiceList(data, [...idColumn, ...columns.filter((column) => !idColumn.includes(column))], toId);
  },
};

/** Shows fewer columns than `svc deliveries list`: those that help to choose. */
async function toDeliveryChoices(
  rows: readonly Delivery[],
  control: ControlPlane,
  context: Context,
): Promise<ChoiceList> {
  const allColumns = deliveryColumns(context, await fetchScheduleTimes(rows, control, context));
  const columns = allColumns.filter(({ title }) => !['ATTEMPTS', 'NEXT', 'REPLAY'].includes(title));
  return toChoiceList(rows, columns, toId);
}

function toId({ id }: { readonly id: string }): string {
  return id;
}
