/** The table of idempotency keys. */
import type Database from 'better-sqlite3';
import { prepareInsert } from './schema.ts';

export interface IdempotencyRow {
  readonly scope_hash: Buffer;
  /** Sequence of the newest row that the request wrote. Only successful responses are stored. */
  readonly seq: number;
  readonly workspace_seq: number;
  readonly body_hash: Buffer;
  readonly status: number;
  readonly body: string;
  /** Schedule time. */
  readonly expires_at: number;
}

/** Responses stored for requests with an `Idempotency-Key` (decision `idempotency.scope`). */
export class IdempotencyTable {
  readonly #save: Database.Statement<[IdempotencyRow]>;
  readonly #find: Database.Statement<[Buffer], IdempotencyRow>;
  readonly #deleteExpired: Database.Statement<[number, number]>;

  constructor(db: Database.Database) {
    this.#save = prepareInsert(db, 'idempotency_keys', 'INSERT OR REPLACE');
    this.#find = db.prepare('SELECT * FROM idempotency_keys WHERE scope_hash = ?');
    this.#deleteExpired = db.prepare(
      'DELETE FROM idempotency_keys WHERE workspace_seq = ? AND expires_at <= ?',
    );
  }

  save(row: IdempotencyRow): void {
    this.#save.run(row);
  }

  find(scopeHash: Buffer): IdempotencyRow | undefined {
    return this.#find.get(scopeHash);
  }

  /** Deletes the rows of a workspace that have expired at `now`, in schedule time. */
  deleteExpired(workspaceSeq: number, now: number): void {
    this.#deleteExpired.run(workspaceSeq, now);
  }
}
