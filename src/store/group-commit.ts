/** Runs the writes of one turn of the event loop in one transaction, or of several turns while more writes are expected. */
// Real time, even in a test that replaces src/timers.ts with fake timers.
import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { describeFileError } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';
import { monotonic, setImmediate, setTimeout } from '../timers.ts';
import { createStorageError } from './database.ts';

/** The writes that are committed next. */
interface ScheduledGroup {
  /** Monotonic time until which the group can wait for more writes. */
  readonly heldUntil: number;
  /** Whether it waits for more writes now. */
  isHeld: boolean;
}

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

/**
 * Maximum delay in milliseconds of a group that waits for more writes. A flush takes 1 to 3 ms, so waiting for longer than a few of them
 * would hardly reduce its share.
 */
const MAX_HOLD_MS = 10;
/** Time in milliseconds between two checks whether a group still waits. The next write checks too. */
const HOLD_CHECK_MS = 1;
/** Delay of a write without a caller, in milliseconds. With a longer one, more rows survive until a slow garbage collection. */
const SOON_MS = 25;

/**
 * Groups writes. With `synchronous = FULL` each commit flushes to the disk; a group shares that cost. If an operation
 * throws, only that operation is rolled back. Promises settle after the commit.
 */
export class GroupCommit {
  readonly #db: Database.Database;
  readonly #hooks: GroupCommitHooks;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  readonly #savepoint: Database.Statement;
  readonly #release: Database.Statement;
  readonly #rollbackOperation: Database.Statement;
  #waiting: WaitingWrite[] = [];
  /** Writes of {@link runLater} that are not yet overdue. */
  readonly #later: Array<() => void> = [];
  /** Writes of {@link runLater} that join the next group with a write that is not urgent. */
  #overdue: Array<() => void> = [];
  #scheduled: ScheduledGroup | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database.Database, hooks: GroupCommitHooks) {
    this.#db = db;
    this.#hooks = hooks;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
    this.#savepoint = db.prepare('SAVEPOINT operation');
    this.#release = db.prepare('RELEASE operation');
    this.#rollbackOperation = db.prepare('ROLLBACK TO operation');
  }

  /**
   * Runs `operation` in the next group. It must be synchronous and must write only to this store, because it runs a
   * second time if another operation of the group throws.
   * @param isUrgent false if a longer commit delays no response and no first attempt: log rows can join the group.
   * @returns its result, after the commit.
   * @throws its error, or SvcError `storage_unavailable` if the commit failed, which rolls back the whole group.
   */
  run<Result>(operation: () => Result, isUrgent = true): Promise<Result> {
    if (!isUrgent) this.#addToNextGroup(this.#overdue.splice(0));
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ operation, resolve: resolve as (value: never) => void, reject });
      if (this.#scheduled === null) {
        this.#scheduled = { heldUntil: monotonic() + MAX_HOLD_MS, isHeld: false };
        this.#flushInNextTurn(this.#scheduled);
      } else if (this.#scheduled.isHeld && !this.#hooks.expectsMore()) {
        this.#scheduled.isHeld = false;
        this.#flushInNextTurn(this.#scheduled);
      }
    });
  }

  #flushInNextTurn(group: ScheduledGroup): void {
    setImmediate(() => this.#flushWhenReady(group));
  }

  /** Checks again after a pause, because a check in each turn of the event loop would keep the processor busy. */
  #flushWhenReady(group: ScheduledGroup): void {
    // It was flushed meanwhile.
    if (this.#scheduled !== group) return;
    group.isHeld = this.#hooks.expectsMore() && monotonic() < group.heldUntil;
    if (group.isHeld) void sleep(HOLD_CHECK_MS).then(() => this.#flushWhenReady(group));
    else this.#commitGroup();
  }

  /**
   * Runs `operation` in the next group, or in its own group after {@link SOON_MS}. For writes that may be lost when the process is
   * killed. An error is ignored.
   */
  runSoon(operation: () => void): void {
    this.#addToNextGroup([operation]);
    this.#startTimer();
  }

  /**
   * Runs `operation` {@link SOON_MS} later, in a group with a write that is not urgent, or, after another {@link SOON_MS}, in any group. For
   * frequent writes: each group writes the last page of every table and index that it changes, so fewer groups with these writes write
   * fewer pages. An error is ignored.
   */
  runLater(operation: () => void): void {
    this.#later.push(operation);
    this.#startTimer();
  }

  #startTimer(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#addToNextGroup(this.#overdue.splice(0));
      if (this.#scheduled === null) this.#commitGroup();
      this.#overdue = this.#later.splice(0);
      if (this.#overdue.length > 0) this.#startTimer();
    }, SOON_MS);
    this.#timer.unref();
  }

  /** Commits all waiting operations now. */
  flush(): void {
    this.#addToNextGroup(this.#overdue.splice(0));
    this.#addToNextGroup(this.#later.splice(0));
    this.#commitGroup();
  }

  #addToNextGroup(operations: ReadonlyArray<() => void>): void {
    for (const operation of operations)
      this.#waiting.push({ operation, resolve: () => {}, reject: () => {} });
  }

  #commitGroup(): void {
    this.#scheduled = null;
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    let settlers: Array<() => void>;
    try {
      this.#hooks.assertWritable();
      this.#begin.run();
      settlers = this.#runTogether(group);
      this.#commit.run();
    } catch (error) {
      this.#rejectGroup(group, error);
      return;
    }
    this.#hooks.onCommit();
    for (const settlePromise of settlers) settlePromise();
  }

  /**
   * Runs without savepoints, which cost as much as writing the rows and are rarely needed. If an operation throws, the group is
   * rolled back and the other operations run again, each in its own savepoint.
   * @returns functions that settle the promises after the commit.
   */
  #runTogether(group: readonly WaitingWrite[]): Array<() => void> {
    const settlers: Array<() => void> = [];
    for (const waiting of group) {
      const { operation, resolve, reject } = waiting;
      try {
        const result = operation();
        settlers.push(() => resolve(result as never));
      } catch (error) {
        // After a full disk or an I/O error, SQLite itself has rolled back the whole transaction.
        if (!this.#db.inTransaction) throw error;
        this.#rollback.run();
        this.#hooks.onRollback();
        this.#begin.run();
        return group.map((other) => (other === waiting ? () => reject(error) : this.#runInSavepoint(other)));
      }
    }
    return settlers;
  }

  #runInSavepoint({ operation, resolve, reject }: WaitingWrite): () => void {
    this.#savepoint.run();
    try {
      const result = operation();
      this.#release.run();
      return () => resolve(result as never);
    } catch (error) {
      if (!this.#db.inTransaction) throw error;
      this.#rollbackOperation.run();
      this.#release.run();
      this.#hooks.onRollback();
      return () => reject(error);
    }
  }

  #rejectGroup(group: readonly WaitingWrite[], cause: unknown): void {
    if (this.#db.inTransaction) this.#rollback.run();
    this.#hooks.onRollback();
    const error = toWriteError(cause);
    for (const { reject } of group) reject(error);
  }
}

/** Converts the cause of a failed write to an `SvcError`. */
export function toWriteError(cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  return createStorageError(`Writing to the database failed: ${describeFileError(cause)}.`, cause);
}
