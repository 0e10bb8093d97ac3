/**
 * The columns of each table, by the schemas of the API. The types of rows follow from them, and the rows of a snapshot are
 * checked with them: anyone may have written the file.
 */

import * as v from 'valibot';
import { Attempt, Delivery } from '../contract/delivery-schemas.ts';
import { faultFields } from '../contract/fault-rule.ts';
import { FaultMark } from '../contract/fault-schemas.ts';
import { Count, EventType, Headers, idOf, Name } from '../contract/fields.ts';
import { ApiKey, ApiRequest, Event, keySettings } from '../contract/resources.ts';
import { webhookSettings } from '../contract/webhook-settings.ts';
import { attemptPhases } from '../domain/attempt-phases.ts';
import { LAST_TIME } from '../domain/clock.ts';
import { extractEventRecord, toEnvelope, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { isId } from '../domain/ids.ts';
import { checkWebhookUrl } from '../domain/webhook-url.ts';
import { Speed } from '../validation/value-schemas.ts';
import { type ColumnOf, isJson } from './columns.ts';

/** Far below 2^53, so that a store can continue counting from there. */
const MAX_SEQ = 2 ** 48;
/** Far above any real count, and far below 2^53. */
const MAX_COUNT = 2 ** 31;

/** A time or a duration, in milliseconds. */
const Time = v.pipe(v.number(), v.minValue(0), v.maxValue(LAST_TIME));
const Seq = v.pipe(v.number(), v.minValue(1), v.maxValue(MAX_SEQ));
const RowCount = v.pipe(Count, v.maxValue(MAX_COUNT));
const Flag = v.picklist([0, 1]);
/** The request log shows 0 for a dropped connection. */
const Status = v.pipe(v.number(), v.minValue(0), v.maxValue(999));
/** A SHA-256 digest. */
const Hash = v.pipe(v.instance(Buffer), v.length(32));
const Bytes = v.nullable(v.instance(Buffer));
const Text = v.nullable(v.string());
const Url = v.pipe(
  v.string(),
  v.check((url) => checkWebhookUrl(url, 'local').ok),
);
const Secret = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/));
const json = <Schema extends v.GenericSchema>(schema: Schema) => v.pipe(v.string(), v.parseJson(), schema);
/** `AppliedFault` of the fault that was injected. */
const Fault = v.nullable(json(FaultMark));
const HeadersText = json(Headers);

/** The columns of settings, see `toColumns`. */
function toColumnSchemas<Entries extends v.ObjectEntries>(entries: Entries) {
  const schemas = Object.entries(entries).map(([name, schema]) => {
    if (schema.type === 'boolean') return [name, Flag];
    return [name, isJson(schema) ? json(schema as v.GenericSchema) : schema];
  });
  return Object.fromEntries(schemas) as {
    [Name in keyof Entries]: v.GenericSchema<ColumnOf<v.InferOutput<Entries[Name]>>>;
  };
}

const EventRow = v.strictObject({
  seq: Seq,
  id: idOf('event'),
  workspace_seq: Seq,
  workspace_id: idOf('workspace'),
  type: EventType,
  created_at: Time,
  stored_at_wall: Time,
  /** Sent by every delivery. It contains the event record. */
  envelope: v.string(),
});

/**
 * A row of each table as `SELECT *` returns it. An event also has the ID of its workspace. SQLite checks references and types.
 * Times are schedule time unless the name or a comment says otherwise.
 */
