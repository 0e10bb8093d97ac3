import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { fromFetch, fromNode } from '../../src/http/incoming-request.ts';

/** A request of a connection, as Node.js has parsed it. */
function receive(target: string, socket: object = {}) {
  const message = new IncomingMessage(Object.assign(new Socket(), socket));
  Object.assign(message, { method: 'GET', url: target, headers: { host: 'svc.test:4777' } });
  return fromNode(message, new ServerResponse(message));
}

it.each([
  ['/v1/events?limit=1', 'http://svc.test:4777/v1/events?limit=1'],
  ['//other.test/v1', 'http://svc.test:4777//other.test/v1'],
  ['*', 'http://svc.test:4777/*'],
  ['http://other.test:80/v1?a=1', 'http://other.test/v1?a=1'],
  ['https://user@other.test/v1', 'http://other.test/v1'],
  ['urn:v1', 'http://svc.test:4777/v1'],
  ['/v1/../_svc/status', 'http://svc.test:4777/_svc/status'],
  ['/v1/%2e%2E/_svc', 'http://svc.test:4777/_svc'],
  ['/%5fsvc/%73tatus', 'http://svc.test:4777/_svc/status'],
  ['/v1/a%2Fb%20c%25', 'http://svc.test:4777/v1/a%2Fb%20c%25'],
])('the target %s is the URL %s', (target, url) => {
  expect(receive(target).url.href).toBe(url);
});

it('a request over TLS has a URL with https', () => {
  expect(receive('/', { encrypted: true }).url.href).toBe('https://svc.test:4777/');
});

it('all values of a repeated header count', async () => {
  const server = createServer((req, res) => {
    const { headers } = fromNode(req, res);
    const found = [headers.get('authorization'), headers.get('cookie'), headers.get('x-other')];
    const existing = ['cookie', 'x-other'].map((name) => headers.has(name));
    res.end(JSON.stringify([...found, ...existing, [...headers]]));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const repeated = [
    'Host: svc.test',
    'Authorization: Bearer a',
    'authorization: b',
    'Cookie: c=1',
    'Cookie: d=2',
  ];
  socket.end(['GET / HTTP/1.1', ...repeated, 'Connection: close', '', ''].join('\r\n'));
  const [, body = ''] = (await text(socket)).split('\r\n\r\n');
  server.close();
  expect(JSON.parse(body)).toEqual([
    ...['Bearer a, b', 'c=1; d=2', null, true, false],
    [
      ['host', 'svc.test'],
      ['authorization', 'Bearer a, b'],
      ['cookie', 'c=1; d=2'],
      ['connection', 'close'],
    ],
  ]);
});

it('a request of this process has the same URL, method and headers', () => {
  const request = new Request('http://svc.test/%5Fsvc/../v1/%65vents?a=%65', {
    method: 'POST',
    headers: { 'X-A': '1' },
  });
  const { method, url, headers } = fromFetch(request);
  expect([method, url.href, headers.get('x-a')]).toEqual(['POST', 'http://svc.test/v1/events?a=%65', '1']);
});
