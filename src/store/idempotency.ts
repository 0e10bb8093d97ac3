/** The table of idempotency keys. */
import { Table } from './sql.ts';

interface IdempotencyRow {
  /** SHA-256 of the scope of the key, see `sandbox/idempotency.ts`. */
  readonly scope_hash: Buffer;
  /** Sequence of the newest row that the request wrote. */
  readonly seq: number;
  readonly workspace_seq: number;
  /** SHA-256 of the body of the request. */
  readonly body_hash: Buffer;
  /** Status and body of the response. */
  readonly status: number;
  readonly body: string;
  /** Schedule time. */
  readonly expires_at: number;
}

/** Successful responses to requests with an `Idempotency-Key` (gap `idempotency.scope`). */
export class IdempotencyTable extends Table {
  save(row: IdempotencyRow): void {
    this.sql.insert('idempotency_keys', row, 'INSERT OR REPLACE');
  }

  find(scopeHash: Buffer): IdempotencyRow | undefined {
    return this.sql.get('SELECT * FROM idempotency_keys WHERE scope_hash = ?', [scopeHash]);
  }

  /** Deletes the rows of a workspace that have expired at `now`, in schedule time. */
  deleteExpired(workspaceSeq: number, now: number): void {
    this.sql.run('DELETE FROM idempotency_keys WHERE workspace_seq = ? AND expires_at <= ?', [
      workspaceSeq,
      now,
    ]);
  }
}
