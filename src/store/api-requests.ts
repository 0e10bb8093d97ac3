import type Database from 'better-sqlite3';
import type { ApiRequest } from '../contract/resources.ts';
import type { PageRequest, RowPage } from './row-page.ts';
import { pickConditions, Scan, toMatchColumn } from './scan.ts';

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
  /** Id of what it created, read, changed or deleted, or asked for in vain; null for a list. */
  readonly resource_id: string | null;
  /** The `AppliedFault` of what touched it, as JSON; null when nothing did. */
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
  readonly resourceId: string | null;
  readonly minDurationMs: number | null;
  /** Wall time. */
  readonly since: number | null;
}

const SELECT = `SELECT r.*, k.id AS api_key_id, w.id AS workspace_id FROM api_requests r
  LEFT JOIN api_keys k ON k.seq = r.api_key_seq LEFT JOIN workspaces w ON w.seq = r.workspace_seq`;

/** Requests without a valid key that the log keeps: anybody who reaches the emulator can send them. */
export const UNAUTHENTICATED_LIMIT = 1_000;

export class ApiRequestTable {
  readonly #insert: Database.Statement<[ApiRequestRow]>;
  readonly #bySeq: Database.Statement<[number], ApiRequestWithIds>;
  readonly #byId: Database.Statement<[string], ApiRequestWithIds>;
  readonly #delete: Database.Statement<[number]>;
  readonly #withoutKey: Database.Statement<[], number>;
  readonly #scan: Scan<ApiRequestWithIds>;
  /** Sequences of the requests without a key, oldest first; null until they are read. */
  #keyless: number[] | null = null;

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      `INSERT INTO api_requests (seq, id, at_wall, method, path, status, error_code, duration_ms, api_key_seq, workspace_seq,
         resource_id, fault)
       VALUES (@seq, @id, @at_wall, @method, @path, @status, @error_code, @duration_ms, @api_key_seq, @workspace_seq,
         @resource_id, @fault)`,
    );
    this.#bySeq = db.prepare(`${SELECT} WHERE r.seq = ?`);
    this.#byId = db.prepare(`${SELECT} WHERE r.id = ?`);
    this.#delete = db.prepare('DELETE FROM api_requests WHERE seq = ?');
    this.#withoutKey = db
      .prepare<[], number>('SELECT seq FROM api_requests WHERE api_key_seq IS NULL ORDER BY seq')
      .pluck();
    this.#scan = new Scan(db, (seq) => this.findBySeq(seq));
  }

  insert(row: ApiRequestRow): void {
    if (row.api_key_seq === null) this.#makeRoom(row.seq);
    this.#insert.run(row);
  }

  /** To be called when the rows were replaced. */
  clearCache(): void {
    this.#keyless = null;
  }

  /** Removes the oldest requests without a key, so that one more is within the limit. */
  #makeRoom(seq: number): void {
    this.#keyless ??= this.#withoutKey.all();
    this.#keyless.push(seq);
    for (const oldest of this.#keyless.splice(0, this.#keyless.length - UNAUTHENTICATED_LIMIT))
      this.#delete.run(oldest);
  }

  find(id: string): ApiRequestWithIds | undefined {
    return this.#byId.get(id);
  }

  findBySeq(seq: number): ApiRequestWithIds | undefined {
    return this.#bySeq.get(seq);
  }

  /** Requests that match, newest first. */
  list(filter: ApiRequestFilter, page: PageRequest): Promise<RowPage<ApiRequestWithIds>> {
    return this.#scan.findPage(toCandidateQuery(filter), { ...filter }, page);
  }
}

/** What each row is asked. */
const ROW_CONDITIONS = {
  workspaceSeq: 'r.workspace_seq = @workspaceSeq',
  method: 'r.method = @method',
  path: 'substr(r.path, 1, length(@path)) = @path',
  status: 'r.status = @status',
  apiKeyId: 'r.api_key_seq = (SELECT seq FROM api_keys WHERE id = @apiKeyId)',
  requestId: 'r.id = @requestId',
  minDurationMs: 'r.duration_ms >= @minDurationMs',
  since: 'r.at_wall >= @since',
} as const satisfies Partial<Record<keyof ApiRequestFilter, string>>;

function toCandidateQuery(filter: ApiRequestFilter): string {
  const found = filter.resourceId === null ? '' : 'AND r.resource_id = @resourceId';
  const fits = toMatchColumn(pickConditions<ApiRequestFilter>(ROW_CONDITIONS, filter));
  return `SELECT r.seq, ${fits} FROM api_requests r WHERE r.seq < @before ${found} ORDER BY r.seq DESC`;
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
    resource_id: row.resource_id,
    ...(row.fault === null ? {} : { fault: JSON.parse(row.fault) }),
  };
}
