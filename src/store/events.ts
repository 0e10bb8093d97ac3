/** The table of events. */
import type Database from 'better-sqlite3';
import type { EventSummary } from '../contract/resources.ts';
import { extractEventRecord } from '../domain/event.ts';
import { type PageRequest, pickConditions, type RowPage, readPage, Scan, toMatchColumn } from './row-page.ts';

export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly workspace_seq: number;
  readonly type: string;
  readonly created_at: number;
  /** JSON text of the envelope that every delivery sends. It contains the event record. */
  readonly envelope: string;
}

type EventWithWorkspace = EventRow & { readonly workspace_id: string };

/** An event with its delivery counts and the request that created it. */
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

const SELECT_WITH_WORKSPACE =
  'SELECT e.*, w.id AS workspace_id FROM events e JOIN workspaces w ON w.seq = e.workspace_seq';
const PAGE = 'AND e.seq < ? ORDER BY e.seq DESC LIMIT ?';

/** The request that created the event `e`: the first one; later ones are idempotent repeats. */
const REQUEST_ID = `(SELECT r.id FROM api_requests r WHERE r.resource_id = e.id AND r.method = 'POST' ORDER BY r.seq LIMIT 1)`;

function prepareStatements(db: Database.Database) {
  return {
    insert: db.prepare<[number, string, number, string, number, string]>(
      'INSERT INTO events (seq, id, workspace_seq, type, created_at, envelope) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    find: db.prepare<[string], EventWithWorkspace>(`${SELECT_WITH_WORKSPACE} WHERE e.id = ?`),
    list: db.prepare<[number, number, number], EventWithWorkspace>(
      `${SELECT_WITH_WORKSPACE} WHERE e.workspace_seq = ? ${PAGE}`,
    ),
    listByType: db.prepare<[number, string, number, number], EventWithWorkspace>(
      `${SELECT_WITH_WORKSPACE} WHERE e.workspace_seq = ? AND e.type = ? ${PAGE}`,
    ),
    findNewestId: db
      .prepare<[number], string>('SELECT id FROM events WHERE workspace_seq = ? ORDER BY seq DESC LIMIT 1')
      .pluck(),
    findSummary: db.prepare<[number], EventSummaryRow>(
      `SELECT e.seq, e.id, e.type, e.created_at, w.id AS workspace_id, ${REQUEST_ID} AS request_id,
         count(*) FILTER (WHERE d.status = 'pending') AS pending,
         count(*) FILTER (WHERE d.status = 'succeeded') AS succeeded,
         count(*) FILTER (WHERE d.status = 'failed') AS failed,
         count(*) FILTER (WHERE d.status = 'canceled') AS canceled
       FROM events e JOIN workspaces w ON w.seq = e.workspace_seq LEFT JOIN deliveries d ON d.event_seq = e.seq
       WHERE e.seq = ?`,
    ),
    findRequestId: db
      .prepare<[number], string | null>(`SELECT ${REQUEST_ID} FROM events e WHERE e.seq = ?`)
      .pluck(),
  };
}

export class EventTable {
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #scan: Scan<EventSummaryRow>;

  constructor(db: Database.Database) {
    this.#statements = prepareStatements(db);
    this.#scan = new Scan(db, (seq) => this.#statements.findSummary.get(seq));
  }

  insert({ seq, id, workspace_seq, type, created_at, envelope }: EventRow): void {
    this.#statements.insert.run(seq, id, workspace_seq, type, created_at, envelope);
  }

  find(id: string): EventWithWorkspace | undefined {
    return this.#statements.find.get(id);
  }

  findNewestId(workspaceSeq: number): string | undefined {
    return this.#statements.findNewestId.get(workspaceSeq);
  }

  /** Events of a workspace, newest first, optionally of one type (decisions `list.order`, `list.filter`). */
  list(workspaceSeq: number, type: string | null, page: PageRequest): RowPage<EventWithWorkspace> {
    const { list, listByType } = this.#statements;
    return readPage(page, (before, limit) =>
      type === null
        ? list.all(workspaceSeq, before, limit)
        : listByType.all(workspaceSeq, type, before, limit),
    );
  }

  /** A page of the events that match, newest first. */
  listSummaries(filter: EventFilter, page: PageRequest): Promise<RowPage<EventSummaryRow>> {
    return this.#scan.findPage(toCandidateQuery(filter), { ...filter }, page);
  }

  /** The `/v1` request that created an event; null without one, or after it was removed from the log. */
  findRequestId(seq: number): string | null {
    return this.#statements.findRequestId.get(seq) ?? null;
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

/** The event record as JSON text: a slice of the stored envelope. */
export function toEventRecordText(row: EventWithWorkspace): string {
  return extractEventRecord(row.envelope, {
    type: row.type,
    workspaceId: row.workspace_id,
    createdAt: row.created_at,
  });
}
