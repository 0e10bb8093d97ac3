/** The table of delivery attempts. */
import { isUtf8 } from 'node:buffer';
import type Database from 'better-sqlite3';
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
import { type PageRequest, pickConditions, type RowPage, Scan, toMatchColumn } from './row-page.ts';
import { prepareInsert } from './schema.ts';

export interface AttemptRow {
  readonly seq: number;
  readonly delivery_seq: number;
  readonly webhook_seq: number;
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly scheduled_at: number;
  readonly sent_at_wall: number;
  readonly duration_ms: number;
  readonly outcome: AttemptOutcome;
  readonly response_status: number | null;
  readonly error: string | null;
  readonly request_url: string;
  /** JSON object. */
  readonly request_headers: string;
  readonly response_headers: string | null;
  readonly response_body: Buffer | null;
  readonly response_truncated: 0 | 1;
  /** `AppliedFault` of the fault that was injected, as JSON; null for none. */
  readonly fault: string | null;
}

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
export type AttemptSummaryRow = AttemptSummaryColumns & {
  readonly delivery_id: string;
  readonly event_type: string;
  readonly webhook_id: string;
};

export interface AttemptFilter {
  readonly workspaceSeq: number | null;
  readonly webhookId: string | null;
  readonly deliveryId: string | null;
  /** Earliest `sent_at` in wall time. */
  readonly since: number | null;
}

const SELECT_SUMMARY = `SELECT a.seq, a.number, a.trigger, a.scheduled_at, a.sent_at_wall, a.duration_ms, a.outcome,
    a.response_status, a.error, a.fault, d.id AS delivery_id, e.type AS event_type, h.id AS webhook_id
  FROM attempts a
  JOIN deliveries d ON d.seq = a.delivery_seq
  JOIN events e ON e.seq = d.event_seq
  JOIN webhooks h ON h.seq = a.webhook_seq`;

function prepareStatements(db: Database.Database) {
  return {
    insert: prepareInsert<AttemptRow>(db, 'attempts'),
    listByDelivery: db.prepare<[number], AttemptRow>(
      'SELECT * FROM attempts WHERE delivery_seq = ? ORDER BY number',
    ),
    hasSucceeded: db
      .prepare<[number], 0 | 1>(
        `SELECT EXISTS (SELECT 1 FROM attempts WHERE delivery_seq = ? AND outcome = 'succeeded')`,
      )
      .pluck(),
    listByWorkspace: db.prepare<[number, number], AttemptSummaryRow>(
      `${SELECT_SUMMARY} WHERE a.seq > ? AND d.workspace_seq = ? ORDER BY a.seq`,
    ),
    countByWorkspace: db
      .prepare<[number, number], number>(
        'SELECT count(*) FROM attempts a JOIN deliveries d ON d.seq = a.delivery_seq WHERE a.seq > ? AND d.workspace_seq = ?',
      )
      .pluck(),
    findSeq: db
      .prepare<[string, number], number>(
        'SELECT a.seq FROM deliveries d JOIN attempts a ON a.delivery_seq = d.seq WHERE d.id = ? AND a.number = ?',
      )
      .pluck(),
    findBySeq: db.prepare<[number], AttemptRow>('SELECT * FROM attempts WHERE seq = ?'),
    findSummary: db.prepare<[number], AttemptSummaryRow>(`${SELECT_SUMMARY} WHERE a.seq = ?`),
  };
}

export class AttemptTable {
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #scan: Scan<AttemptSummaryRow>;

  constructor(db: Database.Database) {
    this.#statements = prepareStatements(db);
    this.#scan = new Scan(db, (seq) => this.#statements.findSummary.get(seq));
  }

  insert(row: AttemptRow): void {
    this.#statements.insert.run(row);
  }

  hasSucceeded(deliverySeq: number): boolean {
    return this.#statements.hasSucceeded.get(deliverySeq) === 1;
  }

  listByDelivery(deliverySeq: number): AttemptRow[] {
    return this.#statements.listByDelivery.all(deliverySeq);
  }

  /** The attempts of a workspace after the sequence `afterSeq`, in the order of recording. */
  listByWorkspace(workspaceSeq: number, afterSeq: number): AttemptSummaryRow[] {
    return this.#statements.listByWorkspace.all(afterSeq, workspaceSeq);
  }

  countByWorkspace(workspaceSeq: number, afterSeq: number): number {
    return this.#statements.countByWorkspace.get(afterSeq, workspaceSeq) ?? 0;
  }

  findBySeq(seq: number): AttemptRow | undefined {
    return this.#statements.findBySeq.get(seq);
  }

  /** The sequence of an attempt by the id that {@link toAttempt} creates. */
  findSeq(id: string): number | undefined {
    const [, opaque, number] = /^att_([0-9A-Z]+)_(\d{1,9})$/.exec(id) ?? [];
    return this.#statements.findSeq.get(`del_${opaque}`, Number(number));
  }

  /** A page of the attempts that match, newest first. */
  list(filter: AttemptFilter, page: PageRequest): Promise<RowPage<AttemptSummaryRow>> {
    return this.#scan.findPage(toCandidateQuery(filter), { ...filter }, page);
  }
}

/** Conditions with an index. */
const INDEXED_CONDITIONS = {
  webhookId: 'a.webhook_seq = (SELECT seq FROM webhooks WHERE id = @webhookId)',
  deliveryId: 'a.delivery_seq = (SELECT seq FROM deliveries WHERE id = @deliveryId)',
} as const satisfies Partial<Record<keyof AttemptFilter, string>>;

/** Conditions without an index, checked on each row. */
const ROW_CONDITIONS = {
  since: 'a.sent_at_wall >= @since',
  workspaceSeq: '(SELECT workspace_seq FROM webhooks WHERE seq = a.webhook_seq) = @workspaceSeq',
} as const satisfies Partial<Record<keyof AttemptFilter, string>>;

function toCandidateQuery(filter: AttemptFilter): string {
  const where = ['a.seq < @before', ...pickConditions<AttemptFilter>(INDEXED_CONDITIONS, filter)].join(
    ' AND ',
  );
  const matches = toMatchColumn(pickConditions<AttemptFilter>(ROW_CONDITIONS, filter));
  return `SELECT a.seq, ${matches} FROM attempts a WHERE ${where} ORDER BY a.seq DESC`;
}

/** The values that all attempts of a delivery share. */
interface SentMessage {
  readonly id: string;
  readonly body: string;
  readonly scheme: SignatureScheme;
}

/** The attempt as the control plane shows it. Its id consists of the delivery's id and its number. */
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
