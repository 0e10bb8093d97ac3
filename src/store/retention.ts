/** Deletes old rows, so that a database that is used for months does not keep growing. */
import type { SettingTable } from './schema.ts';
import { readUsedBytes, type Sql, Table } from './sql.ts';

/** Rows examined by one write, which then takes one or two milliseconds. */
const STEP_ROWS = 500;

/** The rows to delete. */
interface Removal {
  /** Rows with this sequence or a later one are not deleted. */
  readonly before: number;
  /** Rows up to this sequence are not examined again (default: 0). */
  readonly after?: number;
  /** Deliveries that changed at this sequence or later are kept (default: {@link before}). */
  readonly firstKeptSeq?: number;
  /** Keys of {@link REMOVALS} (default: all). */
  readonly tables?: readonly string[];
}

/** The rows that one write examines, and the deliveries to keep. */
interface StepRange {
  /** Sequences from `after` (excluded) to `last` (included). */
  readonly after: number;
  readonly last: number;
  /** Deliveries that changed at this sequence or later are kept. */
  readonly firstKeptSeq: number;
}

/** Settled deliveries that did not change at or after the sequence `@firstKeptSeq`, and that are not the original of a replay. */
const REMOVABLE_DELIVERIES = `SELECT seq FROM deliveries d
  WHERE d.seq > @after AND d.seq <= @last AND d.status <> 'pending'
    AND (d.settled_seq IS NULL OR d.settled_seq < @firstKeptSeq)
    AND NOT EXISTS (SELECT 1 FROM attempts WHERE delivery_seq = d.seq AND seq >= @firstKeptSeq)
    AND NOT EXISTS (SELECT 1 FROM deliveries copy WHERE copy.replay_of_seq = d.seq)`;

/** All rows up to the sequence `seq` existed at the wall time `at`. */
interface AgeMark {
  readonly seq: number;
  readonly at: number;
}

const AGE_MARKS_SETTING = 'age_marks';
/** One mark an hour, for six weeks. */
const MAX_MARKS = 1_000;
/** To reduce the size, the deliveries, events and requests around this many events are deleted before newer rows. */
const CHUNK_EVENTS = 1_000;

/** Statements that delete the rows of a {@link StepRange} of each table, in the order that foreign keys require. */
const REMOVALS: Readonly<Record<string, readonly string[]>> = {
  deliveries: [
    `DELETE FROM attempts WHERE delivery_seq IN (${REMOVABLE_DELIVERIES})`,
    `DELETE FROM deliveries WHERE seq IN (${REMOVABLE_DELIVERIES})`,
  ],
  events: [
    `DELETE FROM events WHERE seq > @after AND seq <= @last
       AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event_seq = events.seq)`,
  ],
  api_request_messages: ['DELETE FROM api_request_messages WHERE seq <= @last'],
  api_requests: ['DELETE FROM api_requests WHERE seq <= @last'],
};

/** Number of logged requests that keep their headers and bodies. */
export const KEPT_MESSAGES = 10_000;

/**
 * Most rows have only schedule time, which does not tell their age. Their sequence does: a row is older than any age mark with
 * a higher sequence, and than the end of any logged request with one. All rows below the newest old request or mark are
 * therefore old. That request itself is kept, so that sequences continue from it after a restart.
 */
export class Retention extends Table {
  readonly #settings: SettingTable;

  constructor(sql: Sql, settings: SettingTable) {
    super(sql);
    this.#settings = settings;
  }

  /** Records that all rows up to `seq` existed at the wall time `at`. Call inside a store transaction. */
  recordAge(seq: number, at: number): void {
    const marks = this.#readMarks();
    if (marks.at(-1)?.seq === seq) return;
    const newest = [...marks, { seq, at }].slice(-MAX_MARKS);
    this.#settings.set(AGE_MARKS_SETTING, JSON.stringify(newest));
  }

  #readMarks(): AgeMark[] {
    return JSON.parse(this.#settings.find(AGE_MARKS_SETTING) ?? '[]');
  }

