/** Reads new deliveries, attempts and requests in commit order, across tables, by the sequence that they share. */
import type Database from 'better-sqlite3';
import type { StreamTopic } from '../contract/stream-schemas.ts';
import type { UnpublishedEvent } from './connection.ts';

export interface Change {
  readonly seq: number;
  readonly type: StreamTopic;
  /** Sequence of the delivery that changed; 0 for a request. */
  readonly deliverySeq: number;
}

interface Range {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

/** A delivery changes when it is created and, if no attempt settles it, when it is settled. */
const SOURCES = {
  delivery: [
    `SELECT seq, 'delivery' AS type, seq AS deliverySeq FROM deliveries WHERE seq > @after AND seq <= @upTo ORDER BY seq LIMIT @limit`,
    `SELECT settled_seq AS seq, 'delivery' AS type, seq AS deliverySeq FROM deliveries
       WHERE settled_seq IS NOT NULL AND settled_seq > @after AND seq <= @upTo ORDER BY settled_seq LIMIT @limit`,
  ],
  attempt: [
    `SELECT seq, 'attempt' AS type, delivery_seq AS deliverySeq FROM attempts WHERE seq > @after AND seq <= @upTo ORDER BY seq LIMIT @limit`,
  ],
  request: [
    `SELECT seq, 'request' AS type, 0 AS deliverySeq FROM api_requests WHERE seq > @after AND seq <= @upTo ORDER BY seq LIMIT @limit`,
  ],
} as const satisfies Record<StreamTopic, readonly string[]>;

export class ChangeFeed {
  readonly #db: Database.Database;
  readonly #unpublished: Pick<UnpublishedEvent, 'hidden'>;
  readonly #statements = new Map<string, Database.Statement<[Range], Change>>();
  readonly #findLastSeqBefore: Database.Statement<[{ wallTime: number }], number>;

  constructor(db: Database.Database, unpublished: Pick<UnpublishedEvent, 'hidden'>) {
    this.#db = db;
    this.#unpublished = unpublished;
    // Reads backwards from the newest row, so that the cost depends on the result and not on the table.
    this.#findLastSeqBefore = db
      .prepare<[{ wallTime: number }], number>(
        `SELECT coalesce(min(seq), 0) FROM (
           SELECT coalesce((SELECT seq FROM attempts WHERE sent_at_wall < @wallTime ORDER BY seq DESC LIMIT 1), 0) AS seq
           UNION ALL
           SELECT coalesce((SELECT seq FROM api_requests WHERE at_wall < @wallTime ORDER BY seq DESC LIMIT 1), 0)
         ) WHERE seq > 0`,
      )
      .pluck();
  }

  /** Sequence of the newest change that is certainly older than `wallTime`; 0 without one. */
  findLastSeqBefore(wallTime: number): number {
    return this.#findLastSeqBefore.get({ wallTime }) ?? 0;
  }

  /** The first `limit` visible changes of the given types after the sequence `after`, in order. */
  listAfter(after: number, types: ReadonlySet<StreamTopic>, limit: number): Change[] {
    const upTo = this.#unpublished.hidden.from - 1;
    return this.#getStatement(types).all({ after, upTo, limit });
  }

  #getStatement(types: ReadonlySet<StreamTopic>) {
    const key = [...types].sort().join();
    const cached = this.#statements.get(key);
    if (cached) return cached;
    const parts = [...types].flatMap((type) => SOURCES[type]).map((source) => `SELECT * FROM (${source})`);
    const statement = this.#db.prepare<[Range], Change>(
      `${parts.join(' UNION ALL ')} ORDER BY seq LIMIT @limit`,
    );
    this.#statements.set(key, statement);
    return statement;
  }
}
