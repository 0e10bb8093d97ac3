/** Queries for deliveries as the control plane shows them. */

import type { DeliveryGroup } from '../diagnosis/describe-wait.ts';
import type { AttemptOutcome } from '../domain/delivery.ts';
import { RETRY_WINDOW_MS } from '../domain/retry-policy.ts';
import { LINEAR_MS, PARTS_PER_LOG } from '../domain/timeline-scale.ts';
import type { DeliveryStatusCounts, ScheduleMark } from '../operations/overview-schemas.ts';
import { omitComputed, toConditions, toResponseFields } from '../resources/define-resource.ts';
import {
  ATTEMPTED,
  type Delivery,
  type DeliveryCondition,
  deliveryFilters,
  deliveryTable,
  FAILING,
} from '../resources/delivery.ts';
import { createRowReader } from './columns.ts';
import { BODY_COLUMNS, toBody } from './event-values.ts';
import {
  type FilteredTable,
  listConditions,
  listMatches,
  matchesRow,
  type PageRequest,
  type RowPage,
} from './row-page.ts';
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

export interface DeliveryRow extends Row<'deliveries'> {
  readonly event_id: string;
  readonly event_type: string;
  readonly workspace_id: string;
  readonly webhook_id: string;
  readonly url: string;
  readonly replay_of: string | null;
  readonly endpoint_disabled: 0 | 1;
  /** Columns of the last attempt; null before the first. */
  readonly last_duration_ms: number;
  readonly last_outcome: AttemptOutcome | null;
  readonly last_response_status: number | null;
  readonly last_error: string | null;
  readonly last_fault: string | null;
}

/** Limit for the attempts of an endpoint that its marks count. */
const MAX_MARKED = 10_000;

interface ScheduleMarkRow extends Omit<ScheduleMark, 'webhook_id' | 'first_at' | 'last_at'> {
  readonly first_at: number;
  readonly last_at: number;
}

// CROSS JOIN makes SQLite start with the deliveries, whose indexes are in the order of pages.
const TABLES = `deliveries d
  CROSS JOIN events e ON e.seq = d.event_seq
  CROSS JOIN webhooks h ON h.seq = d.webhook_seq`;
const SELECT = `SELECT d.*, e.id AS event_id, e.type AS event_type, h.id AS webhook_id, w.id AS workspace_id,
    coalesce(d.own_url, h.url) AS url, o.id AS replay_of,
    h.disabled AS endpoint_disabled, a.duration_ms AS last_duration_ms, a.outcome AS last_outcome, a.response_status AS last_response_status,
    a.error AS last_error, a.fault AS last_fault
  FROM ${TABLES} JOIN workspaces w ON w.seq = d.workspace_seq LEFT JOIN deliveries o ON o.seq = d.replay_of_seq
    LEFT JOIN attempts a ON a.delivery_seq = d.seq AND a.number = d.attempt_count`;

/** The filters of lists, and a list of IDs as JSON text. */
export type DeliverySelection = DeliveryCondition & { readonly ids?: string | undefined };

