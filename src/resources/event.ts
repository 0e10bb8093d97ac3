/**
 * An event: something that happened in a workspace (§2). The store, both APIs, the commands, the page, the tools, the library, seeds
 * and the documents iterate over these tables. Only the type and the payload have rules of their own.
 */
import * as v from 'valibot';
import {
  type ConditionOf,
  defineFields,
  defineFilters,
  describeFields,
  pageOf,
  pickSettable,
  toFilterFields,
  toRequestFields,
  toResponseFields,
} from './define-resource.ts';
import { statusCounts } from './delivery-counts.ts';
import { createdFilters, excerptField, textFilter, workspaceFilter } from './list-fields.ts';
import { described, idOf, JsonObject, NonEmptyText, resource, StoredEventType, Timestamp } from './values.ts';

/** The fields in the order of the event record. */
export const eventTable = defineFields({
  id: {
    schema: idOf('event'),
    label: 'ID',
    summary: 'ID of the event',
    detail: 'Use it to detect duplicate deliveries',
    column: {},
  },
  workspace_id: {
    schema: idOf('workspace'),
    label: 'Workspace',
    summary: 'ID of the workspace that the event belongs to',
  },
  type: {
    schema: StoredEventType,
    label: 'Type',
    settable: true,
    summary: 'Type of the event, in the form `<noun>.<verb>`',
    column: { hideOrder: 3 },
  },
  payload: {
    schema: JsonObject,
    label: 'Payload',
    settable: true,
    summary: 'Data of the event',
    defaultText: 'an empty object',
    detail: 'Numbers, escapes and the order of keys stay as they were sent',
    example: { order_id: 'ord_7KQ2M9', carrier: 'DHL' },
    column: { hideOrder: 1, canTruncate: true, isLast: true },
  },
  created_at: {
    schema: Timestamp,
    label: 'Created',
    summary: 'Time at which the event was created',
    column: { hideOrder: 2 },
  },
});

export const publicEventFilters = defineFilters({
  type: {
    schema: NonEmptyText,
    label: 'Type',
    summary: 'Only events of this type',
    example: 'order.shipped',
    sql: 'e.type = @type',
    option: '--type <type>',
  },
});

export const eventFilters = defineFilters({
  ...workspaceFilter('e.workspace_seq'),
  ...publicEventFilters,
  ...createdFilters('e'),
  ...textFilter('Only events with this text in the ID, type or payload', ['e.id', 'e.type', 'e.payload']),
});

export const EventFilter = toFilterFields(eventFilters);
export type EventCondition = ConditionOf<typeof eventFilters>;

export const newEventFields = toRequestFields(pickSettable(eventTable));
const { type: _type, payload: _payload, ...settingTable } = pickSettable(eventTable);
/** The fields that clients set except the type and the payload, whose schemas depend on gaps. Every surface passes them on unchanged. */
export const eventSettings = toRequestFields(settingTable);
export type EventSettings = v.InferOutput<v.ObjectSchema<typeof eventSettings, undefined>>;

export const describeEventSettings = (event: EventSettings) => describeFields(settingTable, event);

const responseFields = toResponseFields(eventTable);

export const Event = resource(
  'Something that happened in a workspace. The service delivers an event to each endpoint that subscribes to its type.',
  responseFields,
);
export type Event = v.InferOutput<typeof Event>;

/** A page of events, newest first (§2, gap `list.order`). */
export const EventPage = pageOf(Event);

/** The JSON that is POSTed to an endpoint (§2, gap `envelope`). */
export const Envelope = resource('The body of a delivery.', {
  type: responseFields.type,
  workspace_id: responseFields.workspace_id,
  created_at: responseFields.created_at,
  data: described('The event.', Event),
});
export type Envelope = v.InferOutput<typeof Envelope>;

const requestId = {
  request_id: described(
    {
      summary: 'ID of the `/v1` request that created the event',
      detail: '`null` if no request created it, or if the request is no longer in the request log',
    },
    v.nullable(idOf('request')),
  ),
};

const { payload: _, ...summaryFields } = responseFields;
export const EventSummary = resource('An event in a list, without its payload.', {
  ...summaryFields,
  ...requestId,
  delivery_counts: described('Number of deliveries of the event, by status.', v.object(statusCounts)),
  ...excerptField,
});
export type EventSummary = v.InferOutput<typeof EventSummary>;

export const EventDetail = resource('An event, and the ID of the request that created it.', {
  ...responseFields,
  ...requestId,
  payload_text: described('Payload as JSON text. Numbers are written as in the request.', v.string()),
});
export type EventDetail = v.InferOutput<typeof EventDetail>;

/** An event before it is text. */
export interface EventValues extends EventSettings {
  readonly id: string;
  readonly workspace_id: string;
  readonly type: string;
  /** JSON text as it was sent, so that no number changes. */
  readonly payload: string;
  /** Milliseconds since 1970 on the workspace's schedule clock. */
  readonly created_at: number;
}

/** The event record as JSON text (gap `event.record`). A field without a value is omitted. */
export function toEventRecord(event: EventValues): string {
  return joinFields(toJsonFields(event));
}

/** The delivery envelope as JSON text (gap `envelope`). Every attempt and every replay sends the same bytes. */
export function toEnvelope(event: EventValues): string {
  const fields = toJsonFields(event);
  const { type, workspace_id, created_at } = fields;
  return joinFields({ type, workspace_id, created_at, data: joinFields(fields) });
}

const fieldNames = Object.keys(eventTable) as (keyof EventValues)[];

/** The JSON text of each field that has a value. */
function toJsonFields(event: EventValues): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const name of fieldNames) {
    const value = event[name];
    if (value === undefined || value === null) continue;
    if (name === 'payload') fields[name] = event.payload;
    else fields[name] = JSON.stringify(name === 'created_at' ? new Date(event.created_at) : value);
  }
  return fields;
}

function joinFields(fields: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(fields).map(([name, json]) => `"${name}":${json}`);
  return `{${pairs.join(',')}}`;
}

export interface EventParts {
  readonly settings: EventSettings;
  readonly type: string;
  readonly workspaceId: string;
  /** Name of the payload field (gap `event.body`). */
  readonly payloadField: string;
  /** JSON text, which becomes part of the body unchanged. */
  readonly payload: string;
}

export function toEventBody({ type, workspaceId, payloadField, payload, settings }: EventParts): string {
  const fields = JSON.stringify({ type, workspace_id: workspaceId, ...settings }).slice(1, -1);
  return `{${fields},${JSON.stringify(payloadField)}:${payload}}`;
}
