/** The table of logged API requests. */

import { isUtf8 } from 'node:buffer';
import { toConditions } from '../resources/define-resource.ts';
import {
  ApiRequest,
  type ApiRequestDetail,
  type LoggedMessage,
  type RequestCondition,
  requestFilters,
} from '../resources/request.ts';
import { createRowReader } from './columns.ts';
import { type FilteredTable, listMatches, matchesRow, type PageRequest, type RowPage } from './row-page.ts';
import { type Row, tables } from './schema.ts';
import { Table } from './sql.ts';

type ApiRequestRow = Row<'api_requests'>;

/** The columns that only the details of a request show. */
const MESSAGE_COLUMNS = [
  'request_headers',
  'request_body',
  'request_size',
  'request_truncated',
  'response_headers',
  'response_body',
  'response_size',
  'response_truncated',
] as const;

/** The headers and the bodies of a request and of its response. */
export type ApiRequestMessages = Pick<ApiRequestRow, (typeof MESSAGE_COLUMNS)[number]>;

interface ApiRequestSummary extends Omit<ApiRequestRow, keyof ApiRequestMessages> {
  readonly api_key_id: string | null;
  readonly api_key_name: string | null;
  readonly workspace_id: string | null;
}

const SUMMARY_COLUMNS = Object.keys(tables.api_requests).filter(
  (name) => !(MESSAGE_COLUMNS as readonly string[]).includes(name),
);
const selectColumns = (columns: readonly string[]) => `SELECT ${columns.map((name) => `r.${name}`)},
    k.id AS api_key_id, k.name AS api_key_name, w.id AS workspace_id FROM api_requests r
  LEFT JOIN api_keys k ON k.seq = r.api_key_seq LEFT JOIN workspaces w ON w.seq = r.workspace_seq`;
const SELECT_SUMMARY = selectColumns(SUMMARY_COLUMNS);
const SELECT_DETAIL = selectColumns(['*']);
const selectSummaries = (condition: string) => `${SELECT_SUMMARY} WHERE ${condition}`;

const FILTERED_TABLE: FilteredTable<RequestCondition> = {
  from: 'api_requests r',
  seq: 'r.seq',
  conditions: toConditions(requestFilters),
};

export class ApiRequestTable extends Table {
  insert(row: ApiRequestRow): void {
    this.sql.insert('api_requests', row);
  }

  find(id: string): ApiRequestSummary | undefined {
    return this.sql.get(selectSummaries('r.id = ?'), [id]);
  }

  findDetail(id: string): (ApiRequestSummary & ApiRequestMessages) | undefined {
    return this.sql.get(`${SELECT_DETAIL} WHERE r.id = ?`, [id]);
  }

  matches(seq: number, filter: RequestCondition): boolean {
    return matchesRow(this.sql, FILTERED_TABLE, filter, seq);
  }

  findBySeq(seq: number): ApiRequestSummary | undefined {
    return this.sql.get(selectSummaries('r.seq = ?'), [seq]);
  }

  list(filter: RequestCondition, page: PageRequest): RowPage<ApiRequestSummary> {
    return listMatches(this.sql, FILTERED_TABLE, filter, page, selectSummaries);
  }
}

const readRequest = createRowReader(ApiRequest.entries);

export function toApiRequest(row: ApiRequestSummary): ApiRequest {
  return readRequest({ ...row, at: row.at_wall });
}

export function toApiRequestDetail(row: ApiRequestSummary & ApiRequestMessages): ApiRequestDetail {
  return { ...toApiRequest(row), request: toRequestMessage(row), response: toResponseMessage(row) };
}

function toRequestMessage(row: ApiRequestMessages): LoggedMessage {
  const body = row.request_body;
  const encoding = body === null || isUtf8(body) ? 'utf8' : 'base64';
  return {
    headers: JSON.parse(row.request_headers),
    body: body?.toString(encoding) ?? null,
    encoding,
    size_bytes: row.request_size,
    truncated: row.request_truncated === 1,
  };
}

function toResponseMessage(row: ApiRequestMessages): LoggedMessage | null {
  if (row.response_headers === null) return null;
  return {
    headers: JSON.parse(row.response_headers),
    body: row.response_body,
    encoding: 'utf8',
    size_bytes: row.response_size,
    truncated: row.response_truncated === 1,
  };
}