export const rowSchemas = {
  workspaces: v.strictObject({
    seq: Seq,
    id: idOf('workspace'),
    name: Name,
    created_at: Time,
    /** This and the following columns are the state of the clock, see `ScheduleClockState`. */
    clock_at: Time,
    clock_wall_at: Time,
    clock_speed: Speed,
    clock_frozen: Flag,
  }),
  api_keys: v.strictObject({
    ...v.pick(v.object(ApiKey.entries), ['id']).entries,
    seq: Seq,
    workspace_seq: v.nullable(Seq),
    /** Of the key, which is not stored itself. */
    hash: Hash,
    last4: v.pipe(v.string(), v.length(4)),
    ...toColumnSchemas(keySettings),
    /** Wall time, like `revoked_at`. */
    created_at: Time,
    revoked_at: v.nullable(Time),
  }),
  webhooks: v.strictObject({
    seq: Seq,
    id: idOf('webhook'),
    workspace_seq: Seq,
    ...toColumnSchemas(webhookSettings),
    url: Url,
    events: json(v.array(v.union([v.literal(WILDCARD_SUBSCRIPTION), EventType]))),
    secret: Secret,
    previous_secret: v.nullable(Secret),
    /** Until when the previous secret signs too. */
    previous_secret_expires_at: v.nullable(Time),
    /** Whether it exists only while a `svc listen` uses it, see `sandbox/listener-endpoint-cleanup.ts`. */
    listener: Flag,
    /** Whether `--forward-to` created it. */
    forward_target: Flag,
    created_at: Time,
    deleted_at: v.nullable(Time),
  }),
  events: v.pipe(EventRow, v.forward(v.check(hasEnvelopeOfEvent), ['envelope'])),
  deliveries: v.pipe(
    v.strictObject({
      ...v.pick(v.object(Delivery.entries), ['id', 'status', 'settled_reason']).entries,
      seq: Seq,
      event_seq: Seq,
      webhook_seq: Seq,
      workspace_seq: Seq,
      /** URL and body that replace those of the endpoint and the event; null for the same. */
      own_url: v.nullable(Url),
      own_body: v.nullable(json(v.unknown())),
      replay_of_seq: v.nullable(Seq),
      created_at: Time,
      settled_at: v.nullable(Time),
      settled_seq: v.nullable(Seq),
      due_at: v.nullable(Time),
      first_attempt_at: v.nullable(Time),
      /** 1 while the retry schedule makes attempts, 0 when only replays do. */
      on_schedule: Flag,
      /** Number of attempts on the retry schedule, with replays that replaced a retry. */
      scheduled_attempts: RowCount,
      attempt_count: RowCount,
      /** Number of requested replays that were not sent yet. */
      replays_waiting: RowCount,
      /** The fault that postponed the delivery. */
      fault: Fault,
    }),
    v.forward(
      v.check(({ seq, settled_seq }) => settled_seq === null || settled_seq >= seq),
      ['settled_seq'],
    ),
  ),
  attempts: v.strictObject({
    ...v.pick(v.object(Attempt.entries), ['trigger', 'outcome', 'error']).entries,
    seq: Seq,
    delivery_seq: Seq,
    webhook_seq: Seq,
    number: v.pipe(Attempt.entries.number, v.maxValue(MAX_COUNT)),
    scheduled_at: Time,
    sent_at_wall: Time,
    duration_ms: Time,
    response_status: v.nullable(Status),
    request_url: Url,
    request_headers: HeadersText,
    response_headers: v.nullable(HeadersText),
    response_body: Bytes,
    response_truncated: Flag,
    fault: Fault,
    /** Result of `encodePhases`; null if nothing was sent. */
    phases: v.nullable(
      json(v.pipe(v.array(v.nullable(v.pipe(v.number(), v.minValue(0)))), v.length(attemptPhases.length))),
    ),
  }),
  api_requests: v.strictObject({
    ...v.pick(v.object(ApiRequest.entries), [
      'id',
      'method',
      'path',
      'error_code',
      'error_message',
      'user_agent',
    ]).entries,
    seq: Seq,
    at_wall: Time,
    status: Status,
    duration_ms: Time,
    api_key_seq: v.nullable(Seq),
    workspace_seq: v.nullable(Seq),
    /** Of the resource that the request created, read, changed, deleted or did not find; null for a list. */
    resource_id: v.nullable(v.pipe(v.string(), v.check(isId))),
    fault: Fault,
  }),
  /** The headers and the bodies of a request and of its response. The columns of a body that was not read are null. */
  api_request_messages: v.strictObject({
    seq: Seq,
    request_headers: HeadersText,
    request_body: Bytes,
    /** Bytes of the whole body. */
    request_size: v.nullable(RowCount),
    /** Whether a part of the headers or of the body is missing. */
    request_truncated: Flag,
    response_headers: v.nullable(HeadersText),
    response_body: Text,
    response_size: v.nullable(RowCount),
    response_truncated: Flag,
  }),
  faults: v.strictObject({
    seq: Seq,
    id: idOf('fault'),
    rule: json(v.strictObject(faultFields)),
    applied_count: RowCount,
    created_at: Time,
  }),
  idempotency_keys: v.strictObject({
    /** Of the scope of the key, see `sandbox/idempotency.ts`. */
    scope_hash: Hash,
    /** Sequence of the newest row that the request wrote. */
    seq: Seq,
    workspace_seq: Seq,
    body_hash: Hash,
    /** Status and body of the response. */
    status: Status,
    body: json(v.unknown()),
    expires_at: Time,
  }),
};

export type TableName = keyof typeof rowSchemas;

/** A row of a table. The tables import only this type, because the schemas are loaded only to check a snapshot. */
export type Row<Table extends TableName> = Readonly<
  Omit<v.InferInput<(typeof rowSchemas)[Table]>, 'workspace_id'>
>;

/** Whether the envelope is that of `toEnvelope`: the event record is cut out of it by position. */
function hasEnvelopeOfEvent({
  id,
  type,
  workspace_id,
  created_at,
  envelope,
}: v.InferOutput<typeof EventRow>): boolean {
  const fields = { id, type, workspaceId: workspace_id, createdAt: created_at, payload: '' };
  const record = extractEventRecord(envelope, fields);
  if (envelope !== toEnvelope(fields, record)) return false;
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Event), record);
  return (
    parsed.success &&
    parsed.output.id === id &&
    parsed.output.type === type &&
    parsed.output.workspace_id === workspace_id
  );
}
