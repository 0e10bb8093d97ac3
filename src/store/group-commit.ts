/** Runs the writes of successive turns of the event loop in one transaction. */
import type Database from 'better-sqlite3';
import { SvcError } from '../domain/errors.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from '../platform/timers.ts';
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
}

/** From this number of writes on, a group does not wait for more. */
const MAX_WRITES = 64;

/** How long a write that is not urgent waits for a group. docs/durability.md states it. */
const MAX_DELAY_MS = 20;

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
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database.Database, hooks: GroupCommitHooks) {
    this.#db = db;
    this.#hooks = hooks;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
  }

  /**
   * Runs `operation` at the end of the next turn of the event loop that adds no write. It must be synchronous and must write only to this store, because
   * it runs again if another operation of the group throws.
   * @returns its result, after the commit.
   * @throws its error, or SvcError `storage_unavailable` if the commit failed, which rolls back the whole group.
   */
  run<Result>(operation: () => Result): Promise<Result> {
    this.commitSoon();
    return this.#add(operation);
  }

  /** As {@link run}, but with the next group, at most {@link MAX_DELAY_MS} later: no client waits for it. Its error can be ignored. */
  runLater<Result>(operation: () => Result): Promise<Result> {
    this.#timer ??= setTimeout(() => this.flush(), MAX_DELAY_MS).unref();
    const result = this.#add(operation);
    result.catch(() => {});
    return result;
  }

  #add<Result>(operation: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ operation, resolve: resolve as (value: never) => void, reject });
    });
  }

  /** Commits the waiting operations at the end of the next turn of the event loop that adds no write: a flush takes as long as many turns. */
  commitSoon(): void {
    this.#immediate ??= setImmediate(() => this.#endTurn(0));
  }

  /** @param earlierCount number of waiting writes one turn ago */
  #endTurn(earlierCount: number): void {
    const count = this.#waiting.length;
    if (count === earlierCount || count >= MAX_WRITES) this.flush();
    else this.#immediate = setImmediate(() => this.#endTurn(count));
  }

  flush(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = this.#timer = undefined;
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

export function toWriteError(cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  return createStorageError(`Writing to the database failed: ${describeFileError(cause)}.`, cause);
}
