/** An event whose deliveries are written in several transactions and hidden until the event itself is written. */
import type Database from 'better-sqlite3';

/** Setting with the sequence of that event, so that the next start can delete what a killed process left. */
const MARKER_SETTING = 'unpublished_event_seq';

/** Reserved sequences that are not visible yet, bounds included. */
interface HiddenRange {
  readonly from: number;
  readonly to: number;
}

const EMPTY_RANGE: HiddenRange = { from: Number.MAX_SAFE_INTEGER, to: 0 };

/**
 * Every query of deliveries joins the event, so deliveries without an event row are invisible. The event row is written
 * last; that transaction makes everything visible and durable at once.
 */
export class UnpublishedEvent {
  readonly #db: Database.Database;
  readonly #mark: Database.Statement<[string, string]>;
  readonly #clearMarker: Database.Statement<[string]>;
  #hidden = EMPTY_RANGE;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#mark = db.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)');
    this.#clearMarker = db.prepare('DELETE FROM settings WHERE key = ?');
  }

  /** The hidden sequences; by default an empty range. */
  get hidden(): HiddenRange {
    return this.#hidden;
  }

  reserve(range: HiddenRange): void {
    this.#hidden = range;
  }

  /** Writes rows that reference the missing event row, in a separate transaction. */
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

  /** Call inside the write that inserts the event. */
  clearMarker(): void {
    this.#clearMarker.run(MARKER_SETTING);
  }

  /** Call after that write was committed, or after all rows were replaced. */
  reveal(): void {
    this.#hidden = EMPTY_RANGE;
  }
}

/** Deletes the deliveries of an event that was never written. */
export function deleteUnpublished(db: Database.Database): void {
  const find = db.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck();
  const seq = find.get(MARKER_SETTING);
  if (seq === undefined) return;
  db.transaction(() => {
    db.prepare('DELETE FROM deliveries WHERE event_seq = ?').run(Number(seq));
    db.prepare('DELETE FROM settings WHERE key = ?').run(MARKER_SETTING);
  }).immediate();
}
