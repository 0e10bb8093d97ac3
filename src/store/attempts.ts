/** The table of delivery attempts. */

import { isUtf8 } from 'node:buffer';
import { decodePhases, hasReusedConnection } from '../domain/attempt-phases.ts';
import { getDeliveryFault } from '../domain/fault.ts';
import { decodeBody } from '../platform/decode-body.ts';
import type { Attempt, AttemptSummary } from '../resources/attempt.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { buildSignedContent } from '../signature/sign.ts';
import { readSignatureHeaders, readSignedMessage } from '../signature/signature-header.ts';
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

export type AttemptRow = Row<'attempts'>;

/** Without the request and the response. */
type AttemptSummaryColumns = Omit<
  AttemptRow,
  | 'delivery_seq'
  | 'webhook_seq'
  | 'request_url'
  | 'request_headers'
  | 'response_headers'
  | 'response_body'
  | 'response_truncated'
>;

interface AttemptSummaryRow extends AttemptSummaryColumns {
  readonly delivery_id: string;
  readonly event_type: string;
  readonly webhook_id: string;
}

/** How many of the newest attempts to an endpoint are summarized. */
const MAX_SUMMARIZED = 100;

export interface AttemptStatistics {
  readonly attempts: number;
  readonly succeeded: number;
  /** The shortest duration that this share of the attempts does not exceed; null without attempts. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  /** The sequence of the newest one that failed. */
  readonly last_failure_seq: number | null;
}

// CROSS JOIN makes SQLite start with the attempts. Otherwise, it may read all deliveries of the workspace.
const SELECT_SUMMARY = `SELECT a.seq, a.number, a.trigger, a.scheduled_at, a.sent_at_wall, a.duration_ms, a.outcome,
    a.response_status, a.error, a.fault, a.phases, d.id AS delivery_id, e.type AS event_type, h.id AS webhook_id
  FROM attempts a
  CROSS JOIN deliveries d ON d.seq = a.delivery_seq
  JOIN events e ON e.seq = d.event_seq
  JOIN webhooks h ON h.seq = a.webhook_seq`;

export class AttemptTable extends Table {
  findSummary(seq: number): AttemptSummaryRow | undefined {
    return this.sql.get(`${SELECT_SUMMARY} WHERE a.seq = ?`, [seq]);
  }

  summarizeNewest(webhookSeq: number, limit = MAX_SUMMARIZED): AttemptStatistics {
    // The offset is the rank of the percentile, its share of the count rounded up, counted from 0.
    const percentile = (percent: number) => `(SELECT duration_ms FROM newest ORDER BY duration_ms
      LIMIT 1 OFFSET (SELECT (count(*) * ${percent} + 99) / 100 - 1 FROM newest))`;
    return this.sql.get(
      `WITH newest AS MATERIALIZED (
         SELECT seq, outcome, duration_ms FROM attempts WHERE webhook_seq = ? ORDER BY seq DESC LIMIT ?
       )
       SELECT count(*) AS attempts, coalesce(sum(outcome = 'succeeded'), 0) AS succeeded,
         max(iif(outcome = 'succeeded', NULL, seq)) AS last_failure_seq,
         ${percentile(50)} AS p50_ms, ${percentile(95)} AS p95_ms
       FROM newest`,
      [webhookSeq, limit],
    ) as AttemptStatistics;
  }

  insert(row: AttemptRow): void {
    this.sql.insert('attempts', row);
  }

  hasSucceeded(deliverySeq: number): boolean {
    return (
      this.sql.value(
        `SELECT EXISTS (SELECT 1 FROM attempts WHERE delivery_seq = ? AND outcome = 'succeeded')`,
        [deliverySeq],
      ) === 1
    );
  }

  /** The sequence of the last attempt to an endpoint that succeeded; 0 without one. */
  findLastSuccess(webhookSeq: number): number {
    const seq = this.sql.value(
      `SELECT seq FROM attempts WHERE webhook_seq = ? AND outcome = 'succeeded' ORDER BY seq DESC LIMIT 1`,
      [webhookSeq],
    );
    return Number(seq ?? 0);
  }

