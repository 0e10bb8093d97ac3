/** The table of logged API requests. */
import type { ApiRequest } from '../contract/resources.ts';
import { type FilteredTable, type PageRequest, type RowPage, Scan } from './row-page.ts';
import { type Sql, Table } from './sql.ts';

interface ApiRequestRow {
  readonly seq: number;
  readonly id: string;
  /** Wall time at which the request arrived. */
  readonly at_wall: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly error_code: string | null;
  readonly duration_ms: number;
  readonly api_key_seq: number | null;
  readonly workspace_seq: number | null;
  /** ID of the resource that the request created, read, changed, deleted or did not find; null for a list. */
  readonly resource_id: string | null;
  /** `AppliedFault` of the fault that was injected, as JSON; null for none. */
  readonly fault: string | null;
}

type ApiRequestWithIds = ApiRequestRow & {
  readonly api_key_id: string | null;
  readonly workspace_id: string | null;
};

export interface ApiRequestFilter {
  readonly workspaceSeq: number | null;
  readonly method: string | null;
  /** Path prefix. */
  readonly path: string | null;
  readonly statusFrom: number | null;
  readonly statusTo: number | null;
  readonly apiKeyId: string | null;
  readonly requestId: string | null;
  readonly resourceId: string | null;
  readonly minDurationMs: number | null;
  /** Wall time. */
  readonly since: number | null;
}

const SELECT_WITH_IDS = `SELECT r.*, k.id AS api_key_id, w.id AS workspace_id FROM api_requests r
  LEFT JOIN api_keys k ON k.seq = r.api_key_seq LEFT JOIN workspaces w ON w.seq = r.workspace_seq`;

const FILTERED_TABLE: FilteredTable<ApiRequestFilter> = {
  from: 'api_requests r',
  seq: 'r.seq',
  conditions: {
    resourceId: { indexed: 'r.resource_id = @resourceId' },
    workspaceSeq: 'r.workspace_seq = @workspaceSeq',
    method: 'r.method = @method',
    path: 'substr(r.path, 1, length(@path)) = @path',
    statusFrom: 'r.status >= @statusFrom',
    statusTo: 'r.status <= @statusTo',
    apiKeyId: 'r.api_key_seq = (SELECT seq FROM api_keys WHERE id = @apiKeyId)',
    requestId: 'r.id = @requestId',
    minDurationMs: 'r.duration_ms >= @minDurationMs',
    since: 'r.at_wall >= @since',
  },
};

/** Maximum number of logged requests without a valid key. Anyone who reaches the emulator can send them. */
export const UNAUTHENTICATED_LIMIT = 1_000;

export class ApiRequestTable extends Table {
  readonly #scan: Scan<ApiRequestFilter, ApiRequestWithIds>;
  /** Sequences of the requests without a key, oldest first; null until they are first read. */
  #unauthenticatedSeqs: number[] | null = null;

  constructor(sql: Sql) {
    super(sql);
    this.#scan = new Scan(sql, FILTERED_TABLE, (seq) => this.findBySeq(seq));
  }

  insert(row: ApiRequestRow): void {
    if (row.api_key_seq === null) this.#trackUnauthenticated(row.seq);
    this.sql.insert('api_requests', row);
  }

  /** Must be called after the rows were replaced. */
  clearCache(): void {
    this.#unauthenticatedSeqs = null;
  }

  /** Adds a request without a key, and deletes the oldest ones beyond the limit. */
  #trackUnauthenticated(seq: number): void {
    this.#unauthenticatedSeqs ??= this.sql.values<number>(
      'SELECT seq FROM api_requests WHERE api_key_seq IS NULL ORDER BY seq',
    );
    const seqs = this.#unauthenticatedSeqs;
    seqs.push(seq);
    for (const oldestSeq of seqs.splice(0, seqs.length - UNAUTHENTICATED_LIMIT)) {
      this.sql.run('DELETE FROM api_requests WHERE seq = ?', [oldestSeq]);
    }
  }

  find(id: string): ApiRequestWithIds | undefined {
    return this.sql.get(`${SELECT_WITH_IDS} WHERE r.id = ?`, [id]);
  }

  findBySeq(seq: number): ApiRequestWithIds | undefined {
    return this.sql.get(`${SELECT_WITH_IDS} WHERE r.seq = ?`, [seq]);
  }

  /** A page of the requests that match, newest first. */
  list(filter: ApiRequestFilter, page: PageRequest): Promise<RowPage<ApiRequestWithIds>> {
    return this.#scan.list(filter, page);
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
    resource_id: row.resource_id,
    ...(row.fault === null ? {} : { fault: JSON.parse(row.fault) }),
  };
}
