/** Removing what is old, so that a database that is used for months does not grow for months. */
import type Database from 'better-sqlite3';

/** Rows that one write looks at: it holds up everything else for a millisecond or two. */
const WINDOW = 500;

interface Window {
  /** Rows up to here have been looked at. */
  readonly after: number;
  readonly last: number;
  /** What happened from here on stays. */
  readonly bound: number;
}

/** Settled, with everything that ever happened to it before the bound, and not the original of a replay. */
const REMOVABLE_DELIVERIES = `SELECT seq FROM deliveries d
  WHERE d.seq > @after AND d.seq <= @last AND d.due_at IS NULL AND d.status <> 'pending'
    AND (d.settled_seq IS NULL OR d.settled_seq < @bound)
    AND NOT EXISTS (SELECT 1 FROM attempts WHERE delivery_seq = d.seq AND seq >= @bound)
    AND NOT EXISTS (SELECT 1 FROM deliveries copy WHERE copy.replay_of_seq = d.seq)`;

/**
 * Most rows know their schedule time only, which says nothing about how long ago they were made. Their place in the
 * common order does: what comes before a request of the log is older than that request. So the newest of the old
 * requests is the bound; it stays itself, and with it the place from which the order goes on after a restart. What was
 * sent after it stays as well, until a later request is old.
 */
export class Retention {
  readonly #firstYoung: Database.Statement<[number], number>;
  readonly #lastBefore: Database.Statement<[number], number>;
  /** In the order that references allow: for each table the last row of a window, and what removes in it. */
  readonly #tables: readonly {
    readonly findLast: Database.Statement<[number, number, number], number | null>;
    readonly removals: readonly Database.Statement<[Window]>[];
  }[];

  constructor(db: Database.Database) {
    this.#firstYoung = db
      .prepare<[number], number>('SELECT seq FROM api_requests WHERE at_wall >= ? ORDER BY seq LIMIT 1')
      .pluck();
    this.#lastBefore = db
      .prepare<[number], number>('SELECT seq FROM api_requests WHERE seq < ? ORDER BY seq DESC LIMIT 1')
      .pluck();
    const table = (name: string, removals: readonly string[]) => ({
      findLast: db
        .prepare<[number, number, number], number | null>(
          `SELECT max(seq) FROM (SELECT seq FROM ${name} WHERE seq > ? AND seq < ? ORDER BY seq LIMIT ?)`,
        )
        .pluck(),
      removals: removals.map((sql) => db.prepare<[Window]>(sql)),
    });
    this.#tables = [
      table('deliveries', [
        `DELETE FROM attempts WHERE delivery_seq IN (${REMOVABLE_DELIVERIES})`,
        `DELETE FROM deliveries WHERE seq IN (${REMOVABLE_DELIVERIES})`,
      ]),
      table('events', [
        `DELETE FROM events WHERE seq > @after AND seq <= @last AND seq < @bound
           AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_seq = events.seq)`,
      ]),
      table('api_requests', [
        'DELETE FROM api_requests WHERE seq > @after AND seq <= @last AND seq < @bound',
      ]),
    ];
  }

  /**
   * Steps that remove what is older than `wallTime`: settled deliveries with their attempts, events without
   * deliveries, and requests of the log. Each is to be run inside a write of its own.
   */
  *removalsBefore(wallTime: number): Generator<() => void> {
    const firstYoung = this.#firstYoung.get(wallTime) ?? Number.MAX_SAFE_INTEGER;
    const bound = this.#lastBefore.get(firstYoung) ?? 0;
    for (const { findLast, removals } of this.#tables) {
      let after = 0;
      let last = findLast.get(after, bound, WINDOW);
      while (typeof last === 'number') {
        const window = { after, last, bound };
        yield () => {
          for (const removal of removals) removal.run(window);
        };
        after = last;
        last = findLast.get(after, bound, WINDOW);
      }
    }
  }
}
