/** The table of events. */
import * as v from 'valibot';
import { statusCounts } from '../contract/delivery-schemas.ts';
import type { EventCondition } from '../contract/list-filters.ts';
import { EventSummary } from '../contract/resources.ts';
import { extractEventRecord } from '../domain/event.ts';
import { createRowReader } from './columns.ts';
import { FAILING } from './delivery-queries.ts';
import {
  type FilteredTable,
  hasText,
  listMatches,
  type PageRequest,
  type RowPage,
  readPage,
} from './row-page.ts';
import type { Row } from './rows.ts';
import { Table } from './sql.ts';

export type EventRow = Row<'events'>;

type DeliveryCounts = Readonly<EventSummary['delivery_counts']>;
type EventWithWorkspace = EventRow & { readonly workspace_id: string };

/** An event with its delivery counts and the request that created it. */
interface EventSummaryRow
  extends Pick<EventWithWorkspace, 'seq' | 'id' | 'workspace_id' | 'type' | 'created_at'>,
    DeliveryCounts {
  readonly request_id: string | null;
}

const SELECT_WITH_WORKSPACE =
  'SELECT e.*, w.id AS workspace_id FROM events e JOIN workspaces w ON w.seq = e.workspace_seq';

/** The request that created the event `e`: the first one; later ones are idempotent repeats. */
const REQUEST_ID = `(SELECT r.id FROM api_requests r WHERE r.resource_id = e.id AND r.method = 'POST' ORDER BY r.seq LIMIT 1)`;

const FILTERED_TABLE: FilteredTable<EventCondition> = {
  from: 'events e',
  seq: 'e.seq',
  conditions: {
    workspace_id: 'e.workspace_seq = (SELECT seq FROM workspaces WHERE id = @workspace_id)',
    since: 'e.created_at >= @since',
    until: 'e.created_at < @until',
    type: 'e.type = @type',
    text: `${hasText('e.id')} OR ${hasText('e.envelope')}`,
  },
};

export class EventTable extends Table {
  findSummary(seq: number): EventSummaryRow | undefined {
    return this.sql.get(
      `SELECT e.seq, e.id, e.type, e.created_at, w.id AS workspace_id, ${REQUEST_ID} AS request_id,
         count(*) FILTER (WHERE d.status = 'pending') AS pending,
         count(*) FILTER (WHERE ${FAILING}) AS failing,
         count(*) FILTER (WHERE d.status = 'pending' AND h.disabled = 1) AS paused,
         count(*) FILTER (WHERE d.status = 'succeeded') AS succeeded,
         count(*) FILTER (WHERE d.status = 'failed') AS failed,
         count(*) FILTER (WHERE d.status = 'canceled') AS canceled
       FROM events e JOIN workspaces w ON w.seq = e.workspace_seq LEFT JOIN deliveries d ON d.event_seq = e.seq
         LEFT JOIN webhooks h ON h.seq = d.webhook_seq
       WHERE e.seq = ?`,
      [seq],
    );
  }

  insert(row: EventRow): void {
    this.sql.insert('events', row);
  }

  find(id: string): EventWithWorkspace | undefined {
    return this.sql.get(`${SELECT_WITH_WORKSPACE} WHERE e.id = ?`, [id]);
  }

  /** Events of a workspace, newest first, optionally of one type (gaps `list.order`, `list.filter`). */
  list(workspaceSeq: number, type: string | null, page: PageRequest): RowPage<EventWithWorkspace> {
    const where =
      type === null
        ? 'e.workspace_seq = @workspaceSeq'
        : 'e.workspace_seq = @workspaceSeq AND e.type = @type';
    const text = `${SELECT_WITH_WORKSPACE} WHERE ${where} AND e.seq < @before ORDER BY e.seq DESC LIMIT @limit`;
    return readPage(page, (before, limit) => this.sql.all(text, { workspaceSeq, type, before, limit }));
  }

  /** A page of the events that match, newest first. */
  listSummaries(filter: EventCondition, page: PageRequest): RowPage<EventSummaryRow> {
    return listMatches(this.sql, FILTERED_TABLE, filter, page, (seq) => this.findSummary(seq));
  }

  /** The `/v1` request that created an event; null without one, or after it was removed from the log. */
  findRequestId(seq: number): string | null {
    return this.sql.value(`SELECT ${REQUEST_ID} FROM events e WHERE e.seq = ?`, [seq]) ?? null;
  }
}

const readEvent = createRowReader(
  v.omit(v.object(EventSummary.entries), ['delivery_counts', 'excerpt']).entries,
);
const readCounts = createRowReader(statusCounts);

export function toEventSummary(row: EventSummaryRow): EventSummary {
  return { ...readEvent(row), delivery_counts: readCounts(row) };
}

/** The event record as JSON text: a slice of the stored envelope. */
export function toEventRecordText(row: EventWithWorkspace): string {
  return extractEventRecord(row.envelope, {
    type: row.type,
    workspaceId: row.workspace_id,
    createdAt: row.created_at,
  });
}
