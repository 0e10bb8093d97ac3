/** Deletes old rows, so that a database that is used for months does not keep growing. */
import type Database from 'better-sqlite3';
import type { SettingTable } from './settings.ts';

/** Rows examined by one write, which then takes one or two milliseconds. */
const WINDOW = 500;

interface Window {
  /** The window holds the rows from `after` (excluded) to `last` (included). */
  readonly after: number;
  readonly last: number;
  /** Rows with this sequence or a later one are kept. */
  readonly bound: number;
}

/** Settled deliveries with no change at or after the bound that are not the original of a replay. */
const REMOVABLE_DELIVERIES = `SELECT seq FROM deliveries d
  WHERE d.seq > @after AND d.seq <= @last AND d.due_at IS NULL AND d.status <> 'pending'
    AND (d.settled_seq IS NULL OR d.settled_seq < @bound)
    AND NOT EXISTS (SELECT 1 FROM attempts WHERE delivery_seq = d.seq AND seq >= @bound)
    AND NOT EXISTS (SELECT 1 FROM deliveries copy WHERE copy.replay_of_seq = d.seq)`;

/** A range of sequences, bounds excluded. */
interface Range {
  readonly after: number;
  readonly before: number;
}

interface AgeMark {
  readonly seq: number;
  readonly at: number;
}

const MARKS_SETTING = 'age_marks';
/** One mark an hour, for six weeks. */
const MAX_MARKS = 1_000;
/** Events deleted before the size is measured again. */
const CHUNK_EVENTS = 1_000;

/**
 * Most rows have only schedule time, which does not tell their age. Their sequence does: a row is older than any logged
 * request or age mark with a higher sequence. The newest old request or mark is therefore the bound. The bound itself is
 * kept, so that sequences continue from it after a restart.
 */
export class Retention {
  readonly #db: Database.Database;
  readonly #settings: SettingTable;
  readonly #firstYoung: Database.Statement<[number], number>;
  readonly #lastBefore: Database.Statement<[number], number>;
  readonly #firstTooMany: Database.Statement<[number], number>;
  readonly #chunkEnd: Database.Statement<[number, number], number | null>;
  /** In the order that foreign keys require: per table, the last row of a window and its DELETE statements. */
  readonly #tables: readonly {
    readonly name: string;
    readonly findLast: Database.Statement<[number, number, number], number | null>;
    readonly removals: readonly Database.Statement<[Window]>[];
  }[];

  constructor(db: Database.Database, settings: SettingTable) {
    this.#db = db;
    this.#settings = settings;
    this.#firstYoung = db
      .prepare<[number], number>('SELECT seq FROM api_requests WHERE at_wall >= ? ORDER BY seq LIMIT 1')
      .pluck();
    this.#lastBefore = db
      .prepare<[number], number>('SELECT seq FROM api_requests WHERE seq < ? ORDER BY seq DESC LIMIT 1')
      .pluck();
    this.#firstTooMany = db
      .prepare<[number], number>('SELECT seq FROM api_requests ORDER BY seq DESC LIMIT 1 OFFSET ?')
      .pluck();
    this.#chunkEnd = db
      .prepare<[number, number], number | null>(
        'SELECT max(seq) FROM (SELECT seq FROM events WHERE seq > ? ORDER BY seq LIMIT ?)',
      )
      .pluck();
    const table = (name: string, removals: readonly string[]) => ({
      name,
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

  /** Records that all rows up to `seq` existed at the wall time `at`. Call inside a write. */
  recordAge(seq: number, at: number): void {
    const marks = this.#readMarks();
    if (marks.at(-1)?.seq === seq) return;
    const newest = [...marks.filter((mark) => mark.seq < seq), { seq, at }].slice(-MAX_MARKS);
    this.#settings.set(MARKS_SETTING, JSON.stringify(newest));
  }

  #readMarks(): AgeMark[] {
    return JSON.parse(this.#settings.find(MARKS_SETTING) ?? '[]');
  }

  /**
   * Yields steps that delete rows older than `wallTime`: settled deliveries with their attempts, events without
   * deliveries, and logged requests. Run each step inside its own write.
   */
  *removalsBefore(wallTime: number): Generator<() => void> {
    const firstYoung = this.#firstYoung.get(wallTime) ?? Number.MAX_SAFE_INTEGER;
    const marked = this.#readMarks().filter(({ at }) => at < wallTime);
    const bound = Math.max(this.#lastBefore.get(firstYoung) ?? 0, ...marked.map(({ seq }) => seq + 1));
    yield* this.#removals({ after: 0, before: bound }, bound);
  }

  /** Yields steps that delete the oldest logged requests beyond `count`. */
  *removalsBeyond(count: number): Generator<() => void> {
    const before = (this.#firstTooMany.get(count) ?? 0) + 1;
    yield* this.#removals({ after: 0, before }, before, ['api_requests']);
  }

  /**
   * Yields steps that delete the oldest removable rows, whatever their age, until the rows use at most `bytes`.
   * @param lastSeq the sequence of the newest row.
   */
  *removalsToFit(bytes: number, lastSeq: number): Generator<() => void> {
    let [former, after] = [0, 0];
    while (this.usedBytes() > bytes && after <= lastSeq) {
      const before = (this.#chunkEnd.get(after, CHUNK_EVENTS) ?? lastSeq) + 1;
      // The deliveries of the last event of a chunk are in the next chunk.
      for (const step of this.#removals({ after: former, before }, Number.MAX_SAFE_INTEGER)) {
        yield step;
        if (this.usedBytes() <= bytes) return;
      }
      [former, after] = [after, before];
    }
  }

  /** Bytes used by rows and indexes, without the free pages of the file. */
  usedBytes(): number {
    const read = (name: string) => Number(this.#db.pragma(name, { simple: true }));
    return (read('page_count') - read('freelist_count')) * read('page_size');
  }

  *#removals(
    range: Range,
    bound: number,
    only: readonly string[] = this.#tables.map(({ name }) => name),
  ): Generator<() => void> {
    for (const { name, findLast, removals } of this.#tables) {
      if (!only.includes(name)) continue;
      let { after } = range;
      let last = findLast.get(after, range.before, WINDOW);
      while (typeof last === 'number') {
        const window = { after, last, bound };
        yield () => {
          for (const removal of removals) removal.run(window);
        };
        after = last;
        last = findLast.get(after, range.before, WINDOW);
      }
    }
  }
}
