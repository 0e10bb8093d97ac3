/** Checks every row of a snapshot, which is untrusted: anyone may have written it. */
import type Database from 'better-sqlite3';
import * as v from 'valibot';
import { FaultMark, NewFault } from '../contract/fault-schemas.ts';
import { ExtraHeaders, Headers, Name } from '../contract/fields.ts';
import { LAST_TIME } from '../domain/clock.ts';
import { attemptOutcomes, attemptTriggers, deliveryStatuses, settledReasons } from '../domain/delivery.ts';
import { scopes } from '../domain/environment.ts';
import { extractEventRecord, isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { type IdKind, idPatterns, isId } from '../domain/ids.ts';
import { checkWebhookUrl } from '../domain/webhook-url.ts';
import { monotonic, setImmediate } from '../timers.ts';
import { listColumns } from './schema.ts';

/** Far below 2^53, so that a store can continue counting from there. */
const LAST_SEQ = 2 ** 48;
const LAST_COUNT = 2 ** 31;

/** Makes an SQL condition for a column. The row passes if the condition is NULL, as it is for a NULL column. */
type Condition = (column: string) => string;

const between =
  (from: number, to: number): Condition =>
  (column) =>
    `${column} BETWEEN ${from} AND ${to}`;
const among =
  (values: readonly string[]): Condition =>
  (column) =>
    `${column} IN (${values.map((value) => `'${value}'`).join(', ')})`;
const bytes =
  (count: number): Condition =>
  (column) =>
    `length(${column}) = ${count}`;

const anyValue: Condition = () => 'TRUE';
const sequence = between(1, LAST_SEQ);
const time = between(0, LAST_TIME);
const count = between(0, LAST_COUNT);
const flag = between(0, 1);
const duration = between(0, LAST_TIME);
const status = between(0, 999);

/** Conditions that SQL cannot express, by name. */
const checks = {
  name: (value) => v.is(Name, value),
  any_id: (value) => isId(value),
  type: (value) => isEventType(value),
  url: (value) => checkWebhookUrl(value, 'local').ok,
  secret: (value) => /^[\x21-\x7e]{1,200}$/.test(value),
  json: (value) => parsesAs(v.unknown(), value),
  scopes: (value) => parsesAs(v.array(v.picklist(scopes)), value),
  subscriptions: (value) =>
    parsesAs(
      v.array(
        v.pipe(
          v.string(),
          v.check((each) => each === WILDCARD_SUBSCRIPTION || isEventType(each)),
        ),
      ),
      value,
    ),
  extra_headers: (value) => parsesAs(ExtraHeaders, value),
  headers: (value) => parsesAs(Headers, value),
  fault: (value) => parsesAs(NewFault, value),
  fault_mark: (value) => parsesAs(FaultMark, value),
  ...idChecks(),
} satisfies Record<string, (value: string) => boolean>;

const passes =
  (name: keyof typeof checks): Condition =>
  (column) =>
    `check_${name}(${column})`;

/** A condition for every column of every table. A test compares the list with the schema. */
export const columnConditions: Readonly<Record<string, Readonly<Record<string, Condition>>>> = {
  settings: { key: anyValue, value: anyValue },
  workspaces: {
    seq: sequence,
    id: passes('id_workspace'),
    name: passes('name'),
    created_at: time,
    clock_at: time,
    clock_wall_at: time,
    clock_frozen: flag,
    clock_speed: between(0.001, 1_000_000),
  },
  api_keys: {
    seq: sequence,
    id: passes('id_apiKey'),
    workspace_seq: sequence,
    hash: bytes(32),
    last4: bytes(4),
    scopes: passes('scopes'),
    created_at: time,
    revoked_at: time,
  },
  webhooks: {
    seq: sequence,
    id: passes('id_webhook'),
    workspace_seq: sequence,
    url: passes('url'),
    events: passes('subscriptions'),
    secret: passes('secret'),
    previous_secret: passes('secret'),
    previous_secret_expires_at: time,
    disabled: flag,
    headers: passes('extra_headers'),
    skip_verify: flag,
    listener: flag,
    created_at: time,
    deleted_at: time,
  },
  events: {
    seq: sequence,
    id: passes('id_event'),
    workspace_seq: sequence,
    type: passes('type'),
    created_at: time,
    envelope: (column) =>
      `check_envelope(${column}, id, type, created_at, (SELECT w.id FROM workspaces w WHERE w.seq = workspace_seq))`,
  },
  deliveries: {
    seq: sequence,
    id: passes('id_delivery'),
    event_seq: sequence,
    webhook_seq: sequence,
    workspace_seq: sequence,
    own_url: passes('url'),
    own_body: passes('json'),
    replay_of_seq: sequence,
    created_at: time,
    status: among(deliveryStatuses),
    settled_reason: among(settledReasons),
    settled_at: time,
    settled_seq: (column) => `${column} BETWEEN seq AND ${LAST_SEQ}`,
    due_at: time,
    first_attempt_at: time,
    on_schedule: flag,
    scheduled_attempts: count,
    attempt_count: count,
    replays_waiting: count,
    fault: passes('fault_mark'),
  },
  attempts: {
    seq: sequence,
    delivery_seq: sequence,
    webhook_seq: sequence,
    number: between(1, LAST_COUNT),
    trigger: among(attemptTriggers),
    scheduled_at: time,
    sent_at_wall: time,
    duration_ms: duration,
    outcome: among(attemptOutcomes),
    response_status: status,
    error: anyValue,
    request_url: passes('url'),
    request_headers: passes('headers'),
    response_headers: passes('headers'),
    response_body: anyValue,
    response_truncated: flag,
    fault: passes('fault_mark'),
  },
  api_requests: {
    seq: sequence,
    id: passes('id_request'),
    at_wall: time,
    method: anyValue,
    path: anyValue,
    status,
    error_code: anyValue,
    duration_ms: duration,
    api_key_seq: sequence,
    workspace_seq: sequence,
    resource_id: passes('any_id'),
    fault: passes('fault_mark'),
  },
  faults: {
    seq: sequence,
    id: passes('id_fault'),
    rule: passes('fault'),
    fired: count,
    created_at: time,
  },
  idempotency_keys: {
    scope_hash: bytes(32),
    seq: sequence,
    workspace_seq: sequence,
    body_hash: bytes(32),
    status,
    body: passes('json'),
    expires_at: time,
  },
};

/** Milliseconds of work before other tasks of the event loop run. */
const SLICE_MS = 8;

/** Describes the first invalid row; null if all rows are valid. SQLite itself checks types and NOT NULL. */
export async function findInvalidRow(db: Database.Database): Promise<string | null> {
  for (const [name, check] of Object.entries(checks)) {
    db.function(`check_${name}`, { deterministic: true }, (value: unknown) => applyCheck(value, check));
  }
  db.function('check_envelope', { deterministic: true, varargs: true }, (...facts: unknown[]) =>
    isEnvelope(...(facts as Parameters<typeof isEnvelope>)) ? 1 : 0,
  );
  for (const [table, columns] of Object.entries(columnConditions)) {
    const column = await findInvalidColumn(db, table, columns);
    if (column !== null) return `a row of ${table} has an invalid ${column}`;
  }
  return null;
}

async function findInvalidColumn(
  db: Database.Database,
  table: string,
  columns: Readonly<Record<string, Condition>>,
): Promise<string | null> {
  const cases = Object.entries(columns).map(
    ([column, condition]) => `WHEN NOT (${condition(column)}) THEN '${column}'`,
  );
  const isKeyed = listColumns(db, table).some(({ name, pk }) => name === 'seq' && pk > 0);
  const rows = db.prepare<[number], { seq: number; invalid: string | null }>(
    `SELECT ${isKeyed ? 'seq' : '0 AS seq'}, CASE ${cases.join(' ')} END AS invalid FROM ${table}
     WHERE ? < ${isKeyed ? 'seq ORDER BY seq' : '0'}`,
  );
  for (let after = -Number.MAX_SAFE_INTEGER; ; ) {
    const endsAt = monotonic() + SLICE_MS;
    let stoppedAt: number | null = null;
    for (const { seq, invalid } of rows.iterate(after)) {
      if (invalid !== null) return invalid;
      if (isKeyed && monotonic() > endsAt) {
        stoppedAt = seq;
        break;
      }
    }
    if (stoppedAt === null) return null;
    after = stoppedAt;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function applyCheck(value: unknown, check: (value: string) => boolean): 0 | 1 | null {
  if (value === null) return null;
  return typeof value === 'string' && check(value) ? 1 : 0;
}

function parsesAs(schema: v.GenericSchema, text: string): boolean {
  try {
    return v.is(schema, JSON.parse(text));
  } catch {
    return false;
  }
}

function idChecks() {
  const kinds = Object.keys(idPatterns) as IdKind[];
  return Object.fromEntries(
    kinds.map((kind) => [`id_${kind}`, (value: string) => idPatterns[kind].test(value)]),
  ) as Record<`id_${IdKind}`, (value: string) => boolean>;
}

/** Whether the text is what `toEnvelope` produces, because the event record is cut out of it by position. */
function isEnvelope(
  envelope: string,
  id: string,
  type: string,
  createdAt: number,
  workspaceId: string,
): boolean {
  try {
    const record = JSON.parse(extractEventRecord(envelope, { type, workspaceId, createdAt }));
    const { data, ...rest } = JSON.parse(envelope);
    const created_at = new Date(createdAt).toISOString();
    return (
      JSON.stringify(rest) === JSON.stringify({ type, workspace_id: workspaceId, created_at }) &&
      [data, record].every(
        (each) => each.id === id && each.type === type && each.workspace_id === workspaceId,
      )
    );
  } catch {
    return false;
  }
}
