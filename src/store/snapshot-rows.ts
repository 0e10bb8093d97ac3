/** Checks every row of a snapshot, which is untrusted, and replaces the rows of a store by them. */
import type Database from 'better-sqlite3';
import * as v from 'valibot';
import { FaultMark, NewFault } from '../contract/fault-schemas.ts';
import { ExtraHeaders, Headers, Name } from '../contract/fields.ts';
import { attemptPhases } from '../domain/attempt-phases.ts';
import { LAST_TIME } from '../domain/clock.ts';
import { scopes } from '../domain/credentials.ts';
import { attemptOutcomes, attemptTriggers, deliveryStatuses, settledReasons } from '../domain/delivery.ts';
import { extractEventRecord, isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { type IdKind, idPatterns, isId } from '../domain/ids.ts';
import { checkWebhookUrl } from '../domain/webhook-url.ts';
import { monotonic, SLICE_MS, yieldToEventLoop } from '../timers.ts';
import { listColumns, listSequencedTables, listTableNames } from './sql.ts';

/** Far below 2^53, so that a store can continue counting from there. */
const MAX_SEQ = 2 ** 48;
/** Far above any real count, and far below 2^53. */
const MAX_COUNT = 2 ** 31;

/** Creates an SQL condition for a column. A NULL column makes the condition NULL, and the row passes. */
type Condition = (column: string) => string;

const between =
  (from: number, to: number): Condition =>
  (column) =>
    `${column} BETWEEN ${from} AND ${to}`;
const among =
  (values: readonly string[]): Condition =>
  (column) =>
    `${column} IN (${values.map((value) => `'${value}'`).join(', ')})`;
const hasLength =
  (count: number): Condition =>
  (column) =>
    `length(${column}) = ${count}`;

const anyValue: Condition = () => 'TRUE';
const sequence = between(1, MAX_SEQ);
/** For times and durations. */
const time = between(0, LAST_TIME);
const count = between(0, MAX_COUNT);
const flag = between(0, 1);
/** The request log shows 0 for a dropped connection. */
const status = between(0, 999);

/** Conditions that SQL cannot express, by the name of the SQL function `check_…`. */
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
          v.check((type) => type === WILDCARD_SUBSCRIPTION || isEventType(type)),
        ),
      ),
      value,
    ),
  extra_headers: (value) => parsesAs(ExtraHeaders, value),
  headers: (value) => parsesAs(Headers, value),
  fault: (value) => parsesAs(NewFault, value),
  fault_mark: (value) => parsesAs(FaultMark, value),
  phases: (value) =>
    parsesAs(
      v.pipe(v.array(v.nullable(v.pipe(v.number(), v.minValue(0)))), v.length(attemptPhases.length)),
      value,
    ),
  ...idChecks(),
} satisfies Record<string, (value: string) => boolean>;

const passesCheck =
  (name: keyof typeof checks): Condition =>
  (column) =>
    `check_${name}(${column})`;

const forColumns = (condition: Condition, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, condition]));

/** A condition for every column of every table. A test compares the list with the schema. */
export const columnConditions: Readonly<Record<string, Readonly<Record<string, Condition>>>> = {
  settings: forColumns(anyValue, ['key', 'value']),
  workspaces: {
    seq: sequence,
    id: passesCheck('id_workspace'),
    name: passesCheck('name'),
    ...forColumns(time, ['created_at', 'clock_at', 'clock_wall_at']),
    clock_frozen: flag,
    clock_speed: between(0.001, 1_000_000),
  },
  api_keys: {
    ...forColumns(sequence, ['seq', 'workspace_seq']),
    id: passesCheck('id_apiKey'),
    hash: hasLength(32),
    last4: hasLength(4),
    name: passesCheck('name'),
    scopes: passesCheck('scopes'),
    ...forColumns(time, ['created_at', 'revoked_at']),
  },
  webhooks: {
    ...forColumns(sequence, ['seq', 'workspace_seq']),
    id: passesCheck('id_webhook'),
    url: passesCheck('url'),
    events: passesCheck('subscriptions'),
    ...forColumns(passesCheck('secret'), ['secret', 'previous_secret']),
    headers: passesCheck('extra_headers'),
    ...forColumns(flag, ['disabled', 'skip_verify', 'listener', 'forward_target']),
    ...forColumns(time, ['previous_secret_expires_at', 'created_at', 'deleted_at']),
  },
  events: {
    ...forColumns(sequence, ['seq', 'workspace_seq']),
    id: passesCheck('id_event'),
    type: passesCheck('type'),
    created_at: time,
    envelope: (column) =>
      `check_envelope(${column}, id, type, created_at, (SELECT w.id FROM workspaces w WHERE w.seq = workspace_seq))`,
  },
  deliveries: {
    ...forColumns(sequence, ['seq', 'event_seq', 'webhook_seq', 'workspace_seq', 'replay_of_seq']),
    id: passesCheck('id_delivery'),
    own_url: passesCheck('url'),
    own_body: passesCheck('json'),
    status: among(deliveryStatuses),
    settled_reason: among(settledReasons),
    settled_seq: (column) => `${column} BETWEEN seq AND ${MAX_SEQ}`,
    ...forColumns(time, ['created_at', 'settled_at', 'due_at', 'first_attempt_at']),
    on_schedule: flag,
    ...forColumns(count, ['scheduled_attempts', 'attempt_count', 'replays_waiting']),
    fault: passesCheck('fault_mark'),
  },
  attempts: {
    ...forColumns(sequence, ['seq', 'delivery_seq', 'webhook_seq']),
    number: between(1, MAX_COUNT),
    trigger: among(attemptTriggers),
    ...forColumns(time, ['scheduled_at', 'sent_at_wall', 'duration_ms']),
    outcome: among(attemptOutcomes),
    response_status: status,
    ...forColumns(anyValue, ['error', 'response_body']),
    request_url: passesCheck('url'),
    ...forColumns(passesCheck('headers'), ['request_headers', 'response_headers']),
    response_truncated: flag,
    fault: passesCheck('fault_mark'),
    phases: passesCheck('phases'),
  },
  api_requests: {
    ...forColumns(sequence, ['seq', 'api_key_seq', 'workspace_seq']),
    id: passesCheck('id_request'),
    ...forColumns(time, ['at_wall', 'duration_ms']),
    ...forColumns(anyValue, ['method', 'path', 'error_code', 'error_message', 'user_agent']),
    status,
    resource_id: passesCheck('any_id'),
    fault: passesCheck('fault_mark'),
  },
  api_request_messages: {
    seq: sequence,
    ...forColumns(passesCheck('headers'), ['request_headers', 'response_headers']),
    ...forColumns(anyValue, ['request_body', 'response_body']),
    ...forColumns(count, ['request_size', 'response_size']),
    ...forColumns(flag, ['request_truncated', 'response_truncated']),
  },
  faults: {
    seq: sequence,
    id: passesCheck('id_fault'),
    rule: passesCheck('fault'),
    fired: count,
    created_at: time,
  },
  idempotency_keys: {
    ...forColumns(hasLength(32), ['scope_hash', 'body_hash']),
    ...forColumns(sequence, ['seq', 'workspace_seq']),
    status,
    body: passesCheck('json'),
    expires_at: time,
  },
};

