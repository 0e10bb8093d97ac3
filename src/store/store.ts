/** The store: all tables, one sequence for all rows, and all ways to write. */
import { randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Environment } from '../domain/credentials.ts';
import { SvcError } from '../domain/errors.ts';
import { ApiKeyTable } from './api-keys.ts';
import { ApiRequestTable } from './api-requests.ts';
import { AttemptTable } from './attempts.ts';
import { ChangeFeed } from './change-feed.ts';
import {
  checkIntegrity,
  type DatabaseOptions,
  type IntegrityReport,
  isStorageError,
  openDatabase,
} from './database.ts';
import { DatabaseFileMonitor, type DatabaseFileProblem } from './database-file-monitor.ts';
import { DeliveryTable } from './deliveries.ts';
import { DeliveryQueries } from './delivery-queries.ts';
import { EventTable } from './events.ts';
import { FaultTable } from './faults.ts';
import { GroupCommit, toWriteError } from './group-commit.ts';
import { IdempotencyTable } from './idempotency.ts';
import { Retention } from './retention.ts';
import { SettingTable } from './settings.ts';
import { saveSnapshot, withSnapshot } from './snapshots.ts';
import { Sql, Table } from './sql.ts';
import { attachBaseline, replaceRows, setBaseline, stateTables } from './state-copies.ts';
import { WebhookTable } from './webhooks.ts';
import { WorkspaceTable } from './workspaces.ts';

const ID_SETTING = 'store_id';
/** Setting with the newest sequence, if its row may be gone. */
const LAST_SEQ_SETTING = 'last_seq';
/** Setting with {@link Store.stateReplacedSeq}. */
const STATE_REPLACED_SETTING = 'state_replaced_seq';

export class Store extends Table {
  readonly settings = new SettingTable(this.sql);
  readonly workspaces = new WorkspaceTable(this.sql);
  readonly apiKeys = new ApiKeyTable(this.sql);
  readonly webhooks = new WebhookTable(this.sql);
  readonly events = new EventTable(this.sql);
  readonly deliveries = new DeliveryTable(this.sql);
  readonly deliveryQueries = new DeliveryQueries(this.sql);
  readonly attempts = new AttemptTable(this.sql);
  readonly apiRequests = new ApiRequestTable(this.sql);
  readonly faults = new FaultTable(this.sql);
  readonly idempotency = new IdempotencyTable(this.sql);
  readonly changeFeed = new ChangeFeed(this.sql);
  readonly retention = new Retention(this.sql);

  readonly #db: Database.Database;
  readonly #monitor: DatabaseFileMonitor;
  readonly #group: GroupCommit;
  readonly #subscribers = new Set<() => void>();
  #id = '';
  #lastSeq = 0;
  #stateReplacedSeq = 0;

