/** An open database file with its group commits, file monitor, baseline and unpublished event. */
import type Database from 'better-sqlite3';
import { monotonic, SLICE_MS, yieldToEventLoop } from '../timers.ts';
import { Baseline } from './baseline.ts';
import { createStoreClosedError, type DatabaseOptions, isStorageError, openDatabase } from './database.ts';
import { DatabaseFileMonitor } from './database-file-monitor.ts';
import { GroupCommit, toWriteError } from './group-commit.ts';
import { SettingTable } from './schema.ts';
import { readPragma, readUsedBytes, Sql } from './sql.ts';

/** Pages released in one transaction: about half a megabyte. */
const PAGES_PER_STEP = 128;
/** Fewer free pages than this are not released. */
const MIN_FREE_PAGES = 64;
/** A database that was created without incremental vacuum is rewritten with VACUUM, unless it is larger than this. */
const REWRITE_LIMIT_BYTES = 16 * 2 ** 20;
/** The value of `PRAGMA auto_vacuum` for incremental vacuum. */
const INCREMENTAL = 2;

export interface ConnectionHooks {
  /** Called after every commit of a group. */
  readonly onCommit: () => void;
  /** Called after every rollback. */
  readonly onRollback: () => void;
}

export class Connection {
  readonly db: Database.Database;
  readonly sql: Sql;
  readonly monitor: DatabaseFileMonitor;
  readonly group: GroupCommit;
  readonly baseline: Baseline;
  readonly unpublished: UnpublishedEvent;

  /** @throws SvcError as {@link openDatabase}. */
  constructor(options: DatabaseOptions, { onCommit, onRollback }: ConnectionHooks) {
    const db = openDatabase(options);
    const monitor = new DatabaseFileMonitor(options.path);
    this.db = db;
    this.sql = new Sql(db);
    this.monitor = monitor;
    deleteUnpublished(this.sql);
    this.unpublished = new UnpublishedEvent(this.sql);
    this.baseline = new Baseline(db);
    this.group = new GroupCommit(
      db,
      () => {
        monitor.recordWrite();
        onCommit();
      },
      onRollback,
      () => monitor.assertIntact(),
    );
  }

  /** @throws SvcError `storage_unavailable` after the database was closed. */
  assertOpen(): void {
    if (!this.db.open) throw createStoreClosedError();
  }

  /** Writes at once, in a separate transaction. */
  writeNow<Result>(operation: () => Result): Result {
    const result = this.db.transaction(operation).immediate();
    this.monitor.recordWrite();
    return result;
  }

  /** Runs a write. @throws SvcError `storage_unavailable` if the file or its disk fails; any other error unchanged. */
  withStorageErrors(write: () => void): void {
    try {
      write();
    } catch (error) {
      throw isStorageError(error) ? toWriteError(error) : error;
    }
  }

  /** Writes in its own transaction, after all waiting writes. @throws SvcError `storage_unavailable`. */
  writeWithoutForeignKeys(operation: () => void): void {
    this.group.flush();
    this.monitor.assertIntact();
    this.db.pragma('foreign_keys = OFF');
    try {
      this.withStorageErrors(() => this.writeNow(operation));
    } finally {
      this.db.pragma('foreign_keys = ON');
    }
  }

  /** Runs `operation` while another database file is attached as `name`. */
  whileAttached(path: string, name: string, operation: () => void): void {
    this.group.flush();
    this.db.prepare(`ATTACH ? AS ${name}`).run(path);
    try {
      operation();
    } finally {
      this.db.exec(`DETACH ${name}`);
    }
  }

  /**
   * Shrinks the file: SQLite keeps the pages of deleted rows in it for later rows. Works in steps that let other writes
   * through, until the file is closed or damaged.
   */
  async releaseFreePages(): Promise<void> {
    const { db, monitor } = this;
    const canContinue = () => db.open && monitor.check() === null;
    if (!canContinue() || readPragma(db, 'freelist_count') <= MIN_FREE_PAGES) return;
    if (readPragma(db, 'auto_vacuum') !== INCREMENTAL) {
      // An earlier version created the file. If it is too large to be rewritten, its free pages are used for new rows.
      if (readUsedBytes(db) > REWRITE_LIMIT_BYTES) return;
      db.pragma('auto_vacuum = INCREMENTAL');
      db.exec('VACUUM');
      monitor.recordWrite();
    }
    let endsAt = monotonic() + SLICE_MS;
    while (canContinue() && readPragma(db, 'freelist_count') > 0) {
      db.pragma(`incremental_vacuum(${PAGES_PER_STEP})`);
      monitor.recordWrite();
      if (monotonic() < endsAt) continue;
      await yieldToEventLoop();
      endsAt = monotonic() + SLICE_MS;
    }
    if (!canContinue()) return;
    db.pragma('wal_checkpoint(TRUNCATE)');
    monitor.recordWrite();
  }

  /** Commits waiting writes and closes the file. */
  close(): void {
    if (!this.db.open) return;
    this.group.flush();
    this.db.close();
  }
}

/** Setting with the sequence of the {@link UnpublishedEvent}, so that the next start can delete what a killed process left. */
const MARKER_SETTING = 'unpublished_event_seq';

/** Reserved sequences that are not visible yet, bounds included. */
interface HiddenRange {
  readonly from: number;
  readonly to: number;
}

const EMPTY_RANGE: HiddenRange = { from: Number.MAX_SAFE_INTEGER, to: 0 };

/**
 * An event whose deliveries are written in several transactions and hidden until the event itself is written. Every query
 * of deliveries joins the event, so deliveries without an event row are invisible. The event row is written
 * last; that transaction makes everything visible and durable at once.
 */
export class UnpublishedEvent {
  readonly #db: Database.Database;
  readonly #settings: SettingTable;
  #hidden = EMPTY_RANGE;

  constructor(sql: Sql) {
    this.#db = sql.db;
    this.#settings = new SettingTable(sql);
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
export function deleteUnpublished(sql: Sql): void {
  const settings = new SettingTable(sql);
  const seq = settings.find(MARKER_SETTING);
  if (seq === undefined) return;
  sql.db
    .transaction(() => {
      sql.run('DELETE FROM deliveries WHERE event_seq = ?', [Number(seq)]);
      settings.delete(MARKER_SETTING);
    })
    .immediate();
}
