import { isUtf8 } from 'node:buffer';
import type Database from 'better-sqlite3';
import type { Attempt, AttemptSummary } from '../contract/delivery-schemas.ts';
import type { AttemptOutcome, AttemptTrigger } from '../domain/delivery.ts';
import { tamperBody } from '../domain/fault.ts';
import { buildSignedContent } from '../domain/signature/digest.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import {
  getSignedTimestamp,
  parseSignatureHeader,
  readSignatureHeaders,
} from '../domain/signature/signature-header.ts';
import type { PageRequest, RowPage } from './row-page.ts';
import { pickConditions, Scan, toMatchColumn } from './scan.ts';

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
  /** The `AppliedFault` of what touched it, as JSON; null when nothing did. */
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
  /** Wall time from which on they were sent. */
  readonly since: number | null;
}

const SELECT_SUMMARY = `SELECT a.seq, a.number, a.trigger, a.scheduled_at, a.sent_at_wall, a.duration_ms, a.outcome,
    a.response_status, a.error, a.fault, d.id AS delivery_id, e.type AS event_type, h.id AS webhook_id
  FROM attempts a
  JOIN deliveries d ON d.seq = a.delivery_seq
  JOIN events e ON e.seq = d.event_seq
  JOIN webhooks h ON h.seq = a.webhook_seq`;

export class AttemptTable {
  readonly #insert: Database.Statement<[AttemptRow]>;
  readonly #hasSucceeded: Database.Statement<[number], 0 | 1>;
  readonly #ofDelivery: Database.Statement<[number], AttemptRow>;
  readonly #ofWorkspace: Database.Statement<[number, number], AttemptSummaryRow>;
  readonly countByWorkspace: Database.Statement<[number, number], number>;
  readonly #place: Database.Statement<[string, number], Pick<AttemptRow, 'seq'>>;
  readonly #scan: Scan<AttemptSummaryRow>;
  readonly #bySeq: Database.Statement<[number], AttemptRow>;

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      `INSERT INTO attempts (seq, delivery_seq, webhook_seq, number, trigger, scheduled_at, sent_at_wall, duration_ms, outcome,
         response_status, error, request_url, request_headers, response_headers, response_body, response_truncated, fault)
       VALUES (@seq, @delivery_seq, @webhook_seq, @number, @trigger, @scheduled_at, @sent_at_wall, @duration_ms, @outcome,
         @response_status, @error, @request_url, @request_headers, @response_headers, @response_body, @response_truncated,
         @fault)`,
    );
    this.#ofDelivery = db.prepare('SELECT * FROM attempts WHERE delivery_seq = ? ORDER BY number');
    this.#hasSucceeded = db
      .prepare<[number], 0 | 1>(
        `SELECT EXISTS (SELECT 1 FROM attempts WHERE delivery_seq = ? AND outcome = 'succeeded')`,
      )
      .pluck();
    this.#ofWorkspace = db.prepare(
      `${SELECT_SUMMARY} WHERE a.seq > ? AND d.workspace_seq = ? ORDER BY a.seq`,
    );
    this.countByWorkspace = db
      .prepare<[number, number], number>(
        'SELECT count(*) FROM attempts a JOIN deliveries d ON d.seq = a.delivery_seq WHERE a.seq > ? AND d.workspace_seq = ?',
      )
      .pluck();
    this.#place = db.prepare(
      'SELECT a.seq FROM deliveries d JOIN attempts a ON a.delivery_seq = d.seq WHERE d.id = ? AND a.number = ?',
    );
    const facts = db.prepare<[number], AttemptSummaryRow>(`${SELECT_SUMMARY} WHERE a.seq = ?`);
    this.#scan = new Scan(db, (seq) => facts.get(seq));
    this.#bySeq = db.prepare('SELECT * FROM attempts WHERE seq = ?');
  }

  insert(row: AttemptRow): void {
    this.#insert.run(row);
  }

  /** Whether any attempt of a delivery succeeded. */
  hasSucceeded(deliverySeq: number): boolean {
    return this.#hasSucceeded.get(deliverySeq) === 1;
  }

  listByDelivery(deliverySeq: number): AttemptRow[] {
    return this.#ofDelivery.all(deliverySeq);
  }

  /** Attempts of a workspace after `afterSeq`, in the order in which they were recorded. */
  listByWorkspace(workspaceSeq: number, afterSeq: number): AttemptSummaryRow[] {
    return this.#ofWorkspace.all(afterSeq, workspaceSeq);
  }

  countOfWorkspace(workspaceSeq: number, afterSeq: number): number {
    return this.countByWorkspace.get(afterSeq, workspaceSeq) ?? 0;
  }

  findBySeq(seq: number): AttemptRow | undefined {
    return this.#bySeq.get(seq);
  }

  /** Where the attempt of an id, as {@link toAttempt} makes it, stands in the order of things. */
  findSeq(id: string): Pick<AttemptRow, 'seq'> | undefined {
    const [, opaque, number] = /^att_([0-9A-Z]+)_(\d{1,9})$/.exec(id) ?? [];
    return this.#place.get(`del_${opaque}`, Number(number));
  }

  /** Attempts that match, newest first. */
  list(filter: AttemptFilter, page: PageRequest): Promise<RowPage<AttemptSummaryRow>> {
    return this.#scan.findPage(toCandidateQuery(filter), { ...filter }, page);
  }
}

