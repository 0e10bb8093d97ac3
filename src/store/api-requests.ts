/** The tables of logged API requests: what the list shows, and their headers and bodies. */

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
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

type ApiRequestRow = Row<'api_requests'>;

/** The headers and the bodies of a request and of its response. The columns of a body that was not read are null. */
export type ApiRequestMessages = Omit<Row<'api_request_messages'>, 'seq'>;

type ApiRequestWithIds = ApiRequestRow & {
  readonly api_key_id: string | null;
  readonly api_key_name: string | null;
  readonly workspace_id: string | null;
};

const SELECT_WITH_IDS = `SELECT r.*, k.id AS api_key_id, k.name AS api_key_name, w.id AS workspace_id FROM api_requests r
  LEFT JOIN api_keys k ON k.seq = r.api_key_seq LEFT JOIN workspaces w ON w.seq = r.workspace_seq`;

const FILTERED_TABLE: FilteredTable<RequestCondition> = {
  from: 'api_requests r',
  seq: 'r.seq',
  conditions: toConditions(requestFilters),
};

export class ApiRequestTable extends Table {
  insert(row: ApiRequestRow, messages: ApiRequestMessages): void {
    this.sql.insert('api_requests', row);
    this.sql.insert('api_request_messages', { seq: row.seq, ...messages });
  }

  find(id: string): ApiRequestWithIds | undefined {
    return this.sql.get(`${SELECT_WITH_IDS} WHERE r.id = ?`, [id]);
  }

  matches(seq: number, filter: RequestCondition): boolean {
    return matchesRow(this.sql, FILTERED_TABLE, filter, seq);
  }

  findBySeq(seq: number): ApiRequestWithIds | undefined {
    return this.sql.get(`${SELECT_WITH_IDS} WHERE r.seq = ?`, [seq]);
  }

  /** The headers and bodies of a request; undefined if only the newer ones are kept. */
  findMessages(seq: number): ApiRequestMessages | undefined {
    return this.sql.get('SELECT * FROM api_request_messages WHERE seq = ?', [seq]);
  }

  /** A page of the requests that match, newest first. */
  list(filter: RequestCondition, page: PageRequest): RowPage<ApiRequestWithIds> {
    return listMatches(
      this.sql,
      FILTERED_TABLE,
      filter,
      page,
      (condition) => `${SELECT_WITH_IDS} WHERE ${condition}`,
    );
  }
}

const readRequest = createRowReader(ApiRequest.entries);

export function toApiRequest(row: ApiRequestWithIds): ApiRequest {
  return readRequest({ ...row, at: row.at_wall });
}

export function toApiRequestDetail(
  row: ApiRequestWithIds,
  messages: ApiRequestMessages | undefined,
): ApiRequestDetail {
  return {
    ...toApiRequest(row),
    request: messages === undefined ? null : toRequestMessage(messages),
    response: messages === undefined ? null : toResponseMessage(messages),
  };
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
