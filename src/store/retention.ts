/** Deletes old rows, so that a database that is used for months does not keep growing. */
import { Table } from './sql.ts';

/** Rows that one write examines, which then takes a few milliseconds. */
const STEP_ROWS = 200;

/** Number of logged requests. docs/durability.md states it. */
export const KEPT_REQUESTS = 10_000;

/** The rows to keep; null for no limit. */
interface KeptRows {
  /** Wall time: events that were stored earlier, and were not sent since, are deleted. */
  readonly since: number | null;
  /** Bytes of all rows: logged requests are deleted first, then the oldest events. */
  readonly maxSize: number | null;
}

/** Events of a step without a pending delivery or an attempt at or after `@since`. */
const REMOVABLE_EVENTS = `SELECT seq FROM events e WHERE seq > @after AND seq <= @last AND NOT EXISTS (
    SELECT 1 FROM deliveries d WHERE d.event_seq = e.seq
      AND (d.status = 'pending' OR EXISTS (SELECT 1 FROM attempts WHERE delivery_seq = d.seq AND sent_at_wall >= @since)))`;

/** In the order that foreign keys require. */
const DELETE_EVENTS = [
  `DELETE FROM attempts WHERE delivery_seq IN
     (SELECT seq FROM deliveries WHERE event_seq IN (SELECT value FROM json_each(?)))`,
  'DELETE FROM deliveries WHERE event_seq IN (SELECT value FROM json_each(?))',
  'DELETE FROM events WHERE seq IN (SELECT value FROM json_each(?))',
];

export class Retention extends Table {
  /** Bytes used by rows and indexes, without the free pages of the file. */
  getUsedSize(): number {
    return this.sql.value(
      `SELECT (page_count - freelist_count) * page_size
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    ) as number;
  }

  /** Yields steps that delete what is beyond the limits, oldest first. Run each step in its own transaction. */
  *planRemoval({ since, maxSize }: KeptRows): Generator<() => void> {
    if (since !== null) {
      yield* this.#removeEvents(this.#findFirst('events', 'stored_at_wall', since), since);
      yield* this.#removeRequests(this.#findFirst('api_requests', 'at_wall', since));
    }
    yield* this.#removeRequests(this.#findFirstKeptRequest());
    if (maxSize !== null) yield* this.#removeUntilFits(maxSize);
  }

  *#removeUntilFits(maxSize: number): Generator<() => void> {
    const all = Number.MAX_SAFE_INTEGER;
    for (const steps of [this.#removeRequests(all), this.#removeEvents(all, all)]) {
      for (const step of steps) {
        if (this.getUsedSize() <= maxSize) return;
        yield step;
      }
    }
  }

  /** The first row at or after the wall time `since`. Rows are in the order of storing. */
  #findFirst(table: string, column: string, since: number): number {
    const text = `SELECT seq FROM ${table} WHERE ${column} >= ? ORDER BY seq LIMIT 1`;
    return this.sql.value<number>(text, [since]) ?? Number.MAX_SAFE_INTEGER;
  }

  /** The first of the newest requests; 0 if there are not more. */
  #findFirstKeptRequest(): number {
    const text = 'SELECT seq + 1 FROM api_requests ORDER BY seq DESC LIMIT 1 OFFSET ?';
    return this.sql.value<number>(text, [KEPT_REQUESTS]) ?? 0;
  }

  *#removeEvents(end: number, since: number): Generator<() => void> {
    for (const range of this.#splitRange('events', end)) {
      yield () => {
        const events = JSON.stringify(this.sql.values(REMOVABLE_EVENTS, { ...range, since }));
        for (const text of DELETE_EVENTS) this.sql.run(text, [events]);
      };
    }
  }

  *#removeRequests(end: number): Generator<() => void> {
    for (const { last } of this.#splitRange('api_requests', end))
      yield () => void this.sql.run('DELETE FROM api_requests WHERE seq <= ?', [last]);
  }

  /** Splits the rows of a table before `end` into ranges of sequences, from `after` (excluded) to `last` (included). */
  *#splitRange(table: string, end: number): Generator<{ after: number; last: number }> {
    const text = `SELECT max(seq) FROM (SELECT seq FROM ${table} WHERE seq > ? AND seq < ? ORDER BY seq LIMIT ?)`;
    for (let after = 0; ; ) {
      const last = this.sql.value<number | null>(text, [after, end, STEP_ROWS]) ?? null;
      if (last === null) return;
      yield { after, last };
      after = last;
    }
  }
}