/** What an index finds. */
const INDEXED_CONDITIONS = {
  webhookId: 'a.webhook_seq = (SELECT seq FROM webhooks WHERE id = @webhookId)',
  deliveryId: 'a.delivery_seq = (SELECT seq FROM deliveries WHERE id = @deliveryId)',
} as const satisfies Partial<Record<keyof AttemptFilter, string>>;

/** What each row is asked. */
const ROW_CONDITIONS = {
  since: 'a.sent_at_wall >= @since',
  workspaceSeq: '(SELECT workspace_seq FROM webhooks WHERE seq = a.webhook_seq) = @workspaceSeq',
} as const satisfies Partial<Record<keyof AttemptFilter, string>>;

function toCandidateQuery(filter: AttemptFilter): string {
  const where = ['a.seq < @before', ...pickConditions<AttemptFilter>(INDEXED_CONDITIONS, filter)].join(
    ' AND ',
  );
  const fits = toMatchColumn(pickConditions<AttemptFilter>(ROW_CONDITIONS, filter));
  return `SELECT a.seq, ${fits} FROM attempts a WHERE ${where} ORDER BY a.seq DESC`;
}

/** What the attempts of a delivery have in common. */
interface SentMessage {
  readonly id: string;
  readonly body: string;
  /** How deliveries are signed here. */
  readonly scheme: SignatureScheme;
}

/** The attempt as every door shows it. Its id is its delivery's, with its number. */
export function toAttempt(row: AttemptRow, { id, body, scheme }: SentMessage): Attempt {
  const headers: Record<string, string> = JSON.parse(row.request_headers);
  const { message } = readSignature(headers, { id, body, scheme });
  const facts = toBaseFields(row, id);
  const sentBody = facts.fault?.kind === 'tamper-body' ? tamperBody(body) : body;
  return {
    ...facts,
    request: {
      url: row.request_url,
      headers,
      body: sentBody,
      signed_content: String(buildSignedContent(scheme, message)),
    },
    response: toResponse(row),
  };
}

/** What the signature among `headers` covers, and its digests. */
export function readSignature(headers: Readonly<Record<string, string>>, { id, body, scheme }: SentMessage) {
  const { signature, timestamp: own } = readSignatureHeaders(scheme, {
    get: (name) => headers[name] ?? null,
  });
  const header = parseSignatureHeader(scheme, signature ?? '');
  const message = { id, timestamp: getSignedTimestamp(scheme, header, own ?? ''), body };
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
