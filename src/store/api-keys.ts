/** The table of API keys. */
import type Database from 'better-sqlite3';
import type { ApiKey } from '../contract/resources.ts';
import type { Scope } from '../domain/environment.ts';
import { hashApiKey } from '../domain/secret.ts';
import { ReadCache } from './read-cache.ts';
import { type PageRequest, type RowPage, toPage, upperBound } from './row-page.ts';

export interface ApiKeyRow {
  readonly seq: number;
  readonly id: string;
  readonly workspace_seq: number | null;
  /** SHA-256 of the key; the key itself is not stored. */
  readonly hash: Buffer;
  readonly last4: string;
  /** JSON array. */
  readonly scopes: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

type ApiKeyWithWorkspace = ApiKeyRow & { readonly workspace_id: string | null };

const SELECT_WITH_WORKSPACE =
  'SELECT k.*, w.id AS workspace_id FROM api_keys k LEFT JOIN workspaces w ON w.seq = k.workspace_seq';

export class ApiKeyTable {
  readonly #insert: Database.Statement<[ApiKeyRow]>;
  readonly #byHash: Database.Statement<[Buffer], ApiKeyWithWorkspace>;
  readonly #byId: Database.Statement<[string], ApiKeyWithWorkspace>;
  readonly #page: Database.Statement<
    [{ before: number; workspace: number | null; limit: number }],
    ApiKeyWithWorkspace
  >;
  readonly #newestId: Database.Statement<[], string>;
  readonly #revoke: Database.Statement<[number, number]>;
  readonly #cache = new ReadCache<string, ApiKeyWithWorkspace>();

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      `INSERT INTO api_keys (seq, id, workspace_seq, hash, last4, scopes, created_at, revoked_at)
       VALUES (@seq, @id, @workspace_seq, @hash, @last4, @scopes, @created_at, @revoked_at)`,
    );
    this.#byHash = db.prepare(`${SELECT_WITH_WORKSPACE} WHERE k.hash = ?`);
    this.#byId = db.prepare(`${SELECT_WITH_WORKSPACE} WHERE k.id = ?`);
    this.#page = db.prepare(
      `${SELECT_WITH_WORKSPACE} WHERE k.seq < @before AND (@workspace IS NULL OR k.workspace_seq = @workspace)
       ORDER BY k.seq DESC LIMIT @limit`,
    );
    this.#newestId = db.prepare<[], string>('SELECT id FROM api_keys ORDER BY seq DESC LIMIT 1').pluck();
    this.#revoke = db.prepare('UPDATE api_keys SET revoked_at = ? WHERE seq = ? AND revoked_at IS NULL');
  }

  insert(row: ApiKeyRow): void {
    this.clearCache();
    this.#insert.run(row);
  }

  /** The row of a key, revoked or not. Cached, because every request reads it. */
  findByKey(key: string): ApiKeyWithWorkspace | undefined {
    return this.#cache.getOrRead(key, () => this.#byHash.get(hashApiKey(key)));
  }

  find(id: string): ApiKeyWithWorkspace | undefined {
    return this.#byId.get(id);
  }

  findNewestId(): string | undefined {
    return this.#newestId.get();
  }

  list(workspaceSeq: number | null, page: PageRequest): RowPage<ApiKeyWithWorkspace> {
    const rows = this.#page.all({ before: upperBound(page), workspace: workspaceSeq, limit: page.limit + 1 });
    return toPage(rows, page.limit);
  }

  revoke(seq: number, at: number): void {
    this.clearCache();
    this.#revoke.run(at, seq);
  }

  clearCache(): void {
    this.#cache.clear();
  }
}

export function toApiKey(row: ApiKeyWithWorkspace): ApiKey {
  return {
    id: row.id,
    scopes: toScopes(row),
    workspace_id: row.workspace_id,
    last4: row.last4,
    created_at: new Date(row.created_at).toISOString(),
    revoked_at: row.revoked_at === null ? null : new Date(row.revoked_at).toISOString(),
  };
}

export function toScopes(row: Pick<ApiKeyRow, 'scopes'>): Scope[] {
  return JSON.parse(row.scopes);
}
