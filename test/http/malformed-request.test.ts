import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { rejectMalformedRequest, requireValidHostAndTarget } from '../../src/http/malformed-request.ts';

/** The message of the response to a request with these raw headers; undefined if the handler receives it. */
function reject(rawHeaders: string[], url = '/'): string | undefined {
  let message: string | undefined = 'no response';
  const handler = requireValidHostAndTarget(() => {
    message = undefined;
  });
  const response = {
    writeHead: (status: number) => ({
      end: (body: string) => {
        message = `${status} ${JSON.parse(body).error.message}`;
      },
    }),
  };
  handler({ rawHeaders, url } as IncomingMessage, response as unknown as ServerResponse);
  return message;
}

const localhost = ['Host', 'localhost'];
const INVALID_HOST = '400 The Host header must be one host name or address with an optional port, not';

describe('a request with one valid Host and a valid target', () => {
  it.each([
    ['any case of the name', ['hOsT', 'localhost:1'], '/'],
    ['the word in the value of another header', ['X-A', 'host', ...localhost, 'X-B', 'host'], '/'],
    ['the same Host again', localhost, '/'],
    ['the target *', localhost, '*'],
    ['an absolute target', localhost, 'http://localhost/a'],
    ['an encoded path, and a query that is not', localhost, '/%C3%A4?a=%E0?%E0'],
  ])('the handler receives a request with %s', (_, rawHeaders, url) => {
    expect(reject(rawHeaders, url)).toBeUndefined();
  });

  it.each([
    ['no Host', ['X-A', 'host'], '/', '400 The request has no Host header.'],
    ['an empty one', ['Host', ''], '/', `${INVALID_HOST} "".`],
    ['two', [...localhost, ...localhost], '/', `${INVALID_HOST} "localhost, localhost".`],
    ['a long invalid one', ['Host', '@'.repeat(257)], '/', `${INVALID_HOST} "${'@'.repeat(256)}".`],
    ['the target x', localhost, 'x', '400 The request target is neither a path nor a URL: "x".'],
    [
      'a target with an invalid address',
      localhost,
      'http://999.1.1.1/',
      '400 The request target is neither a path nor a URL: "http://999.1.1.1/".',
    ],
    [
      'an invalid path',
      localhost,
      '/%E0',
      '400 The path of the request is not percent-encoded UTF-8: "/%E0".',
    ],
  ])('a request gets 400 and the reason: %s', (_, rawHeaders, url, message) => {
    expect(reject(rawHeaders, url)).toBe(message);
  });

  it('an invalid Host stays invalid when it is repeated', () => {
    for (const host of ['localhost:x', 'localhost', 'localhost:x'])
      expect(reject(['Host', host]) === undefined).toBe(host === 'localhost');
  });
});

describe('bytes that are not a request', () => {
  const fail = (code: string, message = '') => Object.assign(new Error(message), { code });

  it.each([
    ['HPE_HEADER_OVERFLOW', 'Parse Error: Header overflow', 'The headers of the request are too large.'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 'Request timeout', 'The request timed out before it was complete.'],
    ['HPE_INVALID_METHOD', 'Parse Error: Invalid method', 'The request is not valid HTTP: Invalid method.'],
  ])(
    'the response to the error %s says what is wrong and closes the connection',
    async (code, cause, message) => {
      const socket = new PassThrough();
      rejectMalformedRequest(fail(code, cause), socket);
      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(?:.*\r\n)*Connection: close\r\n/);
      expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
      expect(JSON.parse(body).error).toMatchObject({ code: 'invalid_request', message });
    },
  );

  it('a connection that the client has reset or that was closed gets no response', () => {
    const reset = new PassThrough();
    rejectMalformedRequest(fail('ECONNRESET'), reset);
    const ended = new PassThrough();
    ended.end();
    rejectMalformedRequest(fail('HPE_INVALID_METHOD'), ended);
    for (const socket of [reset, ended]) expect([socket.destroyed, socket.read()]).toEqual([true, null]);
  });
});
