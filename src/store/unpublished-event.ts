/** An event whose deliveries are written in several transactions: hidden until the event itself is written. */
import type Database from 'better-sqlite3';

/** Names the event whose deliveries a process was writing; what a killed process left is removed by it. */
const MARKER_SETTING = 'unpublished_event_seq';

/** Sequences from `from` up to and including `to` are reserved and not visible yet. */
interface HiddenRange {
  readonly from: number;
  readonly to: number;
}

const EMPTY_RANGE: HiddenRange = { from: Number.MAX_SAFE_INTEGER, to: 0 };

/**
 * Deliveries of an event that has no row yet are shown by no query, because each joins the event. The row of the
 * event is written last: that transaction makes all of it visible and durable at once.
 */
export class UnpublishedEvent {
  readonly #db: Database.Database;
  readonly #mark: Database.Statement<[string, string]>;
  readonly clearMarker: Database.Statement<[string]>;
  #hidden = EMPTY_RANGE;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#mark = db.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)');
    this.clearMarker = db.prepare('DELETE FROM settings WHERE key = ?');
  }

  /** What is hidden; an empty range where nothing is. */
  get hidden(): HiddenRange {
    return this.#hidden;
  }

  reserve(range: HiddenRange): void {
    this.#hidden = range;
  }

  /** Writes rows that refer to the event that has no row yet, in a transaction of its own. */
  writeSlice(write: () => void): void {
    this.#db.pragma('foreign_keys = OFF');
    try {
      this.#db
        .transaction(() => {
          this.#mark.run(MARKER_SETTING, String(this.#hidden.from));
          write();
        })
        .immediate();
    } finally {
      this.#db.pragma('foreign_keys = ON');
    }
  }

  /** Inside the write that inserts the event. */
  unmark(): void {
    this.clearMarker.run(MARKER_SETTING);
  }

  /** After that write was committed, or after every row was replaced. */
  reveal(): void {
    this.#hidden = EMPTY_RANGE;
  }
}

/** Removes the deliveries of an event that was never written. */
export function deleteUnpublished(db: Database.Database): void {
  const find = db.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck();
  const seq = find.get(MARKER_SETTING);
  if (seq === undefined) return;
  db.transaction(() => {
    db.prepare('DELETE FROM deliveries WHERE event_seq = ?').run(Number(seq));
    db.prepare('DELETE FROM settings WHERE key = ?').run(MARKER_SETTING);
  }).immediate();
}