/** Describes the first invalid row; null if all rows are valid. SQLite itself checks types and NOT NULL. */
export async function findInvalidRow(db: Database.Database): Promise<string | null> {
  for (const [name, check] of Object.entries(checks)) {
    db.function(`check_${name}`, { deterministic: true }, (value: unknown) => applyCheck(value, check));
  }
  db.function('check_envelope', { deterministic: true, varargs: true }, (...args: unknown[]) =>
    isEnvelope(...(args as Parameters<typeof isEnvelope>)) ? 1 : 0,
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
  const hasSeqKey = listColumns(db, table).some(({ name, pk }) => name === 'seq' && pk > 0);
  const rows = db.prepare<[number], { seq: number; invalid: string | null }>(
    hasSeqKey
      ? `SELECT seq, CASE ${cases.join(' ')} END AS invalid FROM ${table} WHERE seq > ? ORDER BY seq`
      : // Read in one slice: `after` is negative, so the condition holds for every row.
        `SELECT 0 AS seq, CASE ${cases.join(' ')} END AS invalid FROM ${table} WHERE 0 > ?`,
  );
  let after = -Number.MAX_SAFE_INTEGER;
  while (true) {
    const endsAt = monotonic() + SLICE_MS;
    let stoppedAt: number | null = null;
    for (const { seq, invalid } of rows.iterate(after)) {
      if (invalid !== null) return invalid;
      if (hasSeqKey && monotonic() > endsAt) {
        stoppedAt = seq;
        break;
      }
    }
    if (stoppedAt === null) return null;
    after = stoppedAt;
    await yieldToEventLoop();
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

/** Whether the text has the form that `toEnvelope` produces: the event record is cut out of it by position. */
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
        (event) => event.id === id && event.type === type && event.workspace_id === workspaceId,
      )
    );
  } catch {
    return false;
  }
}

/**
 * Replaces all rows of `main` by those of the attached database `snapshot`, except settings. Call inside a transaction
 * with foreign keys off.
 * @param lastSeq the highest sequence in use: loaded rows get higher ones.
 */
export function replaceRows(db: Database.Database, lastSeq: number): void {
  const lowestSeqs = listSequencedTables(db).map((table) =>
    db.prepare<[], number | null>(`SELECT min(seq) FROM snapshot.${table}`).pluck().get(),
  );
  const lowestSeq = Math.min(...lowestSeqs.map((seq) => seq ?? Number.POSITIVE_INFINITY));
  const offset = Number.isFinite(lowestSeq) ? lastSeq + 1 - lowestSeq : 0;
  for (const table of listTableNames(db).filter((name) => name !== 'settings')) {
    const columns = listColumns(db, table).map(({ name }) => name);
    // `seq`, and references such as `event_seq`.
    const values = columns.map((name) => (/(?:^|_)seq$/.test(name) ? `${name} + ${offset}` : name));
    db.exec(
      `DELETE FROM main.${table};
       INSERT INTO main.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM snapshot.${table};`,
    );
  }
}
