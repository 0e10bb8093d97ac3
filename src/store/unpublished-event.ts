/** An event whose deliveries are written in several transactions and hidden until the event itself is written. */
import type Database from 'better-sqlite3';
import { SettingTable } from './settings.ts';

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
  readonly #settings: SettingTable;
  #hidden = EMPTY_RANGE;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#settings = new SettingTable(db);
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
          this.#settings.set(MARKER_SETTING, String(this.#hidden.from));
          write();
        })
        .immediate();
    } finally {
      this.#db.pragma('foreign_keys = ON');
    }
  }

  /** Call inside the write that inserts the event. */
  clearMarker(): void {
    this.#settings.delete(MARKER_SETTING);
  }

  /** Call after the write with {@link clearMarker} was committed, or after all rows were replaced. */
  reveal(): void {
    this.#hidden = EMPTY_RANGE;
  }
}

/** Deletes the deliveries of an event that was never written. */
export function deleteUnpublished(db: Database.Database): void {
  const settings = new SettingTable(db);
  const seq = settings.find(MARKER_SETTING);
  if (seq === undefined) return;
  db.transaction(() => {
    db.prepare('DELETE FROM deliveries WHERE event_seq = ?').run(Number(seq));
    settings.delete(MARKER_SETTING);
  }).immediate();
}
