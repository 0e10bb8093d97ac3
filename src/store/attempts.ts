/** The table of delivery attempts. */
import { isUtf8 } from 'node:buffer';
import type { Attempt, AttemptSummary } from '../contract/delivery-schemas.ts';
import type { AttemptOutcome, AttemptTrigger } from '../domain/delivery.ts';
import { tamperBody } from '../domain/fault.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { buildSignedContent } from '../domain/signature/sign.ts';
import {
  getSignedTimestamp,
  parseSignatureHeader,
  readSignatureHeaders,
} from '../domain/signature/signature-header.ts';
import { type FilteredTable, type PageRequest, type RowPage, Scan } from './row-page.ts';
import { type Sql, Table } from './sql.ts';

interface AttemptSummaryColumns {
  readonly seq: number;
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly scheduled_at: number;
  readonly sent_at_wall: number;
  readonly duration_ms: number;
  readonly outcome: AttemptOutcome;
  readonly response_status: number | null;
  readonly error: string | null;
  /** `AppliedFault` of the fault that was injected, as JSON; null for none. */
  readonly fault: string | null;
}

interface AttemptSummaryRow extends AttemptSummaryColumns {
  readonly delivery_id: string;
  readonly event_type: string;
  readonly webhook_id: string;
}

export interface AttemptRow extends AttemptSummaryColumns {
  readonly delivery_seq: number;
  readonly webhook_seq: number;
  readonly request_url: string;
  /** JSON object. */
  readonly request_headers: string;
  readonly response_headers: string | null;
  readonly response_body: Buffer | null;
  readonly response_truncated: 0 | 1;
}

export interface AttemptFilter {
  readonly workspaceSeq: number | null;
  readonly webhookId: string | null;
  readonly deliveryId: string | null;
  /** Earliest `sent_at` in wall time. */
  readonly since: number | null;
}

const FILTERED_TABLE: FilteredTable<AttemptFilter> = {
  from: 'attempts a',
  seq: 'a.seq',
  conditions: {
    webhookId: { indexed: 'a.webhook_seq = (SELECT seq FROM webhooks WHERE id = @webhookId)' },
    deliveryId: { indexed: 'a.delivery_seq = (SELECT seq FROM deliveries WHERE id = @deliveryId)' },
    since: 'a.sent_at_wall >= @since',
    workspaceSeq: '(SELECT workspace_seq FROM webhooks WHERE seq = a.webhook_seq) = @workspaceSeq',
  },
};

const SELECT_SUMMARY = `SELECT a.seq, a.number, a.trigger, a.scheduled_at, a.sent_at_wall, a.duration_ms, a.outcome,
    a.response_status, a.error, a.fault, d.id AS delivery_id, e.type AS event_type, h.id AS webhook_id
  FROM attempts a
  JOIN deliveries d ON d.seq = a.delivery_seq
  JOIN events e ON e.seq = d.event_seq
  JOIN webhooks h ON h.seq = a.webhook_seq`;

export class AttemptTable extends Table {
  readonly #scan: Scan<AttemptFilter, AttemptSummaryRow>;

  constructor(sql: Sql) {
    super(sql);
    this.#scan = new Scan(sql, FILTERED_TABLE, (seq) =>
      this.sql.get<AttemptSummaryRow>(`${SELECT_SUMMARY} WHERE a.seq = ?`, [seq]),
    );
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

  countByWorkspace(workspaceSeq: number, afterSeq: number): number {
    return (
      this.sql.value(
        'SELECT count(*) FROM attempts a JOIN deliveries d ON d.seq = a.delivery_seq WHERE a.seq > ? AND d.workspace_seq = ?',
        [afterSeq, workspaceSeq],
      ) ?? 0
    );
  }

  findBySeq(seq: number): AttemptRow | undefined {
    return this.sql.get('SELECT * FROM attempts WHERE seq = ?', [seq]);
  }

  /** The sequence of an attempt by the ID that {@link toAttempt} creates. */
  findSeq(id: string): number | undefined {
    const [, ulid, number] = /^att_([0-9A-Z]+)_(\d{1,9})$/.exec(id) ?? [];
    if (ulid === undefined) return undefined;
    return this.sql.value(
      'SELECT a.seq FROM deliveries d JOIN attempts a ON a.delivery_seq = d.seq WHERE d.id = ? AND a.number = ?',
      [`del_${ulid}`, Number(number)],
    );
  }

  /** A page of the attempts that match, newest first. */
  list(filter: AttemptFilter, page: PageRequest): Promise<RowPage<AttemptSummaryRow>> {
    return this.#scan.list(filter, page);
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
  const sentBody = base.fault?.kind === 'tamper-body' ? tamperBody(body) : body;
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
  const header = parseSignatureHeader(scheme, signature ?? '');
  const message = { id, timestamp: getSignedTimestamp(scheme, header, timestamp ?? ''), body };
  return { message, digests: header.digests };
}

export function toAttemptSummary(row: AttemptSummaryRow): AttemptSummary {
  const { delivery_id, event_type, webhook_id } = row;
  return { ...toBaseFields(row, delivery_id), delivery_id, event_type, webhook_id };
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
    ...(row.fault === null ? {} : { fault: JSON.parse(row.fault) }),
  };
}

function toResponse(row: AttemptRow): Attempt['response'] {
  if (row.response_headers === null) return null;
  const body = row.response_body ?? Buffer.alloc(0);
  const encoding = isUtf8(body) ? 'utf8' : 'base64';
  return {
    headers: JSON.parse(row.response_headers),
    body: body.toString(encoding),
    encoding,
    truncated: row.response_truncated === 1,
  };
}
