/** The tables of the database: their columns, from which the types of rows follow, and their indexes. */
import type Database from 'better-sqlite3';
import { LAST_TIME } from '../domain/clock.ts';
import type { Attempt } from '../resources/attempt.ts';
import type { Delivery } from '../resources/delivery.ts';
import type { endpointSettings } from '../resources/endpoint.ts';
import type { eventSettings } from '../resources/event.ts';
import type { keySettings } from '../resources/key.ts';
import { openSqlite } from './driver.ts';

/** The definition of a column in SQL, after its name. `Value` is the type of its values. */
type Column<Value> = string & { readonly value?: Value };

/** Columns with at least these names. */
type WithColumns<Name extends string> = Readonly<Record<string, Column<unknown>> & Record<Name, unknown>>;

const text = <Value extends string = string>(constraint = ''): Column<Value> => `TEXT NOT NULL ${constraint}`;
const textOrNull = <Value extends string = string>(): Column<Value | null> => 'TEXT';
const integer = (constraint = ''): Column<number> => `INTEGER NOT NULL ${constraint}`;
const integerOrNull = (constraint = ''): Column<number | null> => `INTEGER ${constraint}`;
const real = (constraint = ''): Column<number> => `REAL NOT NULL ${constraint}`;
const blob = (constraint = ''): Column<Buffer> => `BLOB NOT NULL ${constraint}`;
const blobOrNull = (): Column<Buffer | null> => 'BLOB';
const flag = (byDefault: 0 | 1 = 0): Column<0 | 1> => `INTEGER NOT NULL DEFAULT ${byDefault}`;

/** Far above any real sequence, and far below 2^53, so that a store can continue counting from a loaded one. */
const MAX_SEQ = 2 ** 48;

/**
 * Every record has a `seq` from one counter for the whole store, so `seq` orders changes across tables. The live stream reads
 * them in this order. A delivery that settles without an attempt takes one more, `settled_seq`.
 */
const seq = (): Column<number> => `INTEGER PRIMARY KEY CHECK (seq < ${MAX_SEQ})`;
const id = () => text('UNIQUE');
const workspaceSeq = () => integer('REFERENCES workspaces');

/**
 * Times are milliseconds since 1970: wall time if the name contains `wall`, and for keys and faults; otherwise schedule time.
 * A `fault` is the `AppliedFault` that was injected, and a `finding` a `ProbeFinding`, as JSON.
 *
 * The conditions of columns whose invalid values would break more than their row are also checked when a snapshot is loaded.
 */