const FILTERED_TABLE: FilteredTable<DeliverySelection> = {
  from: TABLES,
  seq: 'd.seq',
  conditions: { ids: 'd.id IN (SELECT value FROM json_each(@ids))', ...toConditions(deliveryFilters) },
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

  matches(seq: number, filter: DeliveryCondition): boolean {
    return matchesRow(this.sql, FILTERED_TABLE, filter, seq);
  }

  findBySeq(seq: number): DeliveryRow | undefined {
    return this.sql.get(`${SELECT} WHERE d.seq = ?`, [seq]);
  }

  /** The delivery whose last attempt failed last, among those that match. */
  findLastFailed(
    filter: Pick<DeliverySelection, 'event_id' | 'webhook_id' | 'workspace_id'>,
  ): DeliveryRow | undefined {
    const conditions = ["a.outcome <> 'succeeded'", ...listConditions(FILTERED_TABLE.conditions, filter)];
    const seq = `SELECT d.seq FROM attempts a
      JOIN deliveries d ON d.seq = a.delivery_seq AND d.attempt_count = a.number
      WHERE ${conditions.join(' AND ')} ORDER BY a.seq DESC LIMIT 1`;
    return this.sql.get(`${SELECT} WHERE d.seq = (${seq})`, filter as Record<string, string>);
  }

  /** The body that every attempt of the delivery sends. */
  getBody(seq: number): string {
    const row = this.sql.get<{ own_body: string | null }>(
      `SELECT ${BODY_COLUMNS} FROM ${TABLES} JOIN workspaces w ON w.seq = d.workspace_seq WHERE d.seq = ?`,
      [seq],
    );
    return row === undefined ? '' : toBody(row);
  }

  /** Whether a pending delivery to an endpoint waits for a retry. */
  isFailing(webhookSeq: number): boolean {
    const rows = `deliveries d JOIN webhooks h ON h.seq = d.webhook_seq
      WHERE d.webhook_seq = ? AND d.due_at IS NOT NULL AND ${FAILING}`;
    return this.sql.value(`SELECT EXISTS (SELECT 1 FROM ${rows})`, [webhookSeq]) === 1;
  }

  /** What was or is due at an endpoint, from the retry window before `at` on: a mark for each part of the scale of timelines. */
  listMarks(webhook: number, at: number): ScheduleMarkRow[] {
    return this.sql.all(
      `WITH due AS (
         SELECT * FROM (SELECT delivery_seq, scheduled_at AS due_at, outcome, NULL AS attempt_count FROM attempts
           WHERE webhook_seq = @webhook AND scheduled_at >= @from ORDER BY scheduled_at DESC LIMIT @limit)
         UNION ALL
         SELECT d.seq, d.due_at, NULL, d.attempt_count FROM webhooks h CROSS JOIN deliveries d ON d.webhook_seq = h.seq
           WHERE h.seq = @webhook AND h.disabled = 0 AND d.due_at IS NOT NULL)
       SELECT min(due_at) AS first_at, max(due_at) AS last_at, count(DISTINCT delivery_seq) AS deliveries,
         count(*) FILTER (WHERE outcome = 'succeeded') AS succeeded,
         count(*) FILTER (WHERE outcome <> 'succeeded') AS failed, count(*) FILTER (WHERE outcome IS NULL) AS due,
         count(*) FILTER (WHERE attempt_count = 0) AS due_first
       FROM due
       GROUP BY due_at > @at, CAST(@parts * ln(1 + 1.0 * abs(due_at - @at) / @linear) AS INTEGER) ORDER BY first_at`,
      { webhook, at, from: at - RETRY_WINDOW_MS, limit: MAX_MARKED, parts: PARTS_PER_LOG, linear: LINEAR_MS },
    );
  }

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

  list(filter: DeliverySelection, page: PageRequest): RowPage<DeliveryRow> {
    return listMatches(this.sql, FILTERED_TABLE, filter, page, (condition) => `${SELECT} WHERE ${condition}`);
  }

  /** The sequences of the deliveries that match, oldest first. */
  listSeqs(filter: DeliverySelection): number[] {
    const where = listConditions(FILTERED_TABLE.conditions, filter).join(' AND ') || 'TRUE';
    const text = `SELECT d.seq FROM ${TABLES} WHERE ${where} ORDER BY d.seq`;
    return this.sql.values(text, filter as Record<string, string>);
  }

  /** Counts the deliveries that match, by workspace, status and endpoint. */
  countMatches(filter: DeliverySelection): DeliveryGroup[] {
    const where = listConditions(FILTERED_TABLE.conditions, filter).join(' AND ') || 'TRUE';
    return this.sql.all(
      `SELECT d.workspace_seq, d.status, h.id AS webhook_id, h.disabled, count(*) AS count, min(d.due_at) AS due_at
       FROM ${TABLES} WHERE ${where} GROUP BY d.workspace_seq, d.status, h.seq`,
      filter as Record<string, string>,
    );
  }
}

const readDelivery = createRowReader(toResponseFields(omitComputed(deliveryTable)));

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
            duration_ms: row.last_duration_ms,
            outcome: row.last_outcome,
            response_status: row.last_response_status,
            error: row.last_error,
            ...(row.last_fault === null ? {} : { fault: JSON.parse(row.last_fault) }),
          },
    next_attempt_at: paused || row.due_at === null ? null : new Date(row.due_at).toISOString(),
  });
}
