/** An open database file with its group commits, file monitor and baseline. */
import type Database from 'better-sqlite3';
import { monotonic, SLICE_MS, yieldToEventLoop } from '../timers.ts';
import { Baseline } from './baseline.ts';
import { createStoreClosedError, type DatabaseOptions, isStorageError, openDatabase } from './database.ts';
import { DatabaseFileMonitor } from './database-file-monitor.ts';
import { GroupCommit, toWriteError } from './group-commit.ts';
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
  /** See `GroupCommit`. */
  readonly expectsMore: () => boolean;
}

export class Connection {
  readonly db: Database.Database;
  readonly sql: Sql;
  readonly monitor: DatabaseFileMonitor;
  readonly group: GroupCommit;
  readonly baseline: Baseline;

  /** @throws SvcError as {@link openDatabase}. */
  constructor(options: DatabaseOptions, { onCommit, onRollback, expectsMore }: ConnectionHooks) {
    const db = openDatabase(options);
    const monitor = new DatabaseFileMonitor(options.path);
    this.db = db;
    this.sql = new Sql(db);
    this.monitor = monitor;
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
