/** Queries for deliveries as the control plane shows them. */
import * as v from 'valibot';
import { Delivery } from '../contract/delivery-schemas.ts';
import type { DeliveryCondition } from '../contract/list-filters.ts';
import type { DeliveryStatusCounts } from '../contract/overview-schemas.ts';
import type { AttemptOutcome } from '../domain/delivery.ts';
import { createRowReader } from './columns.ts';
import type { DeliveryProgressRow } from './deliveries.ts';
import {
  type FilteredTable,
  hasStatus,
  hasText,
  listMatches,
  type PageRequest,
  type RowPage,
} from './row-page.ts';
import type { Row } from './rows.ts';
import { Table } from './sql.ts';

export interface DeliveryRow
  extends DeliveryProgressRow,
    Pick<Row<'deliveries'>, 'id' | 'created_at' | 'settled_reason' | 'settled_at'> {
  readonly event_id: string;
  readonly event_type: string;
  readonly workspace_id: string;
  readonly webhook_id: string;
  readonly url: string;
  readonly replay_of: string | null;
  readonly endpoint_disabled: 0 | 1;
  /** Columns of the last attempt; null before the first. */
  readonly last_outcome: AttemptOutcome | null;
  readonly last_response_status: number | null;
  readonly last_error: string | null;
  readonly last_fault: string | null;
}

// CROSS JOIN makes SQLite start with the deliveries, whose indexes are in the order of pages.
const TABLES = `deliveries d
  CROSS JOIN events e ON e.seq = d.event_seq
  CROSS JOIN webhooks h ON h.seq = d.webhook_seq`;
const SELECT = `SELECT d.*, e.id AS event_id, e.type AS event_type, h.id AS webhook_id, w.id AS workspace_id,
    coalesce(d.own_url, h.url) AS url, o.id AS replay_of,
    h.disabled AS endpoint_disabled, a.outcome AS last_outcome, a.response_status AS last_response_status,
    a.error AS last_error, a.fault AS last_fault
  FROM ${TABLES} JOIN workspaces w ON w.seq = d.workspace_seq LEFT JOIN deliveries o ON o.seq = d.replay_of_seq
    LEFT JOIN attempts a ON a.delivery_seq = d.seq AND a.number = d.attempt_count`;

/** Pending after an attempt. The text is that of the partial index `deliveries_attempted`, so that SQLite can use it. */
const ATTEMPTED = "d.status = 'pending' AND d.attempt_count > 0";
/** Pending after an attempt that failed. Deliveries to a disabled endpoint are paused instead. */
export const FAILING = `${ATTEMPTED} AND h.disabled = 0
  AND (SELECT outcome FROM attempts WHERE delivery_seq = d.seq AND number = d.attempt_count) <> 'succeeded'`;

/** 0 if the last attempt got no response; NULL before the first attempt. */
const LAST_RESPONSE =
  '(SELECT coalesce(response_status, 0) FROM attempts WHERE delivery_seq = d.seq AND number = d.attempt_count)';

/**
 * Selects the same deliveries as `matchesDeliveryFilter`, which live lists use. One definition of both, with columns, indexes
 * and unknown bodies, would be longer. A test compares them.
 */
const FILTERED_TABLE: FilteredTable<DeliveryCondition> = {
  from: TABLES,
  seq: 'd.seq',
  conditions: {
    workspace_id: 'd.workspace_seq = (SELECT seq FROM workspaces WHERE id = @workspace_id)',
    event_id: 'd.event_seq = (SELECT seq FROM events WHERE id = @event_id)',
    webhook_id: 'd.webhook_seq = (SELECT seq FROM webhooks WHERE id = @webhook_id)',
    status: `(d.status = @status OR @status = 'paused' AND d.status = 'pending' AND h.disabled = 1
      OR @status = 'unsuccessful' AND d.status = 'failed' OR @status IN ('failing', 'unsuccessful') AND ${FAILING})`,
    since: 'd.created_at >= @since',
    until: 'd.created_at < @until',
    type: 'e.type = @type',
    response_status: hasStatus(LAST_RESPONSE, '@response_status'),
    text: ['d.id', 'e.id', 'e.type', 'coalesce(d.own_url, h.url)', 'coalesce(d.own_body, e.envelope)']
      .map(hasText)
      .join(' OR '),
  },
  // A literal, unlike a parameter, lets SQLite use the partial indexes of failed and failing deliveries.
  findIndexedCondition: ({ workspace_id, status }) => {
    if (workspace_id === undefined) return null;
    if (status === 'failed') return "d.status = 'failed'";
    return status === 'failing' ? ATTEMPTED : null;
  },
};

