/** One transaction for everything that arrives within one turn of the event loop. */
import type Database from 'better-sqlite3';
import { SvcError } from '../errors.ts';
import { clearTimeout, setImmediate, setTimeout } from '../timers.ts';

interface Waiting {
  readonly operation: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** How long a write that nobody waits for may wait for company, in milliseconds. */
const SOON_MS = 50;

/**
 * Groups writes. With `synchronous = FULL` a commit costs a flush to the disk; sharing it among all that came in
 * during one turn makes that cost small. An operation that throws is undone alone; every caller is answered after the
 * commit that holds its operation.
 */
export class GroupCommit {
  readonly #db: Database.Database;
  readonly #onCommit: () => void;
  readonly #onUndo: () => void;
  readonly #assertWritable: () => void;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  readonly #savepoint: Database.Statement;
  readonly #release: Database.Statement;
  readonly #undo: Database.Statement;
  #waiting: Waiting[] = [];
  #later: Array<() => void> = [];
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param onCommit called after every commit, before its callers are answered
   * @param onUndo called whenever something that was written has been undone
   * @param assertWritable called before a group is begun; what it throws is the error of the group
   */
  constructor(
    db: Database.Database,
    onCommit: () => void = () => {},
    onUndo: () => void = () => {},
    assertWritable: () => void = () => {},
  ) {
    this.#db = db;
    this.#onCommit = onCommit;
    this.#onUndo = onUndo;
    this.#assertWritable = assertWritable;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
    this.#savepoint = db.prepare('SAVEPOINT operation');
    this.#release = db.prepare('RELEASE operation');
    this.#undo = db.prepare('ROLLBACK TO operation');
  }

  /**
   * Runs `operation` in the next group. It must be synchronous and must not write through anything but this store: it
   * runs a second time where another one of the group throws.
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

  /**
   * Runs `operation` with the next group, or alone if none comes soon: for what nobody waits for and what may be lost
   * with the process. It is dropped if it fails.
   */
  runSoon(operation: () => void): void {
    this.#later.push(operation);
    if (this.#timer !== undefined || this.#scheduled) return;
    this.#timer = setTimeout(() => this.flush(), SOON_MS);
    this.#timer.unref();
  }

  /** Commits what waits, at once. */
  flush(): void {
    this.#scheduled = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#waiting.concat(this.#later.map(unanswered));
    if (group.length === 0) return;
    this.#waiting = [];
    this.#later = [];
    let answers: Array<() => void>;
    try {
      this.#assertWritable();
      this.#begin.run();
      answers = this.#runTogether(group);
      this.#commit.run();
    } catch (error) {
      this.#rejectGroup(group, error);
      return;
    }
    this.#onCommit();
    for (const answer of answers) answer();
  }

  /**
   * Hardly any operation throws, and savepoints cost as much as the rows. Where one does throw, what was written is
   * undone and the others run again, each apart.
   */
  #runTogether(group: readonly Waiting[]): Array<() => void> {
    const answers: Array<() => void> = [];
    for (const waiting of group) {
      const { operation, resolve, reject } = waiting;
      try {
        const result = operation();
        answers.push(() => resolve(result as never));
      } catch (error) {
        if (!this.#db.inTransaction) throw error;
        this.#rollback.run();
        this.#onUndo();
        this.#begin.run();
        return group.map((each) => (each === waiting ? () => reject(error) : this.#runApart(each)));
      }
    }
    return answers;
  }

  /** In a savepoint of its own. */
  #runApart({ operation, resolve, reject }: Waiting): () => void {
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
      this.#onUndo();
      return () => reject(error);
    }
  }

  #rejectGroup(group: readonly Waiting[], cause: unknown): void {
    if (this.#db.inTransaction) this.#rollback.run();
    this.#onUndo();
    const error = toWriteError(cause);
    for (const { reject } of group) reject(error);
  }
}

/** The error of a write that the file did not take. */
export function toWriteError(cause: unknown): SvcError {
  if (cause instanceof SvcError) return cause;
  const reason = (cause as Error).message;
  return new SvcError('storage_unavailable', `The database did not take the write: ${reason}.`, { cause });
}

function unanswered(operation: () => void): Waiting {
  return { operation, resolve: () => {}, reject: () => {} };
}
