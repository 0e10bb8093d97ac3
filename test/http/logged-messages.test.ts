import { H3Event, HTTPResponse } from 'h3';
import { describe, expect, it } from 'vitest';
import { toLoggedMessages, toLoggedPath, toLoggedText } from '../../src/http/logged-messages.ts';

const secret = `whsec_${'a'.repeat(24)}`;

function createEvent(path: string, headers: Record<string, string> = {}): H3Event {
  const event = new H3Event(new Request(`http://localhost${path}`));
  Object.assign(event.req, { runtime: { node: { req: { headers } } } });
  return event;
}

const response = new HTTPResponse('ok', { headers: { 'x-ok': '1' } });

interface Message {
  readonly headers?: Record<string, string>;
  readonly path?: string;
  readonly body?: Buffer | null;
  readonly response?: HTTPResponse;
}

/** The row of a message. */
function log({ headers = {}, path = '/', body = null, response: sent = response }: Message) {
  return toLoggedMessages({ event: createEvent('/', headers), path, body, response: sent });
}

const atLimit = 'ä'.repeat(2 ** 16);

describe('the limits of the request log', () => {
  it('a text is cut off at the limit, and a secret at the limit is removed as a whole', () => {
    expect(toLoggedText('0123456789', 9)).toBe('012345678');
    expect(toLoggedText(`0123 ${secret}`, 8)).toBe('0123 [re');
    expect(toLoggedText(`0123 ${secret}`, 20)).toBe('0123 [removed]');
    // A secret has at least 16 characters after its prefix. Of this one, 15 are read.
    expect(toLoggedText(`${'x'.repeat(239)} ${secret}`, 5)).toBe('xxxxx');
    expect(toLoggedText(`whsec_${'a'.repeat(300)} rest`, 20)).toBe('[removed]');
  });

  it.each<[string, Message, object]>([
    ['a path at the limit', { path: '/'.repeat(2048) }, { request_truncated: 0 }],
    ['a longer path', { path: '/'.repeat(2049) }, { request_truncated: 1 }],
    ['a request without a body', {}, { request_body: null, request_size: null, request_truncated: 0 }],
    ['an empty body', { body: Buffer.alloc(0) }, { request_body: Buffer.alloc(0), request_size: 0 }],
    ['a body at the limit', { body: Buffer.alloc(2 ** 18) }, { request_size: 2 ** 18, request_truncated: 0 }],
    [
      'a longer body',
      { body: Buffer.alloc(2 ** 18 + 1) },
      {
        request_body: expect.toSatisfy((body) => body.length === 2 ** 18),
        request_size: 2 ** 18 + 1,
        request_truncated: 1,
      },
    ],
    [
      'a response',
      {},
      { response_headers: '{"x-ok":"1"}', response_body: 'ok', response_size: 2, response_truncated: 0 },
    ],
    [
      'a response at the limit',
      { response: new HTTPResponse(atLimit) },
      { response_body: atLimit, response_size: 2 ** 17, response_truncated: 0 },
    ],
    [
      'a longer response',
      { response: new HTTPResponse(`${atLimit}b`) },
      { response_body: atLimit, response_size: 2 ** 17 + 1, response_truncated: 1 },
    ],
    [
      'a dropped connection',
      { response: new HTTPResponse(null, { status: 0, headers: { 'x-a': '1' } }) },
      { response_headers: null, response_body: null, response_size: null },
    ],
  ])(
    'the log has the size of a message and says whether it is complete: %s [network.logged-size]',
    (_, message, row) => {
      expect(log(message)).toMatchObject(row);
    },
  );
});

describe('secrets in the request log', () => {
  it.each([
    ['authorization', 'Bearer svc_test_0123456789abcdef', 'Bearer svc_test_…cdef'],
    ['authorization', 'Basic dXNlcjpzZWNyZXQ=', '[removed]'],
    ['cookie', 'svc_token=V1StGXR8Z5jdHi6BmyTbSqK2pLw0xNcE', '[removed]'],
    ['user-agent', 'svc_test_0123456789abcdef shop/1', '[removed] shop/1'],
    ['x-auth-token', 'Bearer svc_test_0123456789abcdef', '[removed]'],
    ['x-note', `a ${secret}`, 'a [removed]'],
    ['x-note', 'plain', 'plain'],
  ])('the header %s: %s is logged as %s [files.request-log]', (name, value, logged) => {
    const event = createEvent('/', { [name]: value });
    const row = toLoggedMessages({ event, path: '/', body: null, response });
    expect(JSON.parse(row.request_headers ?? '')).toEqual({ [name]: logged });
  });

  it.each([
    ['/v1/events?token=abc&limit=1', '/v1/events?token=[removed]&limit=1'],
    [`/v1/${secret}?a=${secret}`, '/v1/[removed]?a=[removed]'],
    ['/v1/events', '/v1/events'],
  ])('the path %s is logged as %s [files.request-log]', (path, logged) => {
    expect(toLoggedPath(createEvent(path))).toBe(logged);
  });
});