  /** Number of deliveries to an endpoint whose last attempt failed with a response status. */
  countUnresolved(webhookSeq: number, status: number | null): number {
    return this.sql.value(
      `SELECT count(*) FROM attempts a WHERE webhook_seq = ? AND response_status = ? AND outcome <> 'succeeded'
         AND number = (SELECT attempt_count FROM deliveries WHERE seq = a.delivery_seq)`,
      [webhookSeq, status],
    ) as number;
  }

  listByDelivery(deliverySeq: number): AttemptRow[] {
    return this.sql.all('SELECT * FROM attempts WHERE delivery_seq = ? ORDER BY number', [deliverySeq]);
  }

  /** The attempts of a workspace after the sequence `afterSeq`, in the order of recording. */
  listByWorkspace(workspaceSeq: number, afterSeq: number): AttemptSummaryRow[] {
    return this.sql.all(`${SELECT_SUMMARY} WHERE a.seq > ? AND d.workspace_seq = ? ORDER BY a.seq`, [
      afterSeq,
      workspaceSeq,
    ]);
  }

  findBySeq(seq: number): AttemptRow | undefined {
    return this.sql.get('SELECT * FROM attempts WHERE seq = ?', [seq]);
  }
}

/** The values that all attempts of a delivery share. */
interface SentMessage {
  readonly id: string;
  readonly body: string;
  readonly scheme: SignatureScheme;
}

/** The attempt as the control plane shows it. Its ID consists of the delivery's ID and its number. */
export function toAttempt(row: AttemptRow, { id, body, scheme }: SentMessage): Attempt {
  const headers: Record<string, string> = JSON.parse(row.request_headers);
  const { message } = readSignature(headers, { id, body, scheme });
  const base = toBaseFields(row, id);
  const sentBody = getDeliveryFault(base.fault?.kind).changeBody?.(body) ?? body;
  return {
    ...base,
    request: {
      url: row.request_url,
      headers,
      body: sentBody,
      signed_content: String(buildSignedContent(scheme, message)),
    },
    response: toResponse(row),
  };
}

/** Reads the signature in `headers`: the message that it covers, and its digests. */
export function readSignature(headers: Readonly<Record<string, string>>, { id, body, scheme }: SentMessage) {
  const { signature, timestamp } = readSignatureHeaders(scheme, {
    get: (name) => headers[name] ?? null,
  });
  const request = { signature: signature ?? '', timestamp: timestamp ?? '', id, body };
  const { header, message } = readSignedMessage(scheme, request);
  return { message, digests: header.digests };
}

export function toAttemptSummary(row: AttemptSummaryRow): AttemptSummary {
  const { delivery_id, event_type, webhook_id } = row;
  // Twice as fast as an object with a spread at its beginning. The response of a clock command can have thousands of summaries.
  return Object.assign(toBaseFields(row, delivery_id), { delivery_id, event_type, webhook_id });
}

function toBaseFields(row: AttemptSummaryColumns, deliveryId: string): Omit<Attempt, 'request' | 'response'> {
  return {
    id: `${deliveryId.replace(/^del_/, 'att_')}_${row.number}`,
    number: row.number,
    trigger: row.trigger,
    scheduled_at: new Date(row.scheduled_at).toISOString(),
    sent_at: new Date(row.sent_at_wall).toISOString(),
    duration_ms: row.duration_ms,
    outcome: row.outcome,
    response_status: row.response_status,
    error: row.error,
    phases: toPhases(row),
    ...(row.fault === null ? {} : { fault: JSON.parse(row.fault) }),
  };
}

function toPhases({ phases }: AttemptSummaryColumns): Attempt['phases'] {
  if (phases === null) return null;
  const durations = decodePhases(phases);
  return {
    queued_ms: durations.queued ?? 0,
    reused_connection: hasReusedConnection(durations),
    dns_ms: durations.dns,
    connect_ms: durations.connect,
    tls_ms: durations.tls,
    send_ms: durations.send,
    wait_ms: durations.wait,
    receive_ms: durations.receive,
  };
}

function toResponse(row: AttemptRow): Attempt['response'] {
  if (row.response_headers === null) return null;
  const headers: Record<string, string> = JSON.parse(row.response_headers);
  const body = decodeBody(row.response_body ?? Buffer.alloc(0), headers['content-encoding'] ?? '');
  const encoding = isUtf8(body) ? 'utf8' : 'base64';
  return {
    headers,
    body: body.toString(encoding),
    encoding,
    truncated: row.response_truncated === 1,
  };
}
