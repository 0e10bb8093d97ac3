/** An open database file with its group commits, file monitor, baseline and unpublished event. */
import type Database from 'better-sqlite3';
import { monotonic, SLICE_MS, yieldToEventLoop } from '../timers.ts';
import { Baseline } from './baseline.ts';
import { createStoreClosedError, type DatabaseOptions, isStorageError, openDatabase } from './database.ts';
import { DatabaseFileMonitor } from './database-file-monitor.ts';
import { GroupCommit, toWriteError } from './group-commit.ts';
import { SettingTable } from './schema.ts';
import { readPragma, Sql } from './sql.ts';

/** Pages released in one transaction: about half a megabyte. */
const PAGES_PER_STEP = 128;
/** Fewer free pages than this are not released. */
const MIN_FREE_PAGES = 64;
/** The value of `PRAGMA auto_vacuum` for incremental vacuum. */
const INCREMENTAL = 2;

interface ConnectionHooks {
  /** Called after every commit of a group. */
  readonly onCommit: () => void;
  /** Called after every rollback. */
  readonly onRollback: () => void;
  /** Called after the rows of the unpublished event became visible or were deleted. */
  readonly onVisible: () => void;
  /** As that of `GroupCommit`. */
  readonly expectsMore: () => boolean;
}

export class Connection {
  readonly db: Database.Database;
  readonly sql: Sql;
  readonly monitor: DatabaseFileMonitor;
  readonly group: GroupCommit;
  readonly baseline: Baseline;
  readonly unpublished: UnpublishedEvent;

  /** @throws SvcError as {@link openDatabase}. */
  constructor(options: DatabaseOptions, { onCommit, onRollback, onVisible, expectsMore }: ConnectionHooks) {
    const db = openDatabase(options);
    const monitor = new DatabaseFileMonitor(options.path);
    this.db = db;
    this.sql = new Sql(db);
    this.monitor = monitor;
    deleteUnpublished(this.sql);
    this.unpublished = new UnpublishedEvent(this, onVisible);
    this.baseline = new Baseline(db);
    this.group = new GroupCommit(db, {
      assertWritable: () => monitor.assertIntact(),
      onCommit: () => {
        monitor.recordWrite();
        onCommit();
      },
      onRollback,
      expectsMore,
    });
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

  /**
   * Replaces rows in a separate transaction, after all waiting writes. Foreign keys are off, because a row can be replaced
   * before the one that it refers to.
   * @throws SvcError `storage_unavailable`.
   */
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
    // Another program can have rewritten the file without it. New rows then use the free pages.
    if (readPragma(db, 'auto_vacuum') !== INCREMENTAL) return;
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

/** Hides nothing: every sequence is below `from`. */
const EMPTY_RANGE: HiddenRange = { from: Number.MAX_SAFE_INTEGER, to: 0 };

/**
 * An event with deliveries that are written in several transactions and hidden until the event itself is written. Every query
 * of deliveries joins the event, so deliveries without an event row are invisible. The event row is written last; that
 * transaction makes everything visible and durable at once. If the process is killed before, the next start deletes the
 * deliveries.
 */
export class UnpublishedEvent {
  readonly #connection: Connection;
  readonly #settings: SettingTable;
  readonly #onVisible: () => void;
  #hiddenRange = EMPTY_RANGE;

  /** @param onVisible called after hidden rows became visible or were deleted. */
  constructor(connection: Connection, onVisible: () => void) {
    this.#connection = connection;
    this.#settings = new SettingTable(connection.sql);
    this.#onVisible = onVisible;
  }

  /** The hidden sequences; by default an empty range. */
  get hiddenRange(): HiddenRange {
    return this.#hiddenRange;
  }

  /** Hides the sequences of an event and its deliveries, which {@link writeSlice} then writes. One event at a time. */
  reserve(range: HiddenRange): void {
    this.#hiddenRange = range;
  }

  /** Whether the event is still reserved. Publishing and discarding end the reservation, and so does a reset. */
  isReserved(eventSeq: number): boolean {
    return this.#hiddenRange.from === eventSeq;
  }

  /** Writes deliveries of the event, in a separate transaction. @throws SvcError `storage_unavailable`. */
  writeSlice(write: () => void): void {
    const { db, monitor } = this.#connection;
    this.#connection.assertOpen();
    monitor.assertIntact();
    // The deliveries refer to the event, which is written last.
    db.pragma('foreign_keys = OFF');
    try {
      this.#connection.withStorageErrors(
        db.transaction(() => {
          this.#settings.set(MARKER_SETTING, String(this.#hiddenRange.from));
          write();
        }).immediate,
      );
    } finally {
      db.pragma('foreign_keys = ON');
    }
  }

  /** Call inside the transaction that inserts the event, or that replaces all rows. */
  publish(): void {
    this.#settings.delete(MARKER_SETTING);
  }

  /** Ends the reservation. Call after the write with {@link publish} was committed. */
  reveal(): void {
    this.#hiddenRange = EMPTY_RANGE;
    this.#onVisible();
  }

  /** Deletes the deliveries of the event. */
  discard(): void {
    const { db, sql } = this.#connection;
    try {
      if (db.open) this.#connection.withStorageErrors(() => deleteUnpublished(sql));
    } finally {
      this.reveal();
    }
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
