/** An open database file with its group commits, file monitor and baseline. */
import type Database from 'better-sqlite3';
import { Baseline } from './baseline.ts';
import { createStoreClosedError, type DatabaseOptions, isStorageError, openDatabase } from './database.ts';
import { DatabaseFileMonitor } from './database-file-monitor.ts';
import { GroupCommit, toWriteError } from './group-commit.ts';
import { Sql } from './sql.ts';

interface ConnectionHooks {
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

  /** @throws SvcError as {@link openDatabase}. */
  constructor(options: DatabaseOptions, { onCommit, onRollback }: ConnectionHooks) {
    const db = openDatabase(options);
    const monitor = new DatabaseFileMonitor(options.path);
    this.db = db;
    this.sql = new Sql(db);
    this.monitor = monitor;
    this.baseline = new Baseline(db);
    this.group = new GroupCommit(db, {
      assertWritable: () => monitor.assertIntact(),
      onCommit,
      onRollback,
    });
  }

  /** @throws SvcError `storage_unavailable` after the database was closed. */
  assertOpen(): void {
    if (!this.db.open) throw createStoreClosedError();
  }

  /** Writes at once, in a separate transaction. */
  writeNow<Result>(operation: () => Result): Result {
    return this.db.transaction(operation).immediate();
  }

  /** Runs a write. @throws SvcError `storage_unavailable` if the file or its disk fails; any other error unchanged. */
  withStorageErrors<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (error) {
      throw isStorageError(error) ? toWriteError(error) : error;
    }
  }

  /**
   * Replaces rows in a separate transaction, after all waiting writes. Foreign keys are off, because a row can be replaced
   * before the one that it refers to.
   * @throws SvcError `storage_unavailable`.
   */
  writeWithoutForeignKeys<Result>(operation: () => Result): Result {
    this.group.flush();
    this.monitor.assertIntact();
    this.db.pragma('foreign_keys = OFF');
    try {
      return this.withStorageErrors(() => this.writeNow(operation));
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

  /** Commits waiting writes and closes the file. */
  close(): void {
    if (!this.db.open) return;
    this.group.flush();
    this.db.close();
  }
}
