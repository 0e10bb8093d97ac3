import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { HttpResponse } from '../../src/http/responses.ts';
import { Router } from '../../src/http/router.ts';

/** Responds with the pattern of the route and its parameters. */
function createRouter() {
  const router = new Router();
  const add = (method: string | null, pattern: string) =>
    router.on(method, pattern, ({ params }) => new HttpResponse(`${pattern} ${JSON.stringify(params)}`));
  add(null, '/**');
  add(null, '/v1/**');
  add('GET', '/v1/events/:id');
  add(null, '/v1/events/:id');
  add('GET', '/v1/events/export');
  add('GET', '/');
  return router;
}

it.each([
  ['GET', '/', '/ {}'],
  ['POST', '/', '/** {}'],
  ['GET', '//', '/** {}'],
  ['GET', '/v1', '/v1/** {}'],
  ['GET', '/v1/', '/v1/** {}'],
  ['GET', '/v1x', '/** {}'],
  ['GET', '/v1/a/b', '/v1/** {}'],
  ['GET', '/v1/events/evt_1', '/v1/events/:id {"id":"evt_1"}'],
  ['GET', '/v1/events/evt_1/', '/v1/events/:id {"id":"evt_1"}'],
  ['GET', '/v1/events//', '/v1/** {}'],
  ['GET', '/v1/events/evt_1/x', '/v1/** {}'],
  ['GET', '/v1/events/export', '/v1/events/export {}'],
  ['DELETE', '/v1/events/export', '/v1/events/:id {"id":"export"}'],
])('%s %s is handled by %s', async (method, path, expected) => {
  const response = await createRouter().fetch(new Request(`http://localhost${path}`, { method }));
  expect(await response.text()).toBe(expected);
});

it('a response of this process to HEAD or with 304 has no body', async () => {
  const router = new Router();
  router.on(null, '/**', () => new HttpResponse('text', { status: 304, headers: { ETag: '"a"' } }));
  const response = await router.fetch(new Request('http://localhost/'));
  expect([response.status, response.body, response.headers.get('etag')]).toEqual([304, null, '"a"']);
  const head = await createRouter().fetch(new Request('http://localhost/x', { method: 'HEAD' }));
  expect([head.status, head.body]).toEqual([200, null]);
});

/** The response of a server to a request over a connection: status, `Content-Length`, and body or error code. */
async function ask(handler: () => HttpResponse, method = 'GET') {
  const router = new Router();
  router.on(null, '/**', handler);
  const server = createServer(router.handleNode).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await new Promise<unknown[]>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      sendRequest({ port, host: '127.0.0.1', method, agent: false }, async (response) => {
        const head = [response.statusCode, response.headers['content-length']];
        const body = await response
          .setEncoding('utf8')
          .toArray()
          .catch(({ code }) => [code]);
        resolve([...head, body.join('')]);
      })
        .on('error', reject)
        .end();
    });
  } finally {
    server.close();
  }
}

it('a response over a connection has the length of its body', async () => {
  expect(await ask(() => new HttpResponse('äö', { status: 201 }))).toEqual([201, '4', 'äö']);
  expect(await ask(() => new HttpResponse(new Uint8Array([65, 66])))).toEqual([200, '2', 'AB']);
  expect(await ask(() => new HttpResponse(null, { status: 303 }))).toEqual([303, '0', '']);
  expect(await ask(() => new HttpResponse(null, { status: 304 }))).toEqual([304, undefined, '']);
  expect(await ask(() => new HttpResponse('text', { headers: { 'Content-Length': '4' } }), 'HEAD')).toEqual([
    200,
    '4',
    '',
  ]);
});

it('a handler that throws and a header that cannot be sent give 500', async () => {
  const fail = () => {
    throw new Error('failed');
  };
  expect(await ask(fail)).toEqual([500, '0', '']);
  expect(await ask(() => new HttpResponse('', { headers: { 'X-A': 'a\nb' } }))).toEqual([500, '0', '']);
});

it('a stream that fails closes the connection without an end', async () => {
  const parts = [new Uint8Array([65])];
  const stream = () =>
    new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const part = parts.shift();
          if (part === undefined) controller.error(new Error('failed'));
          else controller.enqueue(part);
        },
      },
      { highWaterMark: 0 },
    );
  await expect(ask(() => new HttpResponse(stream()))).rejects.toThrow('socket hang up');
});
