import { describe, expect, it } from 'vitest';
import { type RequestCondition, requestFilters } from '../../src/resources/request.ts';
import { type ApiRequestMessages, toApiRequest, toApiRequestDetail } from '../../src/store/api-requests.ts';
import type { Store } from '../../src/store/store.ts';
import { combine } from './filled-store.ts';
import { insertApiKey, insertWorkspace, NOW, openStore } from './rows.ts';

const messages: ApiRequestMessages = {
  request_headers: '{"x":"y"}',
  request_body: Buffer.from('{"type":"ü"}'),
  request_size: 13,
  request_truncated: 0,
  response_headers: '{"a":"b"}',
  response_body: '{"id":"evt_1"}',
  response_size: 14,
  response_truncated: 0,
};

type RequestRow = Parameters<Store['apiRequests']['insert']>[0];

/** A request for each combination of values, in two workspaces with a key each. */
function openRequests() {
  const store = openStore();
  const rows: RequestRow[] = [];
  store.writeNow(() => {
    const places = [1, 2].map(() => ({ workspace: insertWorkspace(store), key: insertApiKey(store) }));
    const choices = {
      place: places,
      method: ['GET', 'POST'],
      path: ['/v1/events', '/v1/webhooks/wh_1', '/other/v1/events'],
      status: [200, 399, 400, 422],
      at: [NOW, NOW + 1],
    };
    for (const [index, { place, method, path, status, at }] of combine(choices).entries()) {
      const row: RequestRow = {
        ...{
          seq: store.nextSeq(),
          id: `req_${index}`,
          at_wall: at,
          method,
          path,
          status,
          duration_ms: index % 5,
        },
        ...{ error_code: status < 400 ? null : 'invalid_request', error_message: null, user_agent: 'test' },
        ...{ api_key_seq: place.key, workspace_seq: place.workspace, fault: null },
        resource_id: index % 3 === 0 ? `evt_${index % 4}` : null,
        ...messages,
      };
      store.apiRequests.insert(row);
      rows.push(row);
    }
  });
  return { store, rows };
}

function findKey(store: Store, row: RequestRow | undefined) {
  const { rows } = store.apiKeys.list(null, { limit: 10, beforeSeq: null });
  return rows.find(({ seq }) => seq === row?.api_key_seq);
}

