/** The store: every table, one counter, and the one way to write. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import type { Environment } from '../domain/environment.ts';
import { SvcError } from '../errors.ts';
import { ApiKeyTable } from './api-keys.ts';
import { ApiRequestTable } from './api-requests.ts';
import { AttemptTable } from './attempts.ts';
import { Baseline } from './baseline.ts';
import { ChangeFeed } from './change-feed.ts';
import { type DatabaseOptions, isStorageError, openDatabase } from './database.ts';
import { copyDatabase, fsyncFolder } from './database-copy.ts';
import {
  DatabaseFileMonitor,
  type DatabaseFileProblem,
  toFileProblemError,
} from './database-file-monitor.ts';
import { DeliveryTable } from './deliveries.ts';
import { DeliveryQueries } from './delivery-queries.ts';
import { EventQueries } from './event-queries.ts';
import { EventTable } from './events.ts';
import { FaultTable } from './faults.ts';
import { GroupCommit, toWriteError } from './group-commit.ts';
import { IdempotencyTable } from './idempotency.ts';
import { releaseFreePages } from './incremental-vacuum.ts';
import { checkIntegrity, type IntegrityReport } from './integrity-check.ts';
import { checkSnapshot, replaceRows } from './load-snapshot.ts';
import { Retention } from './retention.ts';
import { removeUnfinishedSnapshot, type SavedSnapshot, saveSnapshot } from './save-snapshot.ts';
import { listSequencedTables } from './schema.ts';
import { SettingTable } from './settings.ts';
import { deleteUnpublished, UnpublishedEvent } from './unpublished-event.ts';
import { WebhookTable } from './webhooks.ts';
import { WorkspaceTable } from './workspaces.ts';

const ID_SETTING = 'store_id';
const RENEWED_SETTING = 'renewed_seq';
/** Where a snapshot is being saved, for the start after a kill. */
const UNFINISHED_SETTING = 'unfinished_snapshot';

export class Store {
  /** Tells this store from every other: what a sequence means, it means in one of them. */
  readonly id: string;
  readonly #options: DatabaseOptions;
  readonly #followers = new Set<() => void>();
  #db!: Database.Database;
  #guard!: DatabaseFileMonitor;
  #group!: GroupCommit;
  #baseline!: Baseline;
  #unpublished!: UnpublishedEvent;
  /** Copies of the whole database are made one after the other. */
  #copying: Promise<unknown> = Promise.resolve();
  commitCount = 0;
  #lastSeq: number;
  stateReplacedSeq: number;
  // The tables of another connection after restoreDatabase: nobody keeps one.
  settings!: SettingTable;
  workspaces!: WorkspaceTable;
  apiKeys!: ApiKeyTable;
  webhooks!: WebhookTable;
  events!: EventTable;
  eventQueries!: EventQueries;
  deliveries!: DeliveryTable;
  deliveryQueries!: DeliveryQueries;
  attempts!: AttemptTable;
  apiRequests!: ApiRequestTable;
  faults!: FaultTable;
  idempotency!: IdempotencyTable;
  changeFeed!: ChangeFeed;
  retention!: Retention;

