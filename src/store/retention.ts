/** Removing what is old, so that a database that is used for months does not grow for months. */
import type Database from 'better-sqlite3';
import type { SettingTable } from './settings.ts';

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

/** Rows of a table that are looked at. */
interface Range {
  readonly after: number;
  readonly before: number;
}

interface AgeMark {
  readonly seq: number;
  readonly at: number;
}

const MARKS_SETTING = 'age_marks';
/** Marks that are kept: an hour apart, they reach back for six weeks. */
const MAX_MARKS = 1_000;
/** Events after which the size is judged again. */
const CHUNK_EVENTS = 1_000;

/**
 * Most rows know their schedule time only, which says nothing about how long ago they were made. Their place in the
 * common order does: what comes before a request of the log, or before an age mark, is older than that. So the newest of
 * the old requests and marks is the bound; it stays itself, and with it the place from which the order goes on after a
 * restart. What was sent after it stays as well, until a later request is old.
 */
export class Retention {
  readonly #db: Database.Database;
  readonly #settings: SettingTable;
  readonly #firstYoung: Database.Statement<[number], number>;
  readonly #lastBefore: Database.Statement<[number], number>;
  readonly #firstTooMany: Database.Statement<[number], number>;
  readonly #chunkEnd: Database.Statement<[number, number], number | null>;
  /** In the order that references allow: for each table the last row of a window, and what removes in it. */
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

  /** Notes that everything up to `seq` was there at the wall time `at`. Inside a write. */
  recordAge(seq: number, at: number): void {
    const marks = this.#readMarks();
    if (marks.at(-1)?.seq === seq) return;
    const kept = [...marks.filter((mark) => mark.seq < seq), { seq, at }].slice(-MAX_MARKS);
    this.#settings.set(MARKS_SETTING, JSON.stringify(kept));
  }

  #readMarks(): AgeMark[] {
    return JSON.parse(this.#settings.find(MARKS_SETTING) ?? '[]');
  }

  /**
   * Steps that remove what is older than `wallTime`: settled deliveries with their attempts, events without
   * deliveries, and requests of the log. Each is to be run inside a write of its own.
   */
  *removalsBefore(wallTime: number): Generator<() => void> {
    const firstYoung = this.#firstYoung.get(wallTime) ?? Number.MAX_SAFE_INTEGER;
    const marked = this.#readMarks().filter(({ at }) => at < wallTime);
    const bound = Math.max(this.#lastBefore.get(firstYoung) ?? 0, ...marked.map(({ seq }) => seq + 1));
    yield* this.#removals({ after: 0, before: bound }, bound);
  }

  /** Steps that remove the oldest requests of the log beyond `count`. */
  *removalsBeyond(count: number): Generator<() => void> {
    const before = (this.#firstTooMany.get(count) ?? 0) + 1;
    yield* this.#removals({ after: 0, before }, before, ['api_requests']);
  }

  /**
   * Steps that remove the oldest of what can be removed, whatever its age, until the rows take up at most `bytes`.
   * @param lastSeq the place of the newest row.
   */
  *removalsToFit(bytes: number, lastSeq: number): Generator<() => void> {
    let [former, after] = [0, 0];
    while (this.usedBytes() > bytes && after <= lastSeq) {
      const before = (this.#chunkEnd.get(after, CHUNK_EVENTS) ?? lastSeq) + 1;
      // An event at the end of a chunk has its deliveries in the next one.
      for (const step of this.#removals({ after: former, before }, Number.MAX_SAFE_INTEGER)) {
        yield step;
        if (this.usedBytes() <= bytes) return;
      }
      [former, after] = [after, before];
    }
  }

  /** Bytes that rows and indexes take up; the file also has free pages. */
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