export const tables = {
  /** Settings of the database itself, such as its environment and its ID. */
  settings: {
    key: text('PRIMARY KEY'),
    value: text(),
  },
  workspaces: {
    seq: seq(),
    id: id(),
    name: text(),
    created_at: integer(),
    /** This and the following columns are the state of the clock, see `ScheduleClockState`. */
    clock_at: integer(`CHECK (clock_at BETWEEN 0 AND ${LAST_TIME})`),
    clock_wall_at: integer(`CHECK (clock_wall_at BETWEEN 0 AND ${LAST_TIME})`),
    clock_speed: real('CHECK (clock_speed > 0)'),
    clock_frozen: flag(),
  },
  api_keys: {
    seq: seq(),
    id: id(),
    workspace_seq: integerOrNull('REFERENCES workspaces'),
    /** SHA-256 digest of the key, which is not stored itself. */
    hash: blob('UNIQUE'),
    last4: text(),
    name: text(),
    scopes: text(),
    created_at: integer(),
    revoked_at: integerOrNull(),
  } satisfies WithColumns<keyof typeof keySettings>,
  webhooks: {
    seq: seq(),
    id: id(),
    workspace_seq: workspaceSeq(),
    url: text(),
    events: text('CHECK (json_valid(events))'),
    secret: text(),
    previous_secret: textOrNull(),
    /** Until when the previous secret signs too. */
    previous_secret_expires_at: integerOrNull(),
    disabled: flag(),
    headers: text(`DEFAULT '{}' CHECK (json_valid(headers))`),
    skip_verify: flag(),
    /** Whether it exists only while a `svc listen` uses it, see `emulator/service/listener-endpoint-cleanup.ts`. */
    listener: flag(),
    /** Whether `--forward-to` created it. */
    forward_target: flag(),
    finding: textOrNull(),
    created_at: integer(),
    deleted_at: integerOrNull(),
  } satisfies WithColumns<keyof typeof endpointSettings>,
  events: {
    seq: seq(),
    id: id(),
    workspace_seq: workspaceSeq(),
    type: text(),
    created_at: integer(),
    stored_at_wall: integer(),
    /** JSON text as it was sent. */
    payload: text(),
  } satisfies WithColumns<keyof typeof eventSettings>,
  deliveries: {
    seq: seq(),
    id: id(),
    event_seq: integer('REFERENCES events'),
    webhook_seq: integer('REFERENCES webhooks'),
    workspace_seq: workspaceSeq(),
    /** URL that replaces that of the endpoint, and body that replaces the envelope of the event; null for the same. */
    own_url: textOrNull(),
    own_body: textOrNull(),
    replay_of_seq: integerOrNull('REFERENCES deliveries'),
    created_at: integer(),
    status: text<Delivery['status']>(`CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled'))`),
    settled_reason: textOrNull<NonNullable<Delivery['settled_reason']>>(),
    settled_at: integerOrNull(),
    settled_seq: integerOrNull(`CHECK (settled_seq < ${MAX_SEQ})`),
    due_at: integerOrNull(),
    first_attempt_at: integerOrNull(),
    /** 1 while the retry schedule makes attempts, 0 when only replays do. */
    on_schedule: flag(1),
    /** Number of attempts on the retry schedule, with replays that replaced a retry. */
    scheduled_attempts: integer('DEFAULT 0'),
    attempt_count: integer('DEFAULT 0'),
    /** Number of requested replays that were not sent yet. */
    replays_waiting: integer('DEFAULT 0'),
    /** Of the fault that postponed the delivery. */
    fault: textOrNull(),
  },
  attempts: {
    seq: seq(),
    delivery_seq: integer('REFERENCES deliveries'),
    webhook_seq: integer('REFERENCES webhooks'),
    number: integer(),
    trigger: text<Attempt['trigger']>(),
    scheduled_at: integer(),
    sent_at_wall: integer(),
    duration_ms: real(),
    outcome: text<Attempt['outcome']>(),
    response_status: integerOrNull(),
    error: textOrNull(),
    request_url: text(),
    /** JSON, like `response_headers`. */
    request_headers: text(),
    response_headers: textOrNull(),
    response_body: blobOrNull(),
    response_truncated: flag(),
    /** Result of `encodePhases`; null if nothing was sent. */
    phases: textOrNull(),
    fault: textOrNull(),
  },
  api_requests: {
    seq: seq(),
    id: text(),
    at_wall: integer(),
    method: text(),
    path: text(),
    /** 0 for a dropped connection. */
    status: integer(),
    error_code: textOrNull(),
    error_message: textOrNull(),
    duration_ms: real(),
    user_agent: textOrNull(),
    api_key_seq: integerOrNull('REFERENCES api_keys'),
    workspace_seq: integerOrNull('REFERENCES workspaces'),
    /** Of the resource that the request created, read, changed, deleted or did not find; null for a list. */
    resource_id: textOrNull(),
    fault: textOrNull(),
    /** Last, so that a filter of the log does not read them. The columns of a body that was not read are null. */
    request_headers: text(),
    request_body: blobOrNull(),
    /** Bytes of the whole body. */
    request_size: integerOrNull(),
    /** Whether a part of the path or of the body is missing. */
    request_truncated: flag(),
    response_headers: textOrNull(),
    response_body: textOrNull(),
    response_size: integerOrNull(),
    response_truncated: flag(),
  },
  faults: {
    seq: seq(),
    id: id(),
    /** `FaultRule` as JSON. */
    rule: text(),
    applied_count: integer('DEFAULT 0'),
    created_at: integer(),
  },
  idempotency_keys: {
    /** SHA-256 digest of the scope of the key, see `emulator/service/idempotency.ts`. */
    scope_hash: blob('PRIMARY KEY'),
    /** Sequence of the newest row that the request wrote. */
    seq: integer(),
    workspace_seq: workspaceSeq(),
    body_hash: blob(),
    /** Status and body of the response. */
    status: integer(),
    body: text(),
    expires_at: integer(),
  },
} satisfies Record<string, WithColumns<never>>;

