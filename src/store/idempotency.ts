/** The table of idempotency keys. */
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

type IdempotencyRow = Row<'idempotency_keys'>;

/** Successful responses to requests with an `Idempotency-Key` (gap `idempotency.scope`). */
export class IdempotencyTable extends Table {
  /** Replaces a response that has expired. */
  save(row: IdempotencyRow): void {
    this.sql.run('DELETE FROM idempotency_keys WHERE scope_hash = ?', [row.scope_hash]);
    this.sql.insert('idempotency_keys', row);
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
