/** One transaction for everything that arrives within one turn of the event loop. */
import type Database from 'better-sqlite3';
import { SvcError } from '../errors.ts';

interface Waiting {
  readonly operation: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Groups writes. With `synchronous = FULL` a commit costs a flush to the disk; sharing it among all that came in
 * during one turn makes that cost small. Each operation runs in a savepoint of its own, so that one that throws is
 * undone alone; every caller is answered after the commit that holds its operation.
 */
export class GroupCommit {
  readonly #db: Database.Database;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  readonly #savepoint: Database.Statement;
  readonly #release: Database.Statement;
  readonly #undo: Database.Statement;
  #waiting: Waiting[] = [];
  #scheduled = false;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
    this.#savepoint = db.prepare('SAVEPOINT operation');
    this.#release = db.prepare('RELEASE operation');
    this.#undo = db.prepare('ROLLBACK TO operation');
  }

  /**
   * Runs `operation` in the next group. It must be synchronous and must not write through anything but this store.
   * @returns what it returned, once that is on disk.
   * @throws what it threw; or SvcError `storage_unavailable` when the group could not be committed, in which case
   *   nothing of the group remains.
   */
  run<Result>(operation: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ operation, resolve: resolve as (value: never) => void, reject });
      if (!this.#scheduled) {
        this.#scheduled = true;
        setImmediate(() => this.flush());
      }
    });
  }

  /** Commits what waits, at once. */
  flush(): void {
    this.#scheduled = false;
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    const answers: Array<() => void> = [];
    try {
      this.#begin.run();
      for (const waiting of group) answers.push(this.#runOne(waiting));
      this.#commit.run();
    } catch (error) {
      this.#rejectGroup(group, error);
      return;
    }
    for (const answer of answers) answer();
  }

  #runOne({ operation, resolve, reject }: Waiting): () => void {
    this.#savepoint.run();
    try {
      const result = operation();
      this.#release.run();
      return () => resolve(result as never);
    } catch (error) {
      // SQLite ends the whole transaction by itself on a full disk or an I/O error: then there is nothing to go back to.
      if (!this.#db.inTransaction) throw error;
      this.#undo.run();
      this.#release.run();
      return () => reject(error);
    }
  }

  #rejectGroup(group: readonly Waiting[], cause: unknown): void {
    if (this.#db.inTransaction) this.#rollback.run();
    const reason = (cause as Error).message;
    const error = new SvcError('storage_unavailable', `The database did not take the write: ${reason}.`, {
      cause,
    });
    for (const { reject } of group) reject(error);
  }
}