describe('ApiRequestTable', () => {
  it('each filter selects the requests that match it, newest first in a list, and one by one', async () => {
    const { store, rows } = openRequests();
    const keys = [rows[0], rows.at(-1)].map((row) => findKey(store, row));
    const workspace = store.workspaces.findBySeq(rows.at(-1)?.workspace_seq ?? 0);
    const filters: [RequestCondition, (row: RequestRow) => boolean][] = [
      [{}, () => true],
      [{ workspace_id: workspace?.id }, (row) => row.workspace_seq === workspace?.seq],
      [{ method: 'POST' }, ({ method }) => method === 'POST'],
      [{ path: '/v1/e' }, ({ path }) => path.startsWith('/v1/e')],
      [{ path: 'v1/e' }, ({ path }) => path.includes('v1/e')],
      [{ path: 'h' }, ({ path }) => path.includes('h')],
      [{ path: 'none' }, () => false],
      [{ status: '4xx' }, ({ status }) => status >= 400 && status < 500],
      [{ status: 201 }, ({ status }) => status === 201],
      ...keys.map((key): [RequestCondition, (row: RequestRow) => boolean] => [
        { api_key_id: key?.id ?? '' },
        (row) => row.api_key_seq === key?.seq,
      ]),
      [{ api_key_name: 'Test' }, () => true],
      [{ api_key_name: 'Other' }, () => false],
      [{ request_id: 'req_5' }, ({ id }) => id === 'req_5'],
      [{ resource_id: 'evt_1' }, (row) => row.resource_id === 'evt_1'],
      [{ min_duration_ms: 3 }, (row) => row.duration_ms >= 3],
      [{ since: NOW + 1 }, (row) => row.at_wall >= NOW + 1],
      [{ until: NOW + 1 }, (row) => row.at_wall < NOW + 1],
      [{ path: "'%_" }, () => false],
      [{ method: 'GET', status: 422 }, ({ method, status }) => method === 'GET' && status === 422],
    ];
    const fields = new Set(filters.flatMap(([filter]) => Object.keys(filter)));
    expect([...fields].sort()).toEqual(Object.keys(requestFilters).sort());
    for (const [filter, matches] of filters) {
      const page = { limit: 1_000, beforeSeq: null };
      const listed = await store.apiRequests.list(filter, page);
      const expected = rows.filter(matches).toReversed();
      expect(
        listed.rows.map(({ id }) => id),
        JSON.stringify(filter),
      ).toEqual(expected.map(({ id }) => id));
      const matching = rows.filter(({ seq }) => store.apiRequests.matches(seq, filter));
      expect(matching.toReversed(), JSON.stringify(filter)).toEqual(expected);
    }
  });

  it('a request is found with the IDs of its key and workspace, and its messages', () => {
    const { store, rows } = openRequests();
    for (const row of rows) {
      const key = findKey(store, row);
      const workspace_id = store.workspaces.findBySeq(row.workspace_seq ?? 0)?.id;
      const detail = { ...row, api_key_id: key?.id, api_key_name: key?.name, workspace_id };
      const summary = Object.fromEntries(Object.entries(detail).filter(([name]) => !(name in messages)));
      expect(store.apiRequests.find(row.id)).toEqual(summary);
      expect(store.apiRequests.findBySeq(row.seq)).toEqual(summary);
      expect(store.apiRequests.findDetail(row.id)).toEqual(detail);
    }
  });
});

describe('toApiRequestDetail', () => {
  const detailOf = (changes: Partial<ApiRequestMessages>, fault: string | null = null) => {
    const { store, rows } = openRequests();
    const row = store.apiRequests.findDetail(rows[0]?.id ?? '');
    if (row === undefined) throw new Error('The request does not exist.');
    return toApiRequestDetail({ ...row, fault, ...changes });
  };

  it('a request is shown with its key, its workspace, its headers and bodies', () => {
    const { store, rows } = openRequests();
    const row = store.apiRequests.findBySeq(rows[0]?.seq ?? 0);
    const shown = {
      ...{ id: 'req_0', at: new Date(NOW).toISOString(), method: 'GET', path: '/v1/events', status: 200 },
      ...{ error_code: null, error_message: null, duration_ms: 0, resource_id: 'evt_0', user_agent: 'test' },
      ...{ api_key_id: row?.api_key_id, api_key_name: 'Test', workspace_id: row?.workspace_id },
    };
    expect(row && toApiRequest(row)).toEqual(shown);
    expect(detailOf({}, '{"kind":"status"}')).toMatchObject({
      fault: { kind: 'status' },
      request: {
        headers: { x: 'y' },
        body: '{"type":"ü"}',
        encoding: 'utf8',
        size_bytes: 13,
        truncated: false,
      },
      response: {
        headers: { a: 'b' },
        body: '{"id":"evt_1"}',
        encoding: 'utf8',
        size_bytes: 14,
        truncated: false,
      },
    });
  });

  it('a body that is not UTF-8 is base64, one that was not read is null, and a part is marked', () => {
    const binary = detailOf({
      request_body: Buffer.from([0xff]),
      request_truncated: 1,
      response_truncated: 1,
    });
    expect(binary.request).toMatchObject({ body: '/w==', encoding: 'base64', truncated: true });
    expect(binary.response).toMatchObject({ truncated: true });
    const unread = detailOf({ request_body: null, request_size: null, response_headers: null });
    expect(unread.request).toMatchObject({ body: null, encoding: 'utf8', size_bytes: null });
    expect(unread.response).toBeNull();
  });
});
