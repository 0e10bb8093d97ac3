/** The store: all tables, one sequence for all rows, and all ways to write. */
import { randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Environment } from '../domain/credentials.ts';
import { checkSnapshot } from './check-snapshot.ts';
import { Connection } from './connection.ts';
import { copyRows, listStateTables } from './copy-rows.ts';
import { checkIntegrity, type DatabaseOptions, type IntegrityReport } from './database.ts';
import { removeUnfinishedSnapshot, type SavedSnapshot, saveSnapshot } from './database-copy.ts';
import type { DatabaseFileProblem } from './database-file-monitor.ts';
import type { SettingTable } from './schema.ts';
import { listTableNames } from './sql.ts';
import { Tables } from './tables.ts';

const ID_SETTING = 'store_id';
/** Setting with the newest sequence, if its row may be gone. */
const LAST_SEQ_SETTING = 'last_seq';
/** Setting with {@link Store.stateReplacedSeq}. */
const STATE_REPLACED_SETTING = 'state_replaced_seq';

export class Store extends Tables {
  readonly #subscribers = new Set<() => void>();
  readonly #connection: Connection;
  #lastSave: Promise<unknown> = Promise.resolve();
  #commitCount = 0;
  #id = '';
  #lastSeq = 0;
  #stateReplacedSeq = 0;

