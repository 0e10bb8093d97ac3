/** Runs the writes of one turn of the event loop in one transaction, or of several turns while attempts are about to be recorded. */
import type Database from 'better-sqlite3';
import { describeFileError } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';
import { monotonic, setImmediate, setTimeout } from '../timers.ts';
import { createStorageError } from './database.ts';

interface WaitingWrite {
  readonly operation: () => unknown;
  /** Takes the result of `operation`, which has another type for each write. */
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

interface GroupCommitHooks {
  /** Called before a group begins. An error that it throws rejects the whole group. */
  readonly assertWritable: () => void;
  /** Called after every commit, before the promises of its operations settle. */
  readonly onCommit: () => void;
  /** Called after every rollback. */
  readonly onRollback: () => void;
  /** Whether more writes are expected soon, so that a group waits for them, at most {@link MAX_HOLD_MS}. */
  readonly expectsMore: () => boolean;
}

/** A flush takes 1 to 3 ms, so waiting for longer than a few of them would hardly reduce its share. */
const MAX_HOLD_MS = 10;

/** How long a write without a caller waits for a group, in milliseconds. */
const MAX_DELAY_MS = 50;

/**
 * Groups writes, because with `synchronous = FULL` each commit flushes to the disk. If an operation throws, only that operation is
 * rolled back. Promises settle after the commit.
 */
export class GroupCommit {
  readonly #db: Database.Database;
  readonly #hooks: GroupCommitHooks;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  #waiting: WaitingWrite[] = [];
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database.Database, hooks: GroupCommitHooks) {
    this.#db = db;
    this.#hooks = hooks;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
  }

  /**
   * Runs `operation` at the end of this turn of the event loop. It must be synchronous and must write only to this store, because
   * it runs again if another operation of the group throws.
   * @returns its result, after the commit.
   * @throws its error, or SvcError `storage_unavailable` if the commit failed, which rolls back the whole group.
   */
  run<Result>(operation: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ operation, resolve: resolve as (value: never) => void, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      this.#commitAfterTurn(monotonic() + MAX_HOLD_MS);
    });
  }

  #commitAfterTurn(heldUntil: number): void {
    setImmediate(() => {
      // It was flushed meanwhile.
      if (!this.#isScheduled) return;
      if (this.#hooks.expectsMore() && monotonic() < heldUntil) this.#commitAfterTurn(heldUntil);
      else this.flush();
    });
  }

  /** Runs `operation` with the next group, at most {@link MAX_DELAY_MS} later. For a write that no caller waits for. Errors are ignored. */
  runLater(operation: () => void): void {
    this.#waiting.push({ operation, resolve: () => {}, reject: () => {} });
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, MAX_DELAY_MS).unref();
  }

  /** Commits all waiting operations now. */
  flush(): void {
    this.#isScheduled = false;
    let group = this.#waiting;
    this.#waiting = [];
    while (group.length > 0) group = this.#commitGroup(group);
  }

  /** @returns the operations to run again, because another one threw and was rejected. */
  #commitGroup(group: readonly WaitingWrite[]): WaitingWrite[] {
    const results: unknown[] = [];
    try {
      this.#hooks.assertWritable();
      this.#begin.run();
      for (const write of group) {
        try {
          results.push(write.operation());
        } catch (error) {
          // After a full disk or an I/O error, SQLite itself has rolled back the whole transaction.
          if (!this.#db.inTransaction) throw error;
          this.#rollback.run();
          this.#hooks.onRollback();
          write.reject(error);
          return group.filter((other) => other !== write);
        }
      }
      this.#commit.run();
    } catch (cause) {
      if (this.#db.inTransaction) this.#rollback.run();
      this.#hooks.onRollback();
      const error = toWriteError(cause);
      for (const { reject } of group) reject(error);
      return [];
    }
    this.#hooks.onCommit();
    for (const [index, { resolve }] of group.entries()) resolve(results[index] as never);
    return [];
  }
}

/** Converts the cause of a failed write to an `SvcError`. */
export function toWriteError(cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  return createStorageError(`Writing to the database failed: ${describeFileError(cause)}.`, cause);
}
