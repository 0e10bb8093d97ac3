/** What few requests or attempts show about a gap. */
import { describe, expect, it } from 'vitest';
import { toExampleId } from '../../src/domain/ids.ts';
import type { GapId } from '../../src/profile/gaps.ts';
import type { RequestLine } from '../../src/recordings/read-recording.ts';
import { sendSampleRequests } from '../../src/recordings/sample-requests.ts';
import { type CheckOptions, checkRecording } from './recorded-service.ts';

type SentRequest = RequestLine['request'];

interface RecordedRequest {
  readonly method?: string;
  /** Relative to the base address. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly response?: object;
}

const toLine = (second: number, request: SentRequest, response_status: number, headers = {}, body = '') =>
  JSON.stringify({
    sent_at: new Date(Date.UTC(2026, 10, 20) + 1000 * second).toISOString(),
    ...{ duration_ms: 3, request, response_status, response: { headers, body } },
  });

/** Requests with a second between them. */
function toLines(requests: readonly RecordedRequest[]): string[] {
  return requests.map(({ method = 'GET', path, body, headers, status = 200, response = {} }, index) => {
    const url = `https://sandbox.example.com${path}`;
    const known = { authorization: 'Bearer svc_test_[removed]', 'content-type': 'application/json' };
    const request = { method, url, headers: { ...known, ...headers }, body: JSON.stringify(body) ?? '' };
    return toLine(index, request, status, {}, JSON.stringify(response));
  });
}

async function checkLines(gap: GapId, lines: readonly string[], options?: CheckOptions) {
  const { data } = await checkRecording(lines.join('\n'), options);
  return data.find((result) => result.gap === gap);
}

const checkOne = (gap: GapId, requests: readonly RecordedRequest[], options?: CheckOptions) =>
  checkLines(gap, toLines(requests), options);

const reject = (message: string, code = 'validation_failed') => ({ error: { code, message } });

describe('id.format', () => {
  it('an ID in a payload can have any form', async () => {
    const event = { id: toExampleId('event'), payload: { id: 'evt_1', items: [{ workspace_id: 'ws_1' }] } };
    const requests = [
      { path: `/v1/events/${event.id}`, response: event },
      { path: '/v1/events', response: { data: [event], has_more: false } },
    ];
    expect(await checkOne('id.format', requests)).toMatchObject({ verdict: 'confirmed' });
  });

  it.each([
    ['record', { id: 'evt_1' }],
    ['workspace', { id: toExampleId('event'), workspace_id: 'ws_1' }],
    ['list item', { data: [{ id: toExampleId('event') }, { id: 'evt_1' }] }],
    ['error', { error: { code: 'not_found', request_id: 'req_1' } }],
  ])('the ID of a %s without a ULID is a difference', async (_, response) => {
    expect(await checkOne('id.format', [{ path: '/v1/events', response }])).toMatchObject({
      verdict: 'different',
      observed: expect.stringMatching(/^\w+_1$/),
      evidence: [{ text: expect.stringMatching(/^GET \/v1\/events: 200, \w+_1$/) }],
    });
  });
});

describe('gaps without an override', () => {
  it('the evidence has a place for each deviation, even if another one is more frequent', async () => {
    const event = { workspace_id: 'ws_1', type: 'order.created', payload: {}, created_at: 'now' };
    const get = (response: object) => ({ path: '/v1/events/evt_1', response });
    const requests = [...Array.from({ length: 6 }, () => get(event)), get({ ...event, name: 7 })];
    const result = await checkOne('event.record', requests);
    expect(result?.observed).toBe(
      'event with the fields workspace_id, type, payload, created_at; event with the fields workspace_id, type, payload, created_at, name',
    );
    expect(result?.evidence.map(({ entry }) => entry).slice(0, 2)).toEqual(['line 1', 'line 7']);
  });
});

describe('list.limit', () => {
  const list = (query: string, length: number, hasMore: boolean) => ({
    path: `/v1/events${query}`,
    response: { data: Array.from({ length }, () => ({})), has_more: hasMore },
  });

  it('a service that shortens a larger limit is different, without a value', async () => {
    const requests = [list('?limit=10', 10, true), list('?limit=1000000', 100, true)];
    expect(await checkOne('list.limit', requests)).toMatchObject({
      ...{ verdict: 'different', observed: null, override: null },
      evidence: [{ text: expect.stringMatching(/^GET \/v1\/events: 200, accepted; svc: 400 .*limit/) }],
    });
  });

  it.each([
    ['a default above the maximum is not written', 60, true, 'different', { default: 60 }],
    ['the last page shows that the default is larger, but not its value', 60, false, 'different', null],
    ['an empty page does not show a limit', 0, true, 'no_evidence', null],
  ])('%s', async (_, length, hasMore, verdict, observed) => {
    const options = { overrides: { 'list.limit': { default: 20, max: 50 } } };
    const result = await checkOne('list.limit', [list('', length, hasMore)], options);
    expect(result).toMatchObject({ verdict, observed, override: null });
  });
});

describe('several workspaces', () => {
  const toEndpoint = (n: number) => ({
    workspace_id: `ws_${n}`,
    url: `http://127.0.0.1:9/${n}`,
    events: ['order.created'],
  });
  it.each([
    ['the same event and key', '/v1/events', () => ({ type: 'order.created', payload: {} })],
    ['another event with the same key', '/v1/events', (n: number) => ({ type: 'a.b', payload: { n } })],
    ['an endpoint', '/v1/webhooks', toEndpoint],
  ])('%s in each workspace is no difference', async (_, path, toBody) => {
    const requests = [1, 2].map((n) => ({
      ...{ method: 'POST', path, status: 201, headers: { 'idempotency-key': path }, body: toBody(n) },
      response: { id: `evt_${n}`, workspace_id: `ws_${n}` },
    }));
    const options = { overrides: { 'webhook.limit': 1 } };
    const { data, other } = await checkRecording(toLines(requests).join('\n'), options);
    const gaps = data.filter(({ verdict }) => verdict === 'different').map(({ gap }) => gap);
    expect([...other, ...gaps.filter((gap) => gap.startsWith('idempotency'))]).toEqual([]);
  });

  it('a rejected key belongs to the workspace that used it before', async () => {
    const post = (key: string, status: number, type: string, response: object) => ({
      ...{ method: 'POST', path: '/v1/events', status, headers: { 'idempotency-key': key } },
      ...{ body: { type, payload: {} }, response },
    });
    const requests = [
      ...[1, 2, 1].map((n) => post(`${n}`, 201, 'a.b', { id: `evt_${n}`, workspace_id: `ws_${n}` })),
      post('2', 422, 'a.c', reject('', 'idempotency_key_reused')),
    ];
    expect(await checkOne('idempotency.conflict', requests)).toMatchObject({ verdict: 'confirmed' });
  });
});

describe('retries', () => {
  const request = { method: 'POST', url: 'https://receiver.example/', body: '{}' };
  const delivery = { ...request, headers: { 'service-delivery-id': 'del_1' } };
  const toAttempt = (second: number, status: number, headers = {}) =>
    toLine(second, delivery, status, headers);

  it('a wait as long as two configured ones confirms the default if Retry-After asks for it', async () => {
    const options = { overrides: { 'retry.schedule': ['30s', '1m', '1h'] } };
    const lines = [toAttempt(0, 503, { 'retry-after': '90' }), toAttempt(90, 200)];
    expect(await checkLines('retry.after', lines, options)).toMatchObject({ verdict: 'confirmed' });
  });

  it.each([
    ['ignores Retry-After', 503, { 'retry-after': '7200' }],
    ['retries after a 410', 410, {}],
  ])('a lost attempt shows nothing about the schedule of a service that %s', async (_, status, headers) => {
    const options = { overrides: { 'retry.410': 'stop' } };
    // The attempt after 35 minutes is lost.
    const lines = [toAttempt(0, status, headers), toAttempt(5 * 60, 500), toAttempt(155 * 60, 500)];
    expect(await checkLines('retry.schedule', lines, options)).toMatchObject({ verdict: 'no_evidence' });
  });

  it.each([
    [60, 660, '1m 10m 2h 6h 12h 1d'],
    [0.3, 0.9, '300ms 600ms 2h 6h 12h 1d'],
    [86_400, 172_800, '1d'],
    [2_100, 3_000, '35m 15m 2h 6h 12h 1d'],
  ])('retries after %f and %f seconds show the schedule %s', async (first, second, schedule) => {
    const lines = [toAttempt(0, 500), toAttempt(first, 500), toAttempt(second, 500)];
    expect((await checkLines('retry.schedule', lines))?.observed).toEqual(schedule.split(' '));
  });

  it('the schedule is confirmed by waits within the configured jitter', async () => {
    const options = { overrides: { 'retry.jitter': 0.1 } };
    const lines = [toAttempt(0, 500), toAttempt(320, 500), toAttempt(320 + 1650, 500)];
    expect(await checkLines('retry.schedule', lines, options)).toMatchObject({ verdict: 'confirmed' });
    expect(await checkLines('retry.jitter', lines, options)).toMatchObject({ verdict: 'no_evidence' });
  });
});

describe('the verdict after one response', () => {
  const denied = reject('', 'unauthenticated');
  const oldestFirst = { data: ['2026', '2027'].map((created_at) => ({ created_at })) };

  it.each<[GapId, string, number, object, string]>([
    ['error.codes', '/v1/events', 401, denied, 'confirmed'],
    ['error.codes', '/v1/events', 401, reject('', 'token_required'), 'different'],
    ['error.codes', '/v1/events', 403, reject('', 'permission_denied'), 'confirmed'],
    ['error.codes', '/v1/events', 403, reject('', 'untrusted_file'), 'different'],
    ['event.record', '/v1/webhooks', 200, { data: [{ id: 'wh_1' }] }, 'no_evidence'],
    ['id.format', '/v1/events', 200, {}, 'no_evidence'],
    ['key.scopes', '/v1/events', 403, {}, 'confirmed'],
    ['list.limit', '/v1/events?limit=1', 400, reject('a header is missing'), 'no_evidence'],
    ['list.order', '/v1/events', 200, oldestFirst, 'different'],
    ['list.workspace', '/v1/events?workspace=ws_1', 400, {}, 'no_evidence'],
    ['path.slash', '/v1/events/', 200, {}, 'different'],
    ['path.slash', '/v1/events/', 401, denied, 'no_evidence'],
    ['path.slash', '/v1/events/', 404, {}, 'confirmed'],
    ['rate.headers', '/v1/events', 429, {}, 'different'],
    ['version', '/v2/events', 200, {}, 'different'],
    ['version', '/v2/events', 401, denied, 'no_evidence'],
    ['version', '/v2/events', 404, {}, 'confirmed'],
    ['webhook.operations', '/v1/webhooks', 404, {}, 'confirmed'],
    ['webhook.operations', '/v1/webhooks/wh_1', 200, {}, 'different'],
    ['webhook.operations', '/v1/webhooks/wh_1', 404, {}, 'no_evidence'],
    ['webhook.operations', '/v1/webhooks/wh_1', 405, {}, 'confirmed'],
  ])(
    'the verdict on %s after GET %s with status %i and %j is %s',
    async (gap, path, status, response, verdict) => {
      const requests = [{ path: '/v1/events' }, { path, status, response }];
      expect(await checkOne(gap, requests)).toMatchObject({ verdict });
    },
  );

  it('a header with another request ID than the error is a difference', async () => {
    const request = { method: 'GET', url: 'https://example.com/v1/events', headers: {}, body: '' };
    const line = toLine(0, request, 404, { 'request-id': 'req_1' }, '{"error":{"request_id":"req_2"}}');
    expect(await checkLines('request.id', [line])).toMatchObject({ verdict: 'different' });
  });
});

describe('responses of servers in front of the API', () => {
  const failed = { method: 'POST', path: '/v1/events', status: 503, body: { type: 'order.created' } };
  const headers = { 'idempotency-key': 'a' };

  it('a 5xx response shows nothing about idempotency keys', async () => {
    const created = { ...failed, status: 201, headers, response: { id: 'evt_1' } };
    const conflict = {
      ...failed,
      headers,
      body: { type: 'order.canceled' },
      response: reject('', 'upstream_conflict'),
    };
    expect(await checkOne('idempotency.conflict', [created, conflict])).toMatchObject({
      verdict: 'no_evidence',
    });
  });
});

describe('svc gaps record', () => {
  async function collect(type: string, acceptedField: string): Promise<readonly SentRequest[]> {
    const requests: SentRequest[] = [];
    const send = async (request: SentRequest) => {
      requests.push(request);
      await null;
      // The next request is sent after this response.
      expect(requests.at(-1)).toBe(request);
      const isAccepted = request.url.endsWith('/events') && request.body.includes(`"${acceptedField}":`);
      return { status: isAccepted ? 201 : 400, text: '{}' };
    };
    await sendSampleRequests({ send, baseUrl: 'https://api.example.com/v1', apiKey: 'svc_test_key', type });
    return requests;
  }
  const keyOf = ({ headers }: SentRequest) => headers['Idempotency-Key'];

  it('each form of an event has its own idempotency key, and the repeats use the one that was accepted', async () => {
    const [first, second, ...repeats] = await collect('svc.recorded', 'data');
    expect(first && keyOf(first)).not.toBe(second && keyOf(second));
    expect(repeats.slice(0, 2).map(keyOf)).toEqual([second && keyOf(second), second && keyOf(second)]);
    expect(repeats[0]?.body).toBe(second?.body);
  });

  it('at most 15 requests can create an event, if the first form is accepted, and the largest has over 1 MiB', async () => {
    const requests = await collect('svc.recorded', 'payload');
    expect(requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/events'))).toHaveLength(
      15,
    );
    expect(Math.max(...requests.map(({ body }) => body.length))).toBeGreaterThan(1024 ** 2);
  });

  it('the same form is sent once if the service rejects all', async () => {
    const keys = (await collect('order.created', 'none'))
      .map(keyOf)
      .filter((key) => key?.includes('order.created'));
    expect(new Set(keys).size).toBe(2);
    // Each form, and two repeats of the last one.
    expect(keys).toHaveLength(4);
  });
});