  /**
   * Yields steps that delete rows older than `wallTime`: settled deliveries with their attempts, events without
   * deliveries, and logged requests. Run each step in its own transaction.
   */
  *planRemovalBefore(wallTime: number): Generator<() => void> {
    const firstRecentSeq =
      this.sql.value<number>(
        'SELECT seq FROM api_requests WHERE at_wall + duration_ms >= ? ORDER BY seq LIMIT 1',
        [wallTime],
      ) ?? Number.MAX_SAFE_INTEGER;
    const oldMarks = this.#readMarks().filter(({ at }) => at < wallTime);
    const firstKeptSeq = Math.max(
      this.sql.value<number>('SELECT seq FROM api_requests WHERE seq < ? ORDER BY seq DESC LIMIT 1', [
        firstRecentSeq,
      ]) ?? 0,
      ...oldMarks.map(({ seq }) => seq + 1),
    );
    yield* this.#planRemoval({ before: firstKeptSeq });
  }

  /** Yields steps that delete the oldest logged requests beyond `count`. */
  *planRemovalBeyond(count: number): Generator<() => void> {
    const before = this.#findSeqBeyond('api_requests', count) + 1;
    yield* this.#planRemoval({ before, tables: ['api_request_messages', 'api_requests'] });
  }

  /** Yields steps that delete the headers and bodies of the oldest logged requests beyond {@link KEPT_MESSAGES}. */
  *planMessageRemoval(): Generator<() => void> {
    const before = this.#findSeqBeyond('api_request_messages', KEPT_MESSAGES) + 1;
    yield* this.#planRemoval({ before, tables: ['api_request_messages'] });
  }

  /** The newest sequence of the table after its newest `count` rows; 0 if it has no more. */
  #findSeqBeyond(table: string, count: number): number {
    const text = `SELECT seq FROM ${table} ORDER BY seq DESC LIMIT 1 OFFSET ?`;
    return this.sql.value<number>(text, [count]) ?? 0;
  }

  /**
   * Yields steps that delete the oldest removable rows, whatever their age, until the rows use at most `bytes`. The headers
   * and bodies of logged requests come first.
   * @param lastSeq the sequence of the newest row.
   */
  *planRemovalToFit(bytes: number, lastSeq: number): Generator<() => void> {
    for (const step of this.#planRemoval({ before: lastSeq + 1, tables: ['api_request_messages'] })) {
      if (this.getUsedBytes() <= bytes) return;
      yield step;
    }
    let [previousAfter, after] = [0, 0];
    while (this.getUsedBytes() > bytes && after <= lastSeq) {
      const before =
        (this.sql.value<number>(
          'SELECT max(seq) FROM (SELECT seq FROM events WHERE seq > ? ORDER BY seq LIMIT ?)',
          [after, CHUNK_EVENTS],
        ) ?? lastSeq) + 1;
      // Starts with the previous chunk again: the deliveries of its last event are in this one, and are deleted first.
      const chunk = { after: previousAfter, before, firstKeptSeq: Number.MAX_SAFE_INTEGER };
      for (const step of this.#planRemoval(chunk)) {
        yield step;
        if (this.getUsedBytes() <= bytes) return;
      }
      [previousAfter, after] = [after, before];
    }
  }

  /** Bytes used by rows and indexes, without the free pages of the file. */
  getUsedBytes(): number {
    return readUsedBytes(this.sql.db);
  }

  *#planRemoval({
    before,
    after: start = 0,
    firstKeptSeq = before,
    tables = Object.keys(REMOVALS),
  }: Removal): Generator<() => void> {
    for (const table of tables) {
      let after = start;
      let last = this.#findLast(table, after, before);
      while (last !== null) {
        const stepRange: StepRange = { after, last, firstKeptSeq };
        yield () => {
          for (const removal of REMOVALS[table] ?? []) this.sql.run(removal, stepRange);
        };
        after = last;
        last = this.#findLast(table, after, before);
      }
    }
  }

  /** The last of the next {@link STEP_ROWS} rows after `after` and below `before`; null if no row is left. */
  #findLast(table: string, after: number, before: number): number | null {
    const text = `SELECT max(seq) FROM (SELECT seq FROM ${table} WHERE seq > ? AND seq < ? ORDER BY seq LIMIT ?)`;
    return this.sql.value<number | null>(text, [after, before, STEP_ROWS]) ?? null;
  }
}