  /** @throws SvcError as `openDatabase`. */
  constructor(options: DatabaseOptions) {
    super(new Sql(openDatabase(options)));
    this.#db = this.sql.db;
    this.#monitor = new DatabaseFileMonitor(options.path);
    this.#group = new GroupCommit(this.#db, {
      assertWritable: () => this.#monitor.assertIntact(),
      onCommit: () => this.#notifySubscribers(),
      onRollback: () => this.#clearCaches(),
    });
    attachBaseline(this.#db);
    this.#readIdAndSequences();
  }

  /** Must be called after a rollback, and after rows were replaced. */
  #clearCaches(): void {
    this.apiKeys.clearCache();
    this.webhooks.clearCache();
  }

  #readIdAndSequences(): void {
    this.#stateReplacedSeq = Number(this.settings.find(STATE_REPLACED_SETTING) ?? 0);
    this.#lastSeq = Math.max(findLastSeq(this.#db), Number(this.settings.find(LAST_SEQ_SETTING) ?? 0));
    this.#id = this.settings.find(ID_SETTING) ?? this.#createId();
  }

  /** Random even in a seeded run, because two runs with the same seed are two stores. */
  #createId(): string {
    const id = randomUUID();
    this.settings.set(ID_SETTING, id);
    return id;
  }

  /** Identifies this store: sequences are only comparable within one store. */
  get id(): string {
    return this.#id;
  }

  /** The next sequence. Call inside a store transaction. */
  nextSeq(): number {
    return ++this.#lastSeq;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Stores {@link lastSeq}, so that it is not used again after a restart although no row has it. Call inside a store transaction. */
  keepLastSeq(): void {
    this.settings.set(LAST_SEQ_SETTING, String(this.#lastSeq));
  }

  /** The sequence at which a reset or a snapshot last replaced all rows; 0 if that never happened. */
  get stateReplacedSeq(): number {
    return this.#stateReplacedSeq;
  }

  /** Writes in the next group, see `GroupCommit.run`. */
  write<Result>(operation: () => Result): Promise<Result> {
    return this.#group.run(operation);
  }

  /** Writes with the next group, see `GroupCommit.runLater`. */
  writeLater<Result>(operation: () => Result): Promise<Result> {
    return this.#group.runLater(operation);
  }

  /** Commits all waiting writes soon, see `GroupCommit.commitSoon`. */
  commitSoon(): void {
    this.#group.commitSoon();
  }

  /** Writes at once, in a separate transaction. Only when no other writes are waiting: on startup, and after a flush. */
  writeNow<Result>(operation: () => Result): Result {
    return this.#db.transaction(operation).immediate();
  }

  flush(): void {
    this.#group.flush();
  }

  /** Cancels the pending deliveries of an endpoint. Call inside a store transaction. @returns their number. */
  cancelDeliveries(webhookSeq: number, at: number): number {
    const canceled = this.deliveries.cancelPending(webhookSeq, at, this.#lastSeq);
    this.#lastSeq += canceled;
    return canceled;
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
    for (const subscriber of this.#subscribers) subscriber();
  }

  /** Makes the current state the baseline of {@link replaceState}. */
  setBaseline(): void {
    setBaseline(this.#db);
  }

  /**
   * Replaces all rows by those of a snapshot, as {@link replaceState}.
   * @param inSameTransaction gets the wall time of the snapshot.
   * @throws SvcError as {@link withSnapshot} and {@link replaceState}.
   */
  loadSnapshot(path: string, environment: Environment, inSameTransaction: (savedAt: number) => void): void {
    this.#assertOpen();
    withSnapshot(this.#db, path, environment, (savedAt) =>
      this.replaceState('snapshot', () => inSameTransaction(savedAt)),
    );
  }

  /**
   * Deletes all rows and settings, so that the store is like a new one, with another ID and with sequences from the beginning.
   * @param inSameTransaction writes after that. If it throws, nothing has changed in the database, but this store must be closed.
   */
  startFresh<Result>(inSameTransaction: () => Result): Result {
    return this.#writeWithoutForeignKeys(() => {
      replaceRows(this.#db, null);
      this.#db.exec('DELETE FROM settings');
      this.#clearCaches();
      this.#readIdAndSequences();
      return inSameTransaction();
    });
  }

  /**
   * Replaces all rows by those at the last {@link setBaseline}, by those of the attached snapshot, or by none. New rows get
   * sequences that no row had before.
   * @param inSameTransaction writes after the rows were replaced.
   * @throws SvcError `storage_unavailable`, or the error of `inSameTransaction`, in which case nothing has changed.
   */
  replaceState(from: 'baseline' | 'snapshot' | null, inSameTransaction: () => void): void {
    try {
      this.#writeWithoutForeignKeys(() => {
        replaceRows(this.#db, from);
        this.#clearCaches();
        this.#lastSeq = Math.max(this.#lastSeq, findLastSeq(this.#db));
        inSameTransaction();
        this.#stateReplacedSeq = this.nextSeq();
        this.settings.set(STATE_REPLACED_SETTING, String(this.#stateReplacedSeq));
        this.keepLastSeq();
      });
    } finally {
      this.#clearCaches();
    }
    this.#notifySubscribers();
  }

  /**
   * Writes in a separate transaction, after all waiting writes. Foreign keys are off, because a row can be replaced before the
   * one that it refers to.
   * @throws SvcError `storage_unavailable`.
   */
  #writeWithoutForeignKeys<Result>(operation: () => Result): Result {
    this.flush();
    this.#monitor.assertIntact();
    this.#db.pragma('foreign_keys = OFF');
    try {
      return this.#withStorageErrors(() => this.writeNow(operation));
    } finally {
      this.#db.pragma('foreign_keys = ON');
    }
  }

  /** Runs a write. @throws SvcError `storage_unavailable` if the file or its disk fails; any other error unchanged. */
  #withStorageErrors<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (error) {
      throw isStorageError(error) ? toWriteError(error) : error;
    }
  }

  #assertOpen(): void {
    if (this.#db.open) return;
    throw new SvcError('storage_unavailable', 'The emulator is stopping.', {
      hint: 'Start the emulator again, then repeat the request.',
    });
  }

  /**
   * Saves a snapshot. Blocks the event loop.
   * @param savedAt wall time
   * @param writeState writes state that the snapshot must contain.
   * @returns the size of the file in bytes
   * @throws SvcError as {@link saveSnapshot}, or `storage_unavailable`.
   */
  saveSnapshot(path: string, savedAt: number, writeState: () => void): number {
    this.#assertOpen();
    this.flush();
    this.#withStorageErrors(() => this.writeNow(writeState));
    return saveSnapshot(this.#db, path, savedAt);
  }

  /** The problem with the database file that the last write or {@link checkFile} found; null for none. */
  get fileProblem(): DatabaseFileProblem | null {
    return this.#monitor.problem;
  }

  checkFile(): DatabaseFileProblem | null {
    return this.#monitor.check();
  }

  /** Checks the whole database for damage. Blocks the event loop. */
  checkIntegrity(): IntegrityReport {
    return checkIntegrity(this.#db);
  }

  /** Commits waiting writes and closes the file. */
  close(): void {
    if (!this.#db.open) return;
    this.flush();
    this.#db.close();
  }
}

function findLastSeq(db: Database.Database): number {
  const find = (column: string, table: string) =>
    // The condition lets SQLite use partial indexes.
    db
      .prepare<[], number | null>(`SELECT max(${column}) FROM ${table} WHERE ${column} IS NOT NULL`)
      .pluck()
      .get() ?? 0;
  return Math.max(...stateTables.map((table) => find('seq', table)), find('settled_seq', 'deliveries'));
}