  /** @throws SvcError as `openDatabase`. */
  constructor(options: DatabaseOptions) {
    super();
    this.#connection = new Connection(options, {
      onCommit: () => this.#notifySubscribers(),
      onRollback: () => this.clearCaches(),
    });
    this.connectTables(this.#connection.sql);
    removeUnfinishedSnapshot(this.settings);
    this.#readIdAndSequences();
  }

  /** Creates the ID of a new store. */
  #readIdAndSequences(): void {
    this.#stateReplacedSeq = Number(this.settings.find(STATE_REPLACED_SETTING) ?? 0);
    this.#lastSeq = Math.max(
      findLastSeq(this.#connection.db),
      Number(this.settings.find(LAST_SEQ_SETTING) ?? 0),
    );
    this.#id = this.settings.find(ID_SETTING) ?? createStoreId(this.settings);
  }

  /** Identifies this store: sequences are only comparable within one store. */
  get id(): string {
    return this.#id;
  }

  get isOpen(): boolean {
    return this.#connection.db.open;
  }

  /** The next sequence. Call inside a store transaction. */
  nextSeq(): number {
    return ++this.#lastSeq;
  }

  /** The newest sequence. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Stores {@link lastSeq}, so that it is not used again after a restart although no row has it. Call inside a store transaction. */
  keepLastSeq(): void {
    this.settings.set(LAST_SEQ_SETTING, String(this.#lastSeq));
  }

  /** Gives the change of an endpoint a sequence. Call inside the store transaction of the change. */
  recordWebhookChange(webhookSeq: number): void {
    this.changeFeed.recordWebhookChange(webhookSeq, this.nextSeq());
    this.keepLastSeq();
  }

  /** The sequence at which a reset or a snapshot last replaced all rows; 0 if that never happened. */
  get stateReplacedSeq(): number {
    return this.#stateReplacedSeq;
  }

  /** Writes in the next group, see `GroupCommit.run`. */
  write<Result>(operation: () => Result): Promise<Result> {
    return this.#connection.group.run(operation);
  }

  /** Writes with the next group, see `GroupCommit.runLater`. */
  writeLater(operation: () => void): void {
    this.#connection.group.runLater(operation);
  }

  /** Writes at once, in a separate transaction. Only when no other writes are waiting: on startup, and after a flush. */
  writeNow<Result>(operation: () => Result): Result {
    return this.#connection.writeNow(operation);
  }

  /** Commits all waiting writes. */
  flush(): void {
    this.#connection.group.flush();
  }

  /** Cancels the pending deliveries of an endpoint. Call inside a store transaction. @returns their number. */
  cancelDeliveries(webhookSeq: number, at: number): number {
    const canceled = this.deliveries.cancelPending(webhookSeq, at, this.#lastSeq);
    this.#lastSeq += canceled;
    return canceled;
  }

  /** Increases each time subscribers are notified. */
  get commitCount(): number {
    return this.#commitCount;
  }

  /**
   * Calls `subscriber` after every commit of a group, and after all rows were replaced.
   * @returns a function that ends the subscription.
   */
  subscribe(subscriber: () => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  #notifySubscribers(): void {
    this.#commitCount++;
    for (const subscriber of this.#subscribers) subscriber();
  }

  /** Makes the current state the one that {@link restoreBaseline} restores. */
  setBaseline(): void {
    this.#connection.baseline.set();
  }

  /**
   * Restores all rows to their state at the last {@link setBaseline}. New rows get sequences that no row had before.
   * @param inSameTransaction writes after the rows were restored.
   * @throws SvcError `storage_unavailable`, in which case nothing has changed.
   */
  restoreBaseline(inSameTransaction: () => void): void {
    this.#replaceState(() => this.#connection.baseline.restore(), inSameTransaction);
  }

  /**
   * Deletes all rows. New rows get sequences that no row had before.
   * @param inSameTransaction writes after the rows were deleted.
   * @throws SvcError `storage_unavailable`, or the error of `inSameTransaction`, in which case nothing has changed.
   */
  deleteAll(inSameTransaction: () => void): void {
    this.#replaceState(() => this.#deleteRows(listStateTables(this.#connection.db)), inSameTransaction);
  }

  /**
   * Deletes all rows and settings, so that the store is like a new one, with another ID and with sequences from the beginning.
   * @param inSameTransaction writes after that. If it throws, nothing has changed in the database, but this store must be closed.
   */
  startFresh<Result>(inSameTransaction: () => Result): Result {
    return this.#connection.writeWithoutForeignKeys(() => {
      this.#deleteRows(listTableNames(this.#connection.db));
      this.clearCaches();
      this.#readIdAndSequences();
      return inSameTransaction();
    });
  }

  #deleteRows(tables: readonly string[]): void {
    for (const table of tables) this.#connection.db.exec(`DELETE FROM main.${table}`);
  }

  /** Replaces all rows, runs `inSameTransaction`, and sets {@link stateReplacedSeq}. */
  #replaceState(replaceRows: () => void, inSameTransaction: () => void): void {
    try {
      this.#connection.writeWithoutForeignKeys(() => {
        replaceRows();
        this.clearCaches();
        inSameTransaction();
        this.#stateReplacedSeq = this.nextSeq();
        this.settings.set(STATE_REPLACED_SETTING, String(this.#stateReplacedSeq));
        this.keepLastSeq();
      });
    } finally {
      this.clearCaches();
      // `clearCaches` does not include it: after a rollback, it contains at worst sequences of rows that do not exist.
      this.apiRequests.clearCache();
    }
    this.#notifySubscribers();
  }

  /**
   * Saves a snapshot, see `database-copy.ts`. Only one is saved at a time.
   * @param beforeLastPages writes state that the snapshot must contain.
   */
  saveSnapshot(path: string, getWallTime: () => number, beforeLastPages: () => void): Promise<SavedSnapshot> {
    const connection = this.#connection;
    const save = () =>
      saveSnapshot(connection.db, this.settings, path, getWallTime, () => {
        connection.group.flush();
        connection.withStorageErrors(() => this.writeNow(beforeLastPages));
      });
    const saved = this.#lastSave.then(save, save);
    this.#lastSave = saved;
    return saved;
  }

  /**
   * Replaces all rows by those of a snapshot, with new sequences.
   * @param inSameTransaction writes after the rows were replaced. It gets the wall time of the snapshot.
   * @throws SvcError as {@link checkSnapshot}, `storage_unavailable`, or the error of `inSameTransaction`, in which case nothing
   *   has changed.
   */
  async loadSnapshot(
    path: string,
    environment: Environment,
    inSameTransaction: (savedAt: number) => void,
  ): Promise<void> {
    const snapshot = await checkSnapshot(path, environment);
    const connection = this.#connection;
    try {
      connection.assertOpen();
      connection.whileAttached(snapshot.path, 'snapshot', () =>
        this.#replaceState(
          () => {
            copyRows(
              connection.db,
              'snapshot',
              'main',
              this.#lastSeq + 1 - findFirstSeq(connection.db, 'snapshot'),
            );
            this.#lastSeq = Math.max(this.#lastSeq, findLastSeq(connection.db));
          },
          () => inSameTransaction(snapshot.savedAt),
        ),
      );
    } finally {
      snapshot.remove();
    }
  }

  /** The problem with the database file that the last write or {@link checkFile} found; null for none. */
  get fileProblem(): DatabaseFileProblem | null {
    return this.#connection.monitor.problem;
  }

  /** Checks whether the database file was removed or replaced. */
  checkFile(): DatabaseFileProblem | null {
    return this.#connection.monitor.check();
  }

  /** Checks the whole database for damage. Blocks the event loop. */
  checkIntegrity(): IntegrityReport {
    return checkIntegrity(this.#connection.db);
  }

  /** Commits waiting writes and closes the file. */
  close(): void {
    this.#connection.close();
  }
}

/** Random even in a seeded run, because two runs with the same seed are two stores. */
function createStoreId(settings: SettingTable): string {
  const id = randomUUID();
  settings.set(ID_SETTING, id);
  return id;
}

/** The lowest sequence in an attached database; 1 if it has no rows. */
function findFirstSeq(db: Database.Database, name: string): number {
  const seqs = listStateTables(db).map((table) =>
    db.prepare<[], number | null>(`SELECT min(seq) FROM ${name}.${table}`).pluck().get(),
  );
  const first = Math.min(...seqs.map((seq) => seq ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(first) ? first : 1;
}

function findLastSeq(db: Database.Database): number {
  const find = (column: string, table: string) =>
    // The condition lets SQLite use the partial index of `settled_seq`.
    db
      .prepare<[], number | null>(`SELECT max(${column}) FROM ${table} WHERE ${column} IS NOT NULL`)
      .pluck()
      .get() ?? 0;
  return Math.max(
    ...listStateTables(db).map((table) => find('seq', table)),
    find('settled_seq', 'deliveries'),
  );
}
