/** The table of API keys. */

import { hashApiKey } from '../domain/secret.ts';
import { ApiKey } from '../resources/key.ts';
import { createRowReader } from './columns.ts';
import { type PageRequest, type RowPage, readPage } from './row-page.ts';
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

export type ApiKeyRow = Row<'api_keys'>;

type ApiKeyWithWorkspace = ApiKeyRow & { readonly workspace_id: string | null };

const SELECT_WITH_WORKSPACE =
  'SELECT k.*, w.id AS workspace_id FROM api_keys k LEFT JOIN workspaces w ON w.seq = k.workspace_seq';

export class ApiKeyTable extends Table {
  /** The keys that requests have sent, because every request reads its key. */
  readonly #cache = new Map<string, ApiKeyWithWorkspace>();

  insert(row: ApiKeyRow): void {
    this.sql.insert('api_keys', row);
  }

  /** The row of a key, revoked or not. */
  findByKey(key: string): ApiKeyWithWorkspace | undefined {
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const text = `${SELECT_WITH_WORKSPACE} WHERE k.hash = ?`;
    const row = this.sql.get<ApiKeyWithWorkspace>(text, [hashApiKey(key)]);
    if (row !== undefined) this.#cache.set(key, row);
    return row;
  }

  find(id: string): ApiKeyWithWorkspace | undefined {
    return this.sql.get(`${SELECT_WITH_WORKSPACE} WHERE k.id = ?`, [id]);
  }

  /** Whether a key has this name, revoked or not. */
  hasName(name: string): boolean {
    return this.sql.get('SELECT 1 FROM api_keys WHERE name = ? LIMIT 1', [name]) !== undefined;
  }

  list(workspaceSeq: number | null, page: PageRequest): RowPage<ApiKeyWithWorkspace> {
    return readPage(page, (before, limit) =>
      this.sql.all<ApiKeyWithWorkspace>(
        `${SELECT_WITH_WORKSPACE} WHERE k.seq < @before AND (@workspaceSeq IS NULL OR k.workspace_seq = @workspaceSeq)
       ORDER BY k.seq DESC LIMIT @limit`,
        { before, workspaceSeq, limit },
      ),
    );
  }

  revoke(seq: number, at: number): void {
    this.clearCache();
    this.sql.run('UPDATE api_keys SET revoked_at = ? WHERE seq = ? AND revoked_at IS NULL', [at, seq]);
  }

  /** Must be called after a change of the rows or a rollback. */
  clearCache(): void {
    this.#cache.clear();
  }
}

export const toApiKey = createRowReader(ApiKey.entries);
