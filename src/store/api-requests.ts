/** The table of logged API requests. */
import type Database from 'better-sqlite3';
import type { ApiRequest } from '../contract/resources.ts';
import { type PageRequest, pickConditions, type RowPage, Scan, toMatchColumn } from './row-page.ts';
import { prepareInsert } from './schema.ts';

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
  /** Id of the resource that the request created, read, changed, deleted or did not find; null for a list. */
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
  readonly status: number | null;
  readonly apiKeyId: string | null;
  readonly requestId: string | null;
  readonly resourceId: string | null;
  readonly minDurationMs: number | null;
  /** Wall time. */
  readonly since: number | null;
}

const SELECT_WITH_IDS = `SELECT r.*, k.id AS api_key_id, w.id AS workspace_id FROM api_requests r
  LEFT JOIN api_keys k ON k.seq = r.api_key_seq LEFT JOIN workspaces w ON w.seq = r.workspace_seq`;

/** Maximum number of logged requests without a valid key. Anyone who reaches the emulator can send them. */
export const UNAUTHENTICATED_LIMIT = 1_000;

function prepareStatements(db: Database.Database) {
  return {
    insert: prepareInsert<ApiRequestRow>(db, 'api_requests'),
    findBySeq: db.prepare<[number], ApiRequestWithIds>(`${SELECT_WITH_IDS} WHERE r.seq = ?`),
    find: db.prepare<[string], ApiRequestWithIds>(`${SELECT_WITH_IDS} WHERE r.id = ?`),
    delete: db.prepare<[number]>('DELETE FROM api_requests WHERE seq = ?'),
    listUnauthenticated: db
      .prepare<[], number>('SELECT seq FROM api_requests WHERE api_key_seq IS NULL ORDER BY seq')
      .pluck(),
  };
}

export class ApiRequestTable {
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #scan: Scan<ApiRequestWithIds>;
  /** Sequences of the requests without a key, oldest first; null until they are first read. */
  #unauthenticatedSeqs: number[] | null = null;

  constructor(db: Database.Database) {
    this.#statements = prepareStatements(db);
    this.#scan = new Scan(db, (seq) => this.findBySeq(seq));
  }

  insert(row: ApiRequestRow): void {
    if (row.api_key_seq === null) this.#deleteOldestUnauthenticated(row.seq);
    this.#statements.insert.run(row);
  }

  /** Must be called after the rows were replaced. */
  clearCache(): void {
    this.#unauthenticatedSeqs = null;
  }

  /** Deletes requests without a key until one more is within the limit. */
  #deleteOldestUnauthenticated(seq: number): void {
    this.#unauthenticatedSeqs ??= this.#statements.listUnauthenticated.all();
    const seqs = this.#unauthenticatedSeqs;
    seqs.push(seq);
    for (const oldestSeq of seqs.splice(0, seqs.length - UNAUTHENTICATED_LIMIT)) {
      this.#statements.delete.run(oldestSeq);
    }
  }

  find(id: string): ApiRequestWithIds | undefined {
    return this.#statements.find.get(id);
  }

  findBySeq(seq: number): ApiRequestWithIds | undefined {
    return this.#statements.findBySeq.get(seq);
  }

  /** A page of the requests that match, newest first. */
  list(filter: ApiRequestFilter, page: PageRequest): Promise<RowPage<ApiRequestWithIds>> {
    return this.#scan.findPage(toCandidateQuery(filter), { ...filter }, page);
  }
}

/** Conditions without an index, checked on each row. */
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
  const indexed = filter.resourceId === null ? '' : 'AND r.resource_id = @resourceId';
  const matches = toMatchColumn(pickConditions<ApiRequestFilter>(ROW_CONDITIONS, filter));
  return `SELECT r.seq, ${matches} FROM api_requests r WHERE r.seq < @before ${indexed} ORDER BY r.seq DESC`;
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