export type TableName = keyof typeof tables;

type ValueOf<Definition> = Definition extends Column<infer Value> ? Value : never;

/** A row of a table as `SELECT *` returns it. */
export type Row<Table extends TableName> = {
  readonly [Name in keyof (typeof tables)[Table]]: ValueOf<(typeof tables)[Table][Name]>;
};

/**
 * `deliveries_attempted` and `deliveries_canceled` are for the overview, and `attempts_scheduled` is for the schedule. The last one contains
 * all columns that it needs.
 */
const INDEXES = `
CREATE INDEX webhooks_by_workspace ON webhooks (workspace_seq) WHERE deleted_at IS NULL;
CREATE INDEX events_by_workspace ON events (workspace_seq);
CREATE INDEX events_by_type ON events (workspace_seq, type);
CREATE INDEX deliveries_due ON deliveries (webhook_seq, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_event ON deliveries (event_seq);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_seq);
CREATE INDEX deliveries_by_workspace ON deliveries (workspace_seq);
CREATE INDEX deliveries_failed ON deliveries (workspace_seq) WHERE status = 'failed';
CREATE INDEX deliveries_attempted ON deliveries (workspace_seq) WHERE status = 'pending' AND attempt_count > 0;
CREATE INDEX deliveries_canceled ON deliveries (workspace_seq) WHERE status = 'canceled';
CREATE INDEX deliveries_by_original ON deliveries (replay_of_seq) WHERE replay_of_seq IS NOT NULL;
CREATE INDEX deliveries_settled_apart ON deliveries (settled_seq) WHERE settled_seq IS NOT NULL;
CREATE UNIQUE INDEX attempts_by_delivery ON attempts (delivery_seq, number);
CREATE INDEX attempts_by_webhook ON attempts (webhook_seq);
CREATE INDEX attempts_scheduled ON attempts (webhook_seq, scheduled_at, delivery_seq, outcome);
CREATE INDEX api_requests_by_resource ON api_requests (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (workspace_seq, expires_at);
`;

function createTable([name, columns]: [string, Record<string, string>]): string {
  const definitions = Object.entries(columns).map(([column, definition]) => `${column} ${definition}`);
  // A key that is not a number would have a second index.
  const hasRowId = definitions[0]?.includes('INTEGER PRIMARY KEY');
  return `CREATE TABLE ${name} (${definitions.join(', ')}) STRICT${hasRowId ? '' : ', WITHOUT ROWID'};`;
}

export function createSchema(db: Database.Database): void {
  db.exec(Object.entries(tables).map(createTable).join('\n') + INDEXES);
}

/** Whether a database has exactly our tables and indexes, and no view or trigger. Only reads, so no trigger can run before. */
export function hasExactSchema(db: Database.Database, name = 'main'): boolean {
  const reference = openSqlite(':memory:');
  try {
    createSchema(reference);
    return readSchema(db, name) === readSchema(reference, 'main');
  } finally {
    reference.close();
  }
}

function readSchema(db: Database.Database, name: string): string {
  const text = `SELECT type, name, tbl_name, sql FROM ${name}.sqlite_schema ORDER BY type, name`;
  return JSON.stringify(db.prepare(text).raw().all());
}
