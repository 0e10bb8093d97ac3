import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../src/contract/resources.ts';
import { findResourceRoute } from '../../src/dashboard/address.ts';
import { pickFilters, toListInput } from '../../src/dashboard/url-filter.ts';
import { matchesFilter, requestFields } from '../../src/dashboard/views/requests/request-filter.ts';
import { toExampleId } from '../../src/domain/ids.ts';

const KEY_ID = toExampleId('apiKey');

const request: ApiRequest = {
  id: 'req_1',
  at: '2026-11-20T12:00:00.000Z',
  method: 'POST',
  path: '/v1/events',
  status: 201,
  error_code: null,
  error_message: null,
  duration_ms: 1,
  api_key_id: KEY_ID,
  api_key_name: 'Checkout',
  workspace_id: null,
  resource_id: 'evt_1',
  user_agent: null,
};
const now = Date.parse('2026-11-20T12:01:00.000Z');

describe('the request filter', () => {
  it('the request filter is parsed from the URL without invalid values', () => {
    const query = { path: ' /v1 ', status: '6xx', method: '', since: 'soon', other: 'x' };
    expect(pickFilters(requestFields, query)).toEqual({ path: '/v1' });
    const valid = { status: '404', since: '5m' };
    expect(pickFilters(requestFields, valid)).toEqual(valid);
  });

  it('the request filter is converted to the parameters of the control plane', () => {
    const ids = { api_key_id: KEY_ID, resource_id: 'evt_1' };
    expect(toListInput(requestFields, { path: '/v1', status: '404', ...ids })).toEqual({
      ...{ path: '/v1', status: 404, ...ids },
    });
    expect(toListInput(requestFields, { status: '4XX' })).toEqual({ status: '4xx' });
  });

  it.each([
    [{}, true],
    [{ path: '/v1/ev' }, true],
    [{ path: 'events' }, true],
    [{ path: '/events' }, false],
    [{ path: 'webhooks' }, false],
    [{ method: 'post' }, true],
    [{ method: 'GET' }, false],
    [{ status: '201' }, true],
    [{ status: '200' }, false],
    [{ status: '2xx' }, true],
    [{ status: '4XX' }, false],
    [{ api_key_id: KEY_ID, resource_id: 'evt_1' }, true],
    [{ api_key_id: KEY_ID.replace(/.$/, '0') }, false],
    [{ resource_id: 'evt_2' }, false],
    [{ since: '2m' }, true],
    [{ since: '30s' }, false],
    [{ since: '2026-11-20T12:00:00Z' }, true],
  ])('matchesFilter(%j) returns %j for a request', (filter, belongs) => {
    expect(matchesFilter(filter, request, now)).toBe(belongs);
  });
});

describe('findResourceRoute', () => {
  it.each([
    ['evt_1', { section: 'events', id: 'evt_1' }],
    ['wh_1', { section: 'webhooks', id: 'wh_1' }],
    ['del_1', { section: 'deliveries', id: 'del_1' }],
    ['req_1', { section: 'requests', id: 'req_1' }],
    ['ws_1', null],
  ])('findResourceRoute returns the route of %s', (id, place) => {
    expect(findResourceRoute(id)).toEqual(place);
  });
});