export class DeliveryQueries extends Table {
  find(id: string): DeliveryRow | undefined {
    return this.sql.get(`${SELECT} WHERE d.id = ?`, [id]);
  }

  findBySeq(seq: number): DeliveryRow | undefined {
    return this.sql.get(`${SELECT} WHERE d.seq = ?`, [seq]);
  }

  /** The body that every attempt of the delivery sends. */
  getBody(seq: number): string {
    return (
      this.sql.value(`SELECT coalesce(d.own_body, e.envelope) FROM ${TABLES} WHERE d.seq = ?`, [seq]) ?? ''
    );
  }

  /** The `limit` pending deliveries of the given endpoints with the earliest due times, in order. */
  listNextDue(webhookSeqs: readonly number[], limit: number): DeliveryRow[] {
    return webhookSeqs
      .flatMap((webhookSeq) =>
        this.sql.all<{ seq: number; due_at: number }>(
          'SELECT seq, due_at FROM deliveries WHERE webhook_seq = ? AND due_at IS NOT NULL ORDER BY due_at, seq LIMIT ?',
          [webhookSeq, limit],
        ),
      )
      .sort((a, b) => a.due_at - b.due_at || a.seq - b.seq)
      .slice(0, limit)
      .flatMap(({ seq }) => this.findBySeq(seq) ?? []);
  }

  /** Whether a workspace has deliveries. */
  hasAny(workspaceSeq: number): boolean {
    return (
      this.sql.value('SELECT EXISTS (SELECT 1 FROM deliveries WHERE workspace_seq = ?)', [workspaceSeq]) === 1
    );
  }

  /** Counts the deliveries of a workspace that have not succeeded. Each count stops at `limit`. */
  countByStatus(workspaceSeq: number, limit: number): DeliveryStatusCounts {
    const count = (rows: string) =>
      this.sql.value(`SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ?)`, [workspaceSeq, limit]) as number;
    const ofWorkspace = (condition: string) =>
      count(
        `deliveries d JOIN webhooks h ON h.seq = d.webhook_seq WHERE d.workspace_seq = ? AND ${condition}`,
      );
    // CROSS JOIN makes SQLite start with the endpoints, so that it reads only the index of due deliveries.
    const ofEndpoints = (condition: string) =>
      count(
        `webhooks h CROSS JOIN deliveries d ON d.webhook_seq = h.seq
         WHERE h.workspace_seq = ? AND h.deleted_at IS NULL AND d.due_at IS NOT NULL AND ${condition}`,
      );
    return {
      pending: ofEndpoints('TRUE'),
      failing: ofWorkspace(FAILING),
      paused: ofEndpoints('h.disabled = 1'),
      failed: ofWorkspace("d.status = 'failed'"),
      canceled: ofWorkspace("d.status = 'canceled'"),
    };
  }

  /** A page of the deliveries that match, newest first. */
  list(filter: DeliveryCondition, page: PageRequest): RowPage<DeliveryRow> {
    return listMatches(this.sql, FILTERED_TABLE, filter, page, (seq) => this.findBySeq(seq));
  }
}

const readDelivery = createRowReader(
  v.omit(v.object(Delivery.entries), ['paused', 'last_attempt', 'next_attempt_at']).entries,
);

/** The delivery as the control plane, the CLI and the dashboard show it. */
export function toDelivery(row: DeliveryRow): Delivery {
  const paused = row.status === 'pending' && row.endpoint_disabled === 1;
  return Object.assign(readDelivery(row), {
    paused,
    last_attempt:
      row.last_outcome === null
        ? null
        : {
            number: row.attempt_count,
            outcome: row.last_outcome,
            response_status: row.last_response_status,
            error: row.last_error,
            ...(row.last_fault === null ? {} : { fault: JSON.parse(row.last_fault) }),
          },
    next_attempt_at: paused || row.due_at === null ? null : new Date(row.due_at).toISOString(),
  });
}
