/** The schema of the database, and the table of settings about the database itself. */
import type Database from 'better-sqlite3';
import { LAST_TIME } from '../domain/clock.ts';
import { openSqlite } from './driver.ts';
import { Table } from './sql.ts';

/**
 * Every record has a `seq` from one counter for the whole store, so `seq` orders changes across tables. The live stream reads
 * them in this order. A delivery that settles without an attempt takes one more, `settled_seq`. `idempotency_keys.seq` is that
 * of the newest row of the request.
 *
 * Times are milliseconds since 1970: wall time if the name contains `wall`, and for keys and faults; otherwise schedule time.
 *
 * `attempts.phases` is the result of `encodePhases`. The indexes `deliveries_attempted`, `deliveries_canceled` and those of attempts
 * by time are for the overview. The indexes by time contain all columns that it needs, and most new rows are added at their ends.
 * The headers and bodies of API requests are in a separate table, so that a filter of the log does not read them.
 *
 * The conditions of columns whose invalid values would break more than their row are also checked when a snapshot is loaded.
 */
const SCHEMA = `
CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workspaces (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  clock_at INTEGER NOT NULL CHECK (clock_at BETWEEN 0 AND ${LAST_TIME}),
  clock_wall_at INTEGER NOT NULL CHECK (clock_wall_at BETWEEN 0 AND ${LAST_TIME}),
  clock_speed REAL NOT NULL CHECK (clock_speed > 0),
  clock_frozen INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_seq INTEGER REFERENCES workspaces,
  hash BLOB NOT NULL UNIQUE,
  last4 TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;

CREATE TABLE webhooks (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_seq INTEGER NOT NULL REFERENCES workspaces,
  url TEXT NOT NULL,
  events TEXT NOT NULL CHECK (json_valid(events)),
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_secret_expires_at INTEGER,
  disabled INTEGER NOT NULL DEFAULT 0,
  headers TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(headers)),
  skip_verify INTEGER NOT NULL DEFAULT 0,
  listener INTEGER NOT NULL DEFAULT 0,
  forward_target INTEGER NOT NULL DEFAULT 0,
  finding TEXT,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX webhooks_by_workspace ON webhooks (workspace_seq) WHERE deleted_at IS NULL;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_seq INTEGER NOT NULL REFERENCES workspaces,
  type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  stored_at_wall INTEGER NOT NULL,
  envelope TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_workspace ON events (workspace_seq);
CREATE INDEX events_by_type ON events (workspace_seq, type);

CREATE TABLE deliveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  event_seq INTEGER NOT NULL REFERENCES events,
  webhook_seq INTEGER NOT NULL REFERENCES webhooks,
  workspace_seq INTEGER NOT NULL REFERENCES workspaces,
  own_url TEXT,
  own_body TEXT,
  replay_of_seq INTEGER REFERENCES deliveries,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
  settled_reason TEXT,
  settled_at INTEGER,
  settled_seq INTEGER,
  due_at INTEGER,
  first_attempt_at INTEGER,
  on_schedule INTEGER NOT NULL DEFAULT 1,
  scheduled_attempts INTEGER NOT NULL DEFAULT 0,
  attempt_count INTEGER NOT NULL DEFAULT 0,
  replays_waiting INTEGER NOT NULL DEFAULT 0,
  fault TEXT
) STRICT;
CREATE INDEX deliveries_due ON deliveries (webhook_seq, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_event ON deliveries (event_seq);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_seq);
CREATE INDEX deliveries_by_workspace ON deliveries (workspace_seq);
CREATE INDEX deliveries_failed ON deliveries (workspace_seq) WHERE status = 'failed';
CREATE INDEX deliveries_attempted ON deliveries (workspace_seq) WHERE status = 'pending' AND attempt_count > 0;
CREATE INDEX deliveries_canceled ON deliveries (workspace_seq) WHERE status = 'canceled';
CREATE INDEX deliveries_by_original ON deliveries (replay_of_seq) WHERE replay_of_seq IS NOT NULL;
CREATE INDEX deliveries_settled_apart ON deliveries (settled_seq) WHERE settled_seq IS NOT NULL;

CREATE TABLE attempts (
  seq INTEGER PRIMARY KEY,
  delivery_seq INTEGER NOT NULL REFERENCES deliveries,
  webhook_seq INTEGER NOT NULL REFERENCES webhooks,
  number INTEGER NOT NULL,
  trigger TEXT NOT NULL,
  scheduled_at INTEGER NOT NULL,
  sent_at_wall INTEGER NOT NULL,
  duration_ms REAL NOT NULL,
  outcome TEXT NOT NULL,
  response_status INTEGER,
  error TEXT,
  request_url TEXT NOT NULL,
  request_headers TEXT NOT NULL,
  response_headers TEXT,
  response_body BLOB,
  response_truncated INTEGER NOT NULL DEFAULT 0,
  phases TEXT,
  fault TEXT
) STRICT;
CREATE UNIQUE INDEX attempts_by_delivery ON attempts (delivery_seq, number);
CREATE INDEX attempts_by_webhook ON attempts (webhook_seq);
CREATE INDEX attempts_by_sent_at ON attempts (sent_at_wall, webhook_seq, outcome, number);

CREATE TABLE api_requests (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  at_wall INTEGER NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  error_code TEXT,
  error_message TEXT,
  duration_ms REAL NOT NULL,
  user_agent TEXT,
  api_key_seq INTEGER REFERENCES api_keys,
  workspace_seq INTEGER REFERENCES workspaces,
  resource_id TEXT,
  fault TEXT
) STRICT;
CREATE INDEX api_requests_without_key ON api_requests (seq) WHERE api_key_seq IS NULL;
CREATE INDEX api_requests_by_resource ON api_requests (resource_id) WHERE resource_id IS NOT NULL;

CREATE TABLE api_request_messages (
  seq INTEGER PRIMARY KEY REFERENCES api_requests,
  request_headers TEXT NOT NULL,
  request_body BLOB,
  request_size INTEGER,
  request_truncated INTEGER NOT NULL,
  response_headers TEXT,
  response_body TEXT,
  response_size INTEGER,
  response_truncated INTEGER NOT NULL
) STRICT;

CREATE TABLE faults (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  rule TEXT NOT NULL,
  applied_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE idempotency_keys (
  scope_hash BLOB PRIMARY KEY,
  seq INTEGER NOT NULL,
  workspace_seq INTEGER NOT NULL REFERENCES workspaces,
  body_hash BLOB NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (workspace_seq, expires_at);
`;

export function createSchema(db: Database.Database): void {
  db.exec(SCHEMA);
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

/** Key-value settings of the database itself, such as its environment and its ID. */
export class SettingTable extends Table {
  find(key: string): string | undefined {
    return this.sql.value('SELECT value FROM settings WHERE key = ?', [key]);
  }

  set(key: string, value: string): void {
    this.sql.run('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)', [key, value]);
  }
}
