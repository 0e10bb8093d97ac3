/** Reads new deliveries, attempts and requests in commit order, by the sequence that they share. */

import { SECOND_MS } from '../domain/duration.ts';
import type { StreamTopic } from '../operations/stream-schemas.ts';
import { Table } from './sql.ts';

export interface Change {
  readonly seq: number;
  readonly type: StreamTopic;
  /** Sequence of the delivery that changed, or of the delivery of an attempt; 0 for a request. */
  readonly rowSeq: number;
}

/** A delivery changes when it is created and, if no attempt settles it, when it is settled. An attempt is a change of its own. */
const SOURCES = {
  delivery: [
    `SELECT seq, 'delivery' AS type, seq AS rowSeq FROM deliveries WHERE seq > @after ORDER BY seq LIMIT @limit`,
    `SELECT settled_seq AS seq, 'delivery' AS type, seq AS rowSeq FROM deliveries
       WHERE settled_seq > @after ORDER BY settled_seq LIMIT @limit`,
  ],
  attempt: [
    `SELECT seq, 'attempt' AS type, delivery_seq AS rowSeq FROM attempts WHERE seq > @after ORDER BY seq LIMIT @limit`,
  ],
  request: [
    `SELECT seq, 'request' AS type, 0 AS rowSeq FROM api_requests WHERE seq > @after ORDER BY seq LIMIT @limit`,
  ],
} as const satisfies Record<StreamTopic, readonly string[]>;

/** A request is logged up to 20 ms after its end (`Store.writeLater`), or later in a busy process. */
const LOGGED_WITHIN_MS = SECOND_MS;

export class ChangeFeed extends Table {
  /** The newest sequence before the deliveries created at or after a schedule time; undefined without such deliveries. */
  findLastSeqBeforeDeliveries(since: number): number | undefined {
    return this.sql.value('SELECT min(seq) - 1 FROM deliveries WHERE created_at >= ?', [since]) ?? undefined;
  }

  /**
   * A sequence such that all requests that began at or after `wallTime` have a later one; 0 if none is known. A request is logged at
   * its end, so a slow one can have a later sequence than faster ones that began after it.
   */
  findLastSeqBeforeRequests(wallTime: number): number {
    // Reads backwards from the newest row, so that the cost depends on the result and not on the table.
    const endedBefore = wallTime - LOGGED_WITHIN_MS;
    return (
      this.sql.value(
        'SELECT seq FROM api_requests WHERE at_wall + duration_ms < ? ORDER BY seq DESC LIMIT 1',
        [endedBefore],
      ) ?? 0
    );
  }

  /** The first `limit` changes of the given types after the sequence `after`, in order. */
  listAfter(after: number, types: ReadonlySet<StreamTopic>, limit: number): Change[] {
    const sources = [...types].sort().flatMap((type) => SOURCES[type]);
    if (sources.length === 0) return [];
    const parts = sources.map((source) => `SELECT * FROM (${source})`);
    return this.sql.all(`${parts.join(' UNION ALL ')} ORDER BY seq LIMIT @limit`, { after, limit });
  }
}
