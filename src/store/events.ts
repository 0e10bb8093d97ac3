/** The table of events. */
import * as v from 'valibot';
import { toConditions } from '../resources/define-resource.ts';
import { FAILING } from '../resources/delivery.ts';
import { statusCounts } from '../resources/delivery-counts.ts';
import {
  type EventCondition,
  EventSummary,
  eventFilters,
  eventSettings,
  toEventRecord,
} from '../resources/event.ts';
import { createRowReader } from './columns.ts';
import { type EventWithWorkspace, toEventValues } from './event-values.ts';
import { type FilteredTable, listMatches, type PageRequest, type RowPage } from './row-page.ts';
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

type DeliveryCounts = Readonly<EventSummary['delivery_counts']>;

/** An event with its delivery counts and the request that created it. */
interface EventSummaryRow
  extends Omit<EventWithWorkspace, 'payload' | 'workspace_seq' | 'stored_at_wall'>,
    DeliveryCounts {
  readonly request_id: string | null;
}

function selectWithWorkspace(condition: string): string {
  return `SELECT e.*, w.id AS workspace_id FROM events e JOIN workspaces w ON w.seq = e.workspace_seq WHERE ${condition}`;
}

/** The request that created the event `e`: the first one; later ones are idempotent repeats. */
const REQUEST_ID = `(SELECT r.id FROM api_requests r WHERE r.resource_id = e.id AND r.method = 'POST' ORDER BY r.seq LIMIT 1)`;

/** Without the payload, which can be large. */
const SUMMARY_COLUMNS = ['seq', 'id', 'type', 'created_at', ...Object.keys(eventSettings)].map(
  (name) => `e.${name}`,
);

function selectSummaries(condition: string): string {
  return `SELECT ${SUMMARY_COLUMNS}, w.id AS workspace_id, ${REQUEST_ID} AS request_id,
      count(*) FILTER (WHERE d.status = 'pending') AS pending,
      count(*) FILTER (WHERE ${FAILING}) AS failing,
      count(*) FILTER (WHERE d.status = 'pending' AND h.disabled = 1) AS paused,
      count(*) FILTER (WHERE d.status = 'succeeded') AS succeeded,
      count(*) FILTER (WHERE d.status = 'failed') AS failed,
      count(*) FILTER (WHERE d.status = 'canceled') AS canceled
    FROM events e JOIN workspaces w ON w.seq = e.workspace_seq LEFT JOIN deliveries d ON d.event_seq = e.seq
      LEFT JOIN webhooks h ON h.seq = d.webhook_seq
    WHERE ${condition} GROUP BY e.seq`;
}

const FILTERED_TABLE: FilteredTable<EventCondition> = {
  from: 'events e',
  seq: 'e.seq',
  conditions: toConditions(eventFilters),
};

export class EventTable extends Table {
  findSummary(seq: number): EventSummaryRow | undefined {
    return this.sql.get(selectSummaries('e.seq = ?'), [seq]);
  }

  insert(row: Row<'events'>): void {
    this.sql.insert('events', row);
  }

  find(id: string): EventWithWorkspace | undefined {
    return this.sql.get(selectWithWorkspace('e.id = ?'), [id]);
  }

  /** A page of the events that match, newest first (gaps `list.order`, `list.filter`). */
  list(filter: EventCondition, page: PageRequest): RowPage<EventWithWorkspace> {
    return listMatches(this.sql, FILTERED_TABLE, filter, page, selectWithWorkspace);
  }

  /** As {@link list}, with delivery counts. */
  listSummaries(filter: EventCondition, page: PageRequest): RowPage<EventSummaryRow> {
    return listMatches(this.sql, FILTERED_TABLE, filter, page, selectSummaries);
  }

  /** The `/v1` request that created an event; null without one, or after it was removed from the log. */
  findRequestId(seq: number): string | null {
    return this.sql.value(`SELECT ${REQUEST_ID} FROM events e WHERE e.seq = ?`, [seq]) ?? null;
  }
}

const readSummary = createRowReader(
  v.omit(v.object(EventSummary.entries), ['delivery_counts', 'excerpt']).entries,
);
const readCounts = createRowReader(statusCounts);

export function toEventSummary(row: EventSummaryRow): EventSummary {
  return { ...readSummary(row), delivery_counts: readCounts(row) };
}

export function toEventRecordText(row: EventWithWorkspace): string {
  return toEventRecord(toEventValues(row));
}
