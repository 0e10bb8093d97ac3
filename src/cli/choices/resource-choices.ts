/** The resources of the emulator: the columns of their lists, and the choices of prompts and completion, newest first. */
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { ParsedResponse } from '../../client/api-client.ts';
import { formatRelative } from '../../domain/duration.ts';
import type { Hint } from '../../domain/errors.ts';
import { type IdKind, nounOf, pluralOf, suggestWhereToLook } from '../../domain/ids.ts';
import type { Page } from '../../resources/define-resource.ts';
import type { Delivery } from '../../resources/delivery.ts';
import { endpointTable, type WebhookDetail } from '../../resources/endpoint.ts';
import { type Event, eventTable } from '../../resources/event.ts';
import { describeAppliedCount, describeEffect, describeTarget, type Fault } from '../../resources/fault.ts';
import { type ApiKey, keyTable } from '../../resources/key.ts';
import type { ApiRequest } from '../../resources/request.ts';
import { type Workspace, workspaceTable } from '../../resources/workspace.ts';
import type { Context } from '../context.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { requestColumns } from '../render/requests.ts';
import { type Column, toColumns } from '../render/table.ts';
import { createdColumn, fetchScheduleTimes, type ScheduleTimeOf } from '../schedule-time.ts';
import { type ChoiceSource, toChoiceList } from './choice-source.ts';

export type ListedEvent = Event & { readonly payloadText: string };

/** Adds the payload as the emulator wrote it, because parsing rounds numbers above 2^53. */
export function toListedEvents({ value, text }: ParsedResponse<Page<Event>>): ListedEvent[] {
  const page = parseTree(text);
  return value.data.map((event, index) => {
    const payload = page && findNodeAtLocation(page, ['data', index, 'payload']);
    return { ...event, payloadText: text.substr(payload?.offset ?? 0, payload?.length ?? 0) };
  });
}

export function eventColumns(scheduleTimeOf: ScheduleTimeOf): readonly Column<ListedEvent>[] {
  return toColumns<ListedEvent>(eventTable, {
    payload: { value: ({ payloadText }) => payloadText },
    created_at: createdColumn(scheduleTimeOf),
  });
}

export function webhookColumns(scheduleTimeOf: ScheduleTimeOf): readonly Column<WebhookDetail>[] {
  return toColumns<WebhookDetail>(endpointTable, {
    events: { value: ({ events }) => events.join(',') },
    disabled: { value: ({ disabled }) => (disabled ? 'disabled' : 'enabled') },
    created_at: createdColumn(scheduleTimeOf),
  });
}

export function keyColumns(now: number): readonly Column<ApiKey>[] {
  return toColumns<ApiKey>(keyTable, {
    last4: { value: ({ last4 }) => `…${last4}` },
    scopes: { value: ({ scopes }) => scopes.join(',') },
    workspace_id: { value: ({ workspace_id: id }) => id ?? 'all' },
    created_at: { value: ({ created_at: at }) => formatRelative(at, now) },
    revoked_at: { value: ({ revoked_at: at }) => (at ? formatRelative(at, now) : '') },
  });
}

export function workspaceColumns(now: number): readonly Column<Workspace>[] {
  return toColumns<Workspace>(workspaceTable, {
    created_at: { value: ({ created_at: at }) => formatRelative(at, now) },
  });
}

export const faultColumns: readonly Column<Fault>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'FAULT', value: describeEffect, canTruncate: true },
  { title: 'ON', value: describeTarget, hideOrder: 3, canTruncate: true },
  { title: 'APPLIED', value: describeAppliedCount, hideOrder: 2 },
  { title: 'WORKSPACE', value: ({ workspace_id: id }) => id ?? 'all', hideOrder: 1 },
];

/** The maximum page size of the public API, unless the gap `list.limit` is overridden. */
const MAX_CHOICES = 100;

/** The resources of one kind: the rows of their list, which are the choices of prompts and completion too. */
export interface ResourceList<Row> extends ChoiceSource {
  columns(rows: readonly Row[], context: Context): Promise<readonly Column<Row>[]>;
}

/** Titles without which the values do not say anything. Choices have none. */
const NEEDS_TITLE: ReadonlySet<string> = new Set(['ATTEMPTS', 'NEXT', 'REPLAY']);

/** @param list.load loads the choices, most likely first */
function defineList<Row extends { readonly id: string }>(
  kind: IdKind,
  {
    load,
    columns,
    emptyHint,
  }: {
    readonly emptyHint: Hint;
    readonly load: (context: Context) => Promise<readonly Row[]>;
    readonly columns: ResourceList<Row>['columns'];
  },
): ResourceList<Row> {
  return {
    noun: nounOf(kind),
    plural: pluralOf(kind),
    listHint: suggestWhereToLook('', kind),
    emptyHint,
    columns,
    async list(context) {
      const rows = await load(context);
      const shown = (await columns(rows, context)).filter(({ title }) => !NEEDS_TITLE.has(title));
      return toChoiceList(rows, shown, ({ id }) => id);
    },
  };
}

const findScheduleTimes = async (rows: readonly { readonly workspace_id: string }[], context: Context) =>
  fetchScheduleTimes(rows, await context.connect(), context);

export const deliveryChoices = defineList<Delivery>('delivery', {
  emptyHint: { text: 'Create one', command: 'svc trigger' },
  columns: async (rows, context) => deliveryColumns(context, await findScheduleTimes(rows, context)),
  load: async (context) => (await (await context.connect()).listDeliveries({ limit: MAX_CHOICES })).data,
});

export const eventChoices = defineList<ListedEvent>('event', {
  emptyHint: { text: 'Create one', command: 'svc trigger' },
  async load(context) {
    const api = await context.connectApi();
    const response = await api.listEvents({
      [(await context.getStatus()).workspace_parameter]: await context.getWorkspaceId(),
      limit: MAX_CHOICES,
    });
    return toListedEvents(response);
  },
  columns: async (rows, context) => eventColumns(await findScheduleTimes(rows, context)),
});

export const webhookChoices = defineList<WebhookDetail>('webhook', {
  emptyHint: { text: 'Register one', command: 'svc webhooks create' },
  load: async (context) => (await (await context.connect()).listWebhooks({ limit: MAX_CHOICES })).data,
  columns: async (rows, context) => webhookColumns(await findScheduleTimes(rows, context)),
});

export const workspaceChoices = defineList<Workspace>('workspace', {
  emptyHint: { text: 'Create one', command: 'svc workspaces create' },
  load: async (context) => (await (await context.connect()).listWorkspaces({ limit: MAX_CHOICES })).data,
  columns: async (_, context) => workspaceColumns(context.now()),
});

/** Keys that are not revoked. */
export const keyChoices = defineList<ApiKey>('apiKey', {
  emptyHint: { text: 'Create one', command: 'svc keys create' },
  async load(context) {
    const { data } = await (await context.connect()).listKeys({ limit: MAX_CHOICES });
    return data.filter((key) => key.revoked_at === null);
  },
  columns: async (_, context) => keyColumns(context.now()),
});

export const requestChoices = defineList<ApiRequest>('request', {
  emptyHint: { text: 'Send one', command: 'svc trigger' },
  load: async (context) => (await (await context.connect()).listRequests({ limit: MAX_CHOICES })).data,
  columns: async (_, context) => requestColumns(context.io, (at) => formatRelative(at, context.now())),
});

export const faultChoices = defineList<Fault>('fault', {
  emptyHint: { text: 'Add one', command: 'svc faults add' },
  load: async (context) => (await (await context.connect()).listFaults({ limit: MAX_CHOICES })).data,
  columns: async () => faultColumns,
});
