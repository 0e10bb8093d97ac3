/** Reads new deliveries, attempts and requests in commit order, across tables, by the sequence that they share. */
import type { StreamTopic } from '../contract/stream-schemas.ts';
import type { UnpublishedEvent } from './connection.ts';
import { type Sql, Table } from './sql.ts';

export interface Change {
  readonly seq: number;
  readonly type: StreamTopic;
  /** Sequence of the delivery that changed; 0 for a request. */
  readonly deliverySeq: number;
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

export class ChangeFeed extends Table {
  readonly #unpublished: Pick<UnpublishedEvent, 'hiddenRange'>;

  constructor(sql: Sql, unpublished: Pick<UnpublishedEvent, 'hiddenRange'>) {
    super(sql);
    this.#unpublished = unpublished;
  }

  /** Sequence of the newest change that is certainly older than `wallTime`; 0 without one. */
  findLastSeqBefore(wallTime: number): number {
    // Reads backwards from the newest row, so that the cost depends on the result and not on the table.
    const seq = this.sql.value<number>(
      `SELECT coalesce(min(seq), 0) FROM (
         SELECT coalesce((SELECT seq FROM attempts WHERE sent_at_wall < @wallTime ORDER BY seq DESC LIMIT 1), 0) AS seq
         UNION ALL
         SELECT coalesce((SELECT seq FROM api_requests WHERE at_wall < @wallTime ORDER BY seq DESC LIMIT 1), 0)
       ) WHERE seq > 0`,
      { wallTime },
    );
    return seq ?? 0;
  }

  /** The first `limit` visible changes of the given types after the sequence `after`, in order. */
  listAfter(after: number, types: ReadonlySet<StreamTopic>, limit: number): Change[] {
    const upTo = this.#unpublished.hiddenRange.from - 1;
    const sources = [...types].sort().flatMap((type) => SOURCES[type]);
    const parts = sources.map((source) => `SELECT * FROM (${source})`);
    return this.sql.all(`${parts.join(' UNION ALL ')} ORDER BY seq LIMIT @limit`, { after, upTo, limit });
  }
}
