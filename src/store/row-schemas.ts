/** What each column of a snapshot can contain, by the schemas of the API. The file is untrusted: anyone may have written it. */
import * as v from 'valibot';
import { Attempt, Delivery } from '../contract/delivery-schemas.ts';
import { FaultMark, NewFault } from '../contract/fault-schemas.ts';
import { Count, EventType, ExtraHeaders, Headers, idOf, Name, Speed } from '../contract/fields.ts';
import { ApiKey, ApiRequest, Event } from '../contract/resources.ts';
import { attemptPhases } from '../domain/attempt-phases.ts';
import { LAST_TIME } from '../domain/clock.ts';
import { extractEventRecord, toEnvelope, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { isId } from '../domain/ids.ts';
import { checkWebhookUrl } from '../domain/webhook-url.ts';

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
const Hash = v.pipe(v.instance(Uint8Array), v.length(32));
const Bytes = v.nullable(v.instance(Uint8Array));
const Text = v.nullable(v.string());
const Url = v.pipe(
  v.string(),
  v.check((url) => checkWebhookUrl(url, 'local').ok),
);
const Secret = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/));
const json = <Schema extends v.GenericSchema>(schema: Schema) => v.pipe(v.string(), v.parseJson(), schema);
const Fault = v.nullable(json(FaultMark));
const HeadersText = json(Headers);

const EventRow = v.strictObject({
  seq: Seq,
  id: idOf('event'),
  workspace_seq: Seq,
  workspace_id: idOf('workspace'),
  type: EventType,
  created_at: Time,
  envelope: v.string(),
});

/** A row of each table as `SELECT *` returns it. An event also has the ID of its workspace. SQLite checks references and types. */
export const rowSchemas = {
  workspaces: v.strictObject({
    seq: Seq,
    id: idOf('workspace'),
    name: Name,
    created_at: Time,
    clock_at: Time,
    clock_wall_at: Time,
    clock_speed: Speed,
    clock_frozen: Flag,
  }),
  api_keys: v.strictObject({
    ...v.pick(v.object(ApiKey.entries), ['id']).entries,
    seq: Seq,
    workspace_seq: v.nullable(Seq),
    hash: Hash,
    last4: v.pipe(v.string(), v.length(4)),
    name: Name,
    scopes: json(ApiKey.entries.scopes),
    created_at: Time,
    revoked_at: v.nullable(Time),
  }),
  webhooks: v.strictObject({
    seq: Seq,
    id: idOf('webhook'),
    workspace_seq: Seq,
    url: Url,
    events: json(v.array(v.union([v.literal(WILDCARD_SUBSCRIPTION), EventType]))),
    secret: Secret,
    previous_secret: v.nullable(Secret),
    previous_secret_expires_at: v.nullable(Time),
    disabled: Flag,
    headers: json(ExtraHeaders),
    skip_verify: Flag,
    listener: Flag,
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
      own_url: v.nullable(Url),
      own_body: v.nullable(json(v.unknown())),
      replay_of_seq: v.nullable(Seq),
      created_at: Time,
      settled_at: v.nullable(Time),
      settled_seq: v.nullable(Seq),
      due_at: v.nullable(Time),
      first_attempt_at: v.nullable(Time),
      on_schedule: Flag,
      scheduled_attempts: RowCount,
      attempt_count: RowCount,
      replays_waiting: RowCount,
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
    resource_id: v.nullable(v.pipe(v.string(), v.check(isId))),
    fault: Fault,
  }),
  api_request_messages: v.strictObject({
    seq: Seq,
    request_headers: HeadersText,
    request_body: Bytes,
    request_size: v.nullable(RowCount),
    request_truncated: Flag,
    response_headers: v.nullable(HeadersText),
    response_body: Text,
    response_size: v.nullable(RowCount),
    response_truncated: Flag,
  }),
  faults: v.strictObject({
    seq: Seq,
    id: idOf('fault'),
    rule: json(NewFault),
    fired: RowCount,
    created_at: Time,
  }),
  idempotency_keys: v.strictObject({
    scope_hash: Hash,
    seq: Seq,
    workspace_seq: Seq,
    body_hash: Hash,
    status: Status,
    body: json(v.unknown()),
    expires_at: Time,
  }),
};

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
