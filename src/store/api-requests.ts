import type Database from 'better-sqlite3';
import type { ApiRequest } from '../contract/resources.ts';
import { type PageRequest, type RowPage, toPage, upperBound } from './page.ts';

export interface ApiRequestRow {
  readonly seq: number;
  readonly id: string;
  readonly at_wall: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly error_code: string | null;
  readonly duration_ms: number;
  readonly api_key_seq: number | null;
  readonly workspace_seq: number | null;
  /** The `FaultMark` of what touched it, as JSON; null when nothing did. */
  readonly fault: string | null;
}

type ApiRequestWithIds = ApiRequestRow & {
  readonly api_key_id: string | null;
  readonly workspace_id: string | null;
};

export interface ApiRequestFilter {
  readonly workspaceSeq: number | null;
  readonly method: string | null;
  /** Prefix of the path. */
  readonly path: string | null;
  readonly status: number | null;
  readonly apiKeyId: string | null;
  readonly requestId: string | null;
  readonly minDurationMs: number | null;
  /** Wall time. */
  readonly since: number | null;
}

const SELECT = `SELECT r.*, k.id AS api_key_id, w.id AS workspace_id FROM api_requests r
  LEFT JOIN api_keys k ON k.seq = r.api_key_seq LEFT JOIN workspaces w ON w.seq = r.workspace_seq`;

export class ApiRequestTable {
  readonly #insert: Database.Statement<[ApiRequestRow]>;
  readonly #bySeq: Database.Statement<[number], ApiRequestWithIds>;
  readonly #byId: Database.Statement<[string], ApiRequestWithIds>;
  readonly #page: Database.Statement<
    [ApiRequestFilter & { before: number; limit: number }],
    ApiRequestWithIds
  >;

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      `INSERT INTO api_requests (seq, id, at_wall, method, path, status, error_code, duration_ms, api_key_seq, workspace_seq, fault)
       VALUES (@seq, @id, @at_wall, @method, @path, @status, @error_code, @duration_ms, @api_key_seq, @workspace_seq, @fault)`,
    );
    this.#bySeq = db.prepare(`${SELECT} WHERE r.seq = ?`);
    this.#byId = db.prepare(`${SELECT} WHERE r.id = ?`);
    this.#page = db.prepare(
      `${SELECT} WHERE r.seq < @before
         AND (@workspaceSeq IS NULL OR r.workspace_seq = @workspaceSeq)
         AND (@method IS NULL OR r.method = @method)
         AND (@path IS NULL OR substr(r.path, 1, length(@path)) = @path)
         AND (@status IS NULL OR r.status = @status)
         AND (@apiKeyId IS NULL OR k.id = @apiKeyId)
         AND (@requestId IS NULL OR r.id = @requestId)
         AND (@minDurationMs IS NULL OR r.duration_ms >= @minDurationMs)
         AND (@since IS NULL OR r.at_wall >= @since)
       ORDER BY r.seq DESC LIMIT @limit`,
    );
  }

  insert(row: ApiRequestRow): void {
    this.#insert.run(row);
  }

  find(id: string): ApiRequestWithIds | undefined {
    return this.#byId.get(id);
  }

  findBySeq(seq: number): ApiRequestWithIds | undefined {
    return this.#bySeq.get(seq);
  }

  list(filter: ApiRequestFilter, page: PageRequest): RowPage<ApiRequestWithIds> {
    const rows = this.#page.all({ ...filter, before: upperBound(page), limit: page.limit + 1 });
    return toPage(rows, page.limit);
  }
}

export function toApiRequest(row: ApiRequestWithIds): ApiRequest {
  return {
    id: row.id,
    at: new Date(row.at_wall).toISOString(),
    method: row.method,
    path: row.path,
    status: row.status,
    error_code: row.error_code,
    duration_ms: row.duration_ms,
    api_key_id: row.api_key_id,
    workspace_id: row.workspace_id,
    ...(row.fault === null ? {} : { fault: JSON.parse(row.fault) }),
  };
}
