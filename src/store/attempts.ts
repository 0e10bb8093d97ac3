import { isUtf8 } from 'node:buffer';
import type Database from 'better-sqlite3';
import type { Attempt } from '../contract/resources.ts';
import type { AttemptOutcome, AttemptTrigger } from '../domain/delivery.ts';

export interface AttemptRow {
  readonly seq: number;
  readonly delivery_seq: number;
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
}

export class AttemptTable {
  readonly #insert: Database.Statement<[AttemptRow]>;
  readonly #ofDelivery: Database.Statement<[number], AttemptRow>;
  readonly #bySeq: Database.Statement<[number], AttemptRow>;

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      `INSERT INTO attempts (seq, delivery_seq, number, trigger, scheduled_at, sent_at_wall, duration_ms, outcome,
         response_status, error, request_url, request_headers, response_headers, response_body, response_truncated)
       VALUES (@seq, @delivery_seq, @number, @trigger, @scheduled_at, @sent_at_wall, @duration_ms, @outcome,
         @response_status, @error, @request_url, @request_headers, @response_headers, @response_body, @response_truncated)`,
    );
    this.#ofDelivery = db.prepare('SELECT * FROM attempts WHERE delivery_seq = ? ORDER BY number');
    this.#bySeq = db.prepare('SELECT * FROM attempts WHERE seq = ?');
  }

  insert(row: AttemptRow): void {
    this.#insert.run(row);
  }

  listOfDelivery(deliverySeq: number): AttemptRow[] {
    return this.#ofDelivery.all(deliverySeq);
  }

  findBySeq(seq: number): AttemptRow | undefined {
    return this.#bySeq.get(seq);
  }
}

/** The attempt as every door shows it. Its id is its delivery's, with its number. */
export function toAttempt(row: AttemptRow, deliveryId: string, body: string): Attempt {
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
    request: { url: row.request_url, headers: JSON.parse(row.request_headers), body },
    response: toResponse(row),
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
