/** Queries for events with their delivery counts and the request that created them. */
import type Database from 'better-sqlite3';
import type { EventSummary } from '../contract/event-schemas.ts';
import type { PageRequest, RowPage } from './row-page.ts';
import { pickConditions, Scan, toMatchColumn } from './scan.ts';

interface EventSummaryRow {
  readonly seq: number;
  readonly id: string;
  readonly workspace_id: string;
  readonly type: string;
  readonly created_at: number;
  readonly request_id: string | null;
  readonly pending: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
}

export interface EventFilter {
  readonly workspaceSeq: number | null;
  readonly type: string | null;
  /** Range of `created_at` in schedule time: from `since` up to and excluding `until`. */
  readonly since: number | null;
  readonly until: number | null;
  /** Text in the id, the type or the payload, in lower case. */
  readonly text: string | null;
}

/** The request that created the event `e`: the first one; later ones are idempotent repeats. */
const REQUEST_ID = `(SELECT r.id FROM api_requests r WHERE r.resource_id = e.id AND r.method = 'POST' ORDER BY r.seq LIMIT 1)`;

export class EventQueries {
  readonly #summary: Database.Statement<[number], EventSummaryRow>;
  readonly #requestId: Database.Statement<[number], string | null>;
  readonly #scan: Scan<EventSummaryRow>;

  constructor(db: Database.Database) {
    this.#summary = db.prepare(
      `SELECT e.seq, e.id, e.type, e.created_at, w.id AS workspace_id, ${REQUEST_ID} AS request_id,
         count(*) FILTER (WHERE d.status = 'pending') AS pending,
         count(*) FILTER (WHERE d.status = 'succeeded') AS succeeded,
         count(*) FILTER (WHERE d.status = 'failed') AS failed,
         count(*) FILTER (WHERE d.status = 'canceled') AS canceled
       FROM events e JOIN workspaces w ON w.seq = e.workspace_seq LEFT JOIN deliveries d ON d.event_seq = e.seq
       WHERE e.seq = ?`,
    );
    this.#requestId = db
      .prepare<[number], string | null>(`SELECT ${REQUEST_ID} FROM events e WHERE e.seq = ?`)
      .pluck();
    this.#scan = new Scan(db, (seq) => this.#summary.get(seq));
  }

  /** A page of the events that match, newest first. */
  list(filter: EventFilter, page: PageRequest): Promise<RowPage<EventSummaryRow>> {
    return this.#scan.findPage(toCandidateQuery(filter), { ...filter }, page);
  }

  /** The `/v1` request that created an event; null without one, or after it was removed from the log. */
  findRequestId(seq: number): string | null {
    return this.#requestId.get(seq) ?? null;
  }
}

/** Conditions without an index, checked on each row, the cheapest first. */
const ROW_CONDITIONS = {
  since: 'e.created_at >= @since',
  until: 'e.created_at < @until',
  type: 'e.type = @type',
  text: '(has_text(e.id, @text) OR has_text(e.envelope, @text))',
} as const satisfies Partial<Record<keyof EventFilter, string>>;

function toCandidateQuery(filter: EventFilter): string {
  const indexed = filter.workspaceSeq === null ? '' : 'AND e.workspace_seq = @workspaceSeq';
  const matches = toMatchColumn(pickConditions<EventFilter>(ROW_CONDITIONS, filter));
  return `SELECT e.seq, ${matches} FROM events e WHERE e.seq < @before ${indexed} ORDER BY e.seq DESC`;
}

export function toEventSummary(row: EventSummaryRow): EventSummary {
  const { id, workspace_id, type, created_at, request_id, pending, succeeded, failed, canceled } = row;
  return {
    id,
    workspace_id,
    type,
    created_at: new Date(created_at).toISOString(),
    request_id,
    delivery_counts: { pending, succeeded, failed, canceled },
  };
}