  /** @throws SvcError as {@link openDatabase}. */
  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#connect(openDatabase(options));
    this.stateReplacedSeq = Number(this.settings.find(RENEWED_SETTING) ?? 0);
    this.#lastSeq = Math.max(findLastSeq(this.#db), this.stateReplacedSeq);
    this.id = this.settings.find(ID_SETTING) ?? createStoreId(this.settings);
    const unfinished = this.settings.find(UNFINISHED_SETTING);
    if (unfinished) removeUnfinishedSnapshot(unfinished);
  }

  /** Every table works on `db` from now on. */
  #connect(db: Database.Database): void {
    const guard = new DatabaseFileMonitor(this.#options.path);
    this.#db = db;
    this.#guard = guard;
    deleteUnpublished(db);
    this.#unpublished = new UnpublishedEvent(db);
    this.#group = new GroupCommit(
      db,
      () => {
        guard.recordWrite();
        this.#tellFollowers();
      },
      () => this.#forgetKept(),
      () => guard.assertIntact(),
    );
    this.#baseline = new Baseline(db);
    this.settings = new SettingTable(db);
    this.workspaces = new WorkspaceTable(db);
    this.apiKeys = new ApiKeyTable(db);
    this.webhooks = new WebhookTable(db);
    this.events = new EventTable(db);
    this.eventQueries = new EventQueries(db);
    this.deliveries = new DeliveryTable(db, this.#unpublished);
    this.deliveryQueries = new DeliveryQueries(db);
    this.attempts = new AttemptTable(db);
    this.apiRequests = new ApiRequestTable(db);
    this.faults = new FaultTable(db);
    this.idempotency = new IdempotencyTable(db);
    this.changeFeed = new ChangeFeed(db, this.#unpublished);
    this.retention = new Retention(db, this.settings);
  }

  /** What the last write, or the last {@link checkFile}, found wrong with the database file; null for nothing. */
  get fileProblem(): DatabaseFileProblem | null {
    return this.#guard.loss;
  }

  /** Looks whether the database file is still in its place. */
  checkFile(): DatabaseFileProblem | null {
    return this.#guard.check();
  }

  /**
   * Writes the database file again after it was removed, with everything that is in the store, and goes on with it.
   * @throws SvcError `conflict` when it was not removed, `storage_unavailable` when it cannot be written.
   */
  restoreFile(): Promise<void> {
    return this.#copyNext(async () => {
      const { path } = this.#options;
      const loss = this.checkFile();
      if (loss === null) throw new SvcError('conflict', 'The database file is in its place.');
      if (loss !== 'removed') throw toFileProblemError(loss);
      this.#group.flush();
      const unfinished = `${path}.${randomUUID()}.tmp`;
      try {
        mkdirSync(dirname(path), { recursive: true });
        await copyDatabase(this.#db, unfinished, { beforeLastPages: () => {}, onLastPage: () => {} });
        this.#group.flush();
        if (this.checkFile() === 'replaced') throw toFileProblemError('replaced');
        // What is left of the log belongs to the file that was removed.
        rmSync(`${path}-wal`, { force: true });
        renameSync(unfinished, path);
        fsyncFolder(dirname(path));
      } catch (error) {
        rmSync(unfinished, { force: true });
        throw toWriteError(error);
      }
      const former = this.#db;
      this.#connect(openDatabase(this.#options));
      former.close();
    });
  }

  #copyNext<Result>(copy: () => Promise<Result>): Promise<Result> {
    const copied = this.#copying.then(copy, copy);
    this.#copying = copied;
    return copied;
  }

  /** The next place in the order of all that happens. Inside a write only. */
  nextSeq(): number {
    return ++this.#lastSeq;
  }

  /** Gives up the pending deliveries of an endpoint. @returns how many. Inside a write only. */
  cancelDeliveries(webhookSeq: number, at: number): number {
    const canceled = this.deliveries.cancelPending(webhookSeq, at, this.#lastSeq);
    this.#lastSeq += canceled;
    return canceled;
  }

  /** The place of the newest thing that happened. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The place at which everything was last replaced, by a reset or a snapshot; 0 where it never was. */
  get renewedSeq(): number {
    return this.stateReplacedSeq;
  }

  /** Writes within the group of this turn of the loop, see {@link GroupCommit.run}. */
  write<Result>(operation: () => Result): Promise<Result> {
    return this.#group.run(operation);
  }

  /** What is kept in memory may have been read from rows that are no more. */
  #forgetKept(): void {
    this.apiKeys.clearCache();
    this.webhooks.clearCache();
  }

  /** Writes with the next group that comes, see {@link GroupCommit.runSoon}. */
  writeSoon(operation: () => void): void {
    this.#group.runSoon(operation);
  }

  /** Another number after every commit that followers are notified of. */
  get commits(): number {
    return this.commitCount;
  }

  /** Calls `follower` after every commit. @returns a function that ends that. */
  subscribe(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** Commits what waits, so that it can be read. */
  flush(): void {
    this.#group.flush();
  }

  /** Writes at once, in a transaction of its own: for boot, when nobody waits yet. */
  writeNow<Result>(operation: () => Result): Result {
    const result = this.#db.transaction(operation).immediate();
    this.#guard.recordWrite();
    return result;
  }

  /** Makes the present state the one that {@link restoreBaseline} brings back. */
  setBaseline(): void {
    this.#baseline.set(this.#lastSeq);
  }

  /** The newest sequence below which nothing is hidden, see {@link reserveEvent}: followers read up to here. */
  get lastVisibleSeq(): number {
    return Math.min(this.#lastSeq, this.#unpublished.hidden.from - 1);
  }

  /**
   * Reserves sequences for an event and its deliveries, which {@link writeUnpublished} then writes in slices. Nothing of it
   * is visible until the event is inserted and {@link publishEvent} is called in the same write; a process that is
   * killed before leaves nothing. One event at a time.
   * @returns the sequence of the event; its deliveries take the next ones.
   */
  reserveEvent(deliveries: number): number {
    const from = this.nextSeq();
    this.#lastSeq += deliveries;
    this.#unpublished.reserve({ from, to: this.#lastSeq });
    return from;
  }

  /** Whether the event is reserved and was neither published nor discarded, by a reset for instance. */
  isReserved(eventSeq: number): boolean {
    return this.#unpublished.hidden.from === eventSeq;
  }

  /** Writes a slice of the deliveries of the reserved event. @throws SvcError `storage_unavailable`. */
  writeUnpublished(write: () => void): void {
    if (!this.#db.open) throw new SvcError('storage_unavailable', 'The emulator is stopping.');
    this.#guard.assertIntact();
    this.#orRefuse(() => this.#unpublished.writeSlice(write));
  }

  /** Inside the write that inserts the reserved event. */
  publishEvent(): void {
    this.#unpublished.unmark();
  }

  /** After that write: followers see the event. */
  revealEvent(): void {
    this.#unpublished.reveal();
    this.#tellFollowers();
  }

  /** Removes what {@link writeUnpublished} wrote, where the event is not to be written after all. */
  discardEvent(): void {
    try {
      if (this.#db.open) this.#orRefuse(() => deleteUnpublished(this.#db));
    } finally {
      this.revealEvent();
    }
  }

  /** The place of the newest thing that had happened then. */
  get baselineSeq(): number {
    return this.#baseline.seq;
  }

  /**
   * Brings every row back to what it was at the last {@link setBaseline}, and does `alongside` in the same transaction.
   * The order of all that happens goes on: no place in it is given twice.
   * @throws SvcError `storage_unavailable`; nothing has changed then.
   */
  restoreBaseline(alongside: () => void): void {
    this.#overwrite(() => {
      this.#baseline.restore();
      alongside();
    });
  }

  /**
   * Writes everything into one file, see {@link saveSnapshot}. One save runs at a time.
   * @param now the wall time.
   * @param beforeLastPages writes what the snapshot has to contain of its moment.
   */
  saveSnapshot(path: string, now: () => number, beforeEnd: () => void): Promise<SavedSnapshot> {
    return this.#copyNext(async () => {
      try {
        return await saveSnapshot(this.#db, path, {
          now,
          onUnfinished: (unfinished) => this.#noteUnfinished(unfinished),
          beforeLastPages: () => {
            this.#group.flush();
            this.#writeNowOrRefuse(beforeEnd);
          },
        });
      } finally {
        this.#noteUnfinished('');
      }
    });
  }

  /** Where it cannot be written, a snapshot is all the more wanted. */
  #noteUnfinished(path: string): void {
    try {
      this.settings.set(UNFINISHED_SETTING, path);
    } catch {}
  }

  /**
   * Replaces everything by what a snapshot holds, and does `alongside`, told the wall time of the snapshot, in the same
   * transaction. The order of all that happens goes on with what was loaded.
   * @throws SvcError as {@link checkSnapshot}, or `storage_unavailable`; nothing has changed then.
   */
  async loadSnapshot(
    path: string,
    environment: Environment,
    alongside: (savedAt: number) => void,
  ): Promise<void> {
    const snapshot = await checkSnapshot(path, environment);
    try {
      if (!this.#db.open) throw new SvcError('storage_unavailable', 'The emulator is stopping.');
      this.#whileAttached(snapshot.path, () =>
        this.#overwrite(() => {
          this.#baseline.clear();
          replaceRows(this.#db, this.#lastSeq);
          this.#lastSeq = Math.max(this.#lastSeq, findLastSeq(this.#db));
          alongside(snapshot.savedAt);
        }),
      );
    } finally {
      snapshot.remove();
    }
  }

  #whileAttached(path: string, operation: () => void): void {
    this.#group.flush();
    this.#db.prepare('ATTACH ? AS snapshot').run(path);
    try {
      operation();
    } finally {
      this.#db.exec('DETACH snapshot');
    }
  }

  /** Replaces rows regardless of what refers to them. What waited to be written has been, before. */
  #overwrite(operation: () => void): void {
    this.#group.flush();
    this.#guard.assertIntact();
    this.#db.pragma('foreign_keys = OFF');
    try {
      this.#writeNowOrRefuse(() => {
        operation();
        this.#unpublished.unmark();
        this.#recordRenewal();
      });
      this.#unpublished.reveal();
    } finally {
      this.#db.pragma('foreign_keys = ON');
      this.#forgetKept();
      this.apiRequests.clearCache();
    }
    this.#tellFollowers();
  }

  #recordRenewal(): void {
    this.stateReplacedSeq = this.nextSeq();
    this.settings.set(RENEWED_SETTING, String(this.stateReplacedSeq));
  }

  #writeNowOrRefuse(operation: () => void): void {
    this.#orRefuse(() => this.writeNow(operation));
  }

  #orRefuse(write: () => void): void {
    try {
      write();
    } catch (error) {
      throw isStorageError(error) ? toWriteError(error) : error;
    }
  }

  #tellFollowers(): void {
    this.commitCount++;
    for (const follower of this.#followers) follower();
  }

  /** Gives free pages of the file back to the file system, a few at a time. */
  releaseFreePages(): Promise<void> {
    const db = this.#db;
    const canGoOn = () => db === this.#db && db.open && this.checkFile() === null;
    return this.#copyNext(() => releaseFreePages(db, canGoOn, () => this.#guard.recordWrite()));
  }

  /** Reads all of the database, and nothing else is done meanwhile. */
  checkIntegrity(): IntegrityReport {
    return checkIntegrity(this.#db);
  }

  /** How SQLite would run a query, for tests that look at the cost of a page. */
  explain(sql: string): string[] {
    return this.#db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => row.detail);
  }

  /** Commits what waits and closes the file. */
  close(): void {
    if (!this.#db.open) return;
    this.#group.flush();
    this.#db.close();
  }
}

/** Not drawn from the seed of the run: two runs with the same seed are two stores. */
function createStoreId(settings: SettingTable): string {
  const id = randomUUID();
  settings.set(ID_SETTING, id);
  return id;
}

function findLastSeq(db: Database.Database): number {
  const find = (column: string, table: string) =>
    db
      .prepare<[], number | null>(`SELECT max(${column}) FROM ${table} WHERE ${column} IS NOT NULL`)
      .pluck()
      .get() ?? 0;
  return Math.max(
    ...listSequencedTables(db).map((table) => find('seq', table)),
    find('settled_seq', 'deliveries'),
  );
}
