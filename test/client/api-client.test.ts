import { describe, expect, it } from 'vitest';
import { createApiClient } from '../../src/client/api-client.ts';
import type { HttpRequest } from '../../src/client/http-client.ts';
import * as httpClient from '../../src/client/http-client.ts';
import { SvcError } from '../../src/domain/errors.ts';
import { replaceExports } from '../support/replace-exports.ts';

/** A client whose requests fail. */
function createClient(error: unknown) {
  const requests: HttpRequest[] = [];
  replaceExports(httpClient, {
    async sendRequest(request) {
      requests.push(request);
      throw error;
    },
  });
  const options = { baseUrl: 'http://127.0.0.1:4777/v1', apiKey: 'svc_test_k' };
  return { requests, api: createApiClient(options) };
}

describe('the error of a request to the API', () => {
  it('the error for a resource that does not exist says where to look', async () => {
    const { api } = createClient(new SvcError('not_found', 'It does not exist.'));
    await expect(api.getEvent('evt_1')).rejects.toMatchObject({
      code: 'not_found',
      message: 'It does not exist.',
      hint: { command: expect.stringContaining('svc events list') },
    });
    await expect(api.listEvents({})).rejects.toMatchObject({
      hint: { command: expect.stringContaining('svc workspaces list') },
    });
  });

  it.each([
    ['of another code', new SvcError('conflict', 'It exists.')],
    ['with a hint', new SvcError('not_found', 'It does not exist.', { hint: 'Start it.' })],
    ['of another kind', new Error('not_found')],
  ])('an error %s stays unchanged', async (_, error) => {
    await expect(createClient(error).api.getEvent('evt_1')).rejects.toBe(error);
  });
});

it('IDs are escaped, queries are encoded, and only a given idempotency key is sent', async () => {
  const { api, requests } = createClient(new Error('no response'));
  const calls = [
    ...[api.getEvent('a/b'), api.listEvents({ type: 'a&b' })],
    ...[api.createEvent('{}', 'once'), api.createEvent('{}')],
  ];
  await Promise.allSettled(calls);
  expect(requests.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)).toEqual([
    ...['GET /v1/events/a%2Fb', 'GET /v1/events?type=a%26b'],
    ...['POST /v1/events', 'POST /v1/events'],
  ]);
  const keys = requests.slice(2).map(({ headers }) => Object.entries(headers ?? {}));
  expect(keys[0]).toContainEqual(['idempotency-key', 'once']);
  expect(keys[1]?.map(([name]) => name)).toEqual(['authorization', 'content-type']);
});
