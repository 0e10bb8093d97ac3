import http, { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpControlClient, sendRequest } from '../../src/client/http-client.ts';
import { authority, getCertificate } from '../support/certificates.ts';
import { listenDuringTest } from '../support/local-server.ts';

async function serveStatus(status: number) {
  const server = createHttpServer((_, response) => void response.writeHead(status).end('{}'));
  return { method: 'GET', url: new URL(`http://127.0.0.1:${await listenDuringTest(server)}/`) };
}

/** An HTTPS server that counts its connections. */
async function serveSecurely(name: Parameters<typeof getCertificate>[0]) {
  let connectionCount = 0;
  const server = createServer(getCertificate(name), (_, response) => void response.end('secure'));
  server.on('secureConnection', () => connectionCount++);
  const url = new URL(`https://127.0.0.1:${await listenDuringTest(server)}/`);
  return { request: { method: 'GET', url }, countConnections: () => connectionCount };
}

describe('the status of a response', () => {
  it.each([200, 201, 299])('a response with %i is a success', async (status) => {
    expect(await sendRequest(await serveStatus(status))).toMatchObject({ status, text: '{}' });
  });

  it.each([300, 304, 404])('a response with %i is an error of the control plane', async (status) => {
    const request = await serveStatus(status);
    expect((await sendRequest(request)).status).toBe(status);
    const control = createHttpControlClient({ controlUrl: request.url.href });
    await expect(control.getStatus({})).rejects.toMatchObject({ code: 'no_emulator' });
    await expect(control.exportDeliveries({})).rejects.toMatchObject({ code: 'no_emulator' });
  });
});

it.each(['POST', 'DELETE'])('a %s request with a body says how long it is in bytes', async (method) => {
  const lengths: (string | undefined)[] = [];
  const server = createHttpServer(({ headers }, response) => {
    lengths.push(headers['content-length']);
    response.end();
  });
  const url = new URL(`http://127.0.0.1:${await listenDuringTest(server)}/`);
  await sendRequest({ method, url, body: '"é"' });
  expect(lengths).toEqual(['4']);
});

it('a response that is cut off is an error', async () => {
  const server = createHttpServer((_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{', () => response.destroy());
  });
  const request = { method: 'GET', url: new URL(`http://127.0.0.1:${await listenDuringTest(server)}/`) };
  await expect(sendRequest(request)).rejects.toMatchObject({ code: 'no_emulator' });
});

it('a request does not use the agent of Node.js, which sends it to a proxy with NODE_USE_ENV_PROXY', async () => {
  const original = http.globalAgent;
  onTestFinished(() => void Object.assign(http, { globalAgent: original }));
  Object.assign(http, {
    globalAgent: new http.Agent({
      lookup: () => {
        throw new Error('the agent of Node.js was used');
      },
    }),
  });
  const { url, ...request } = await serveStatus(200);
  url.hostname = 'localhost';
  expect(await sendRequest({ ...request, url })).toMatchObject({ status: 200 });
});

describe('a request over HTTPS', () => {
  it('requests with the same authority share a connection, because reading the root certificates is slow', async () => {
    const { request, countConnections } = await serveSecurely('localhost');
    for (const _ of [1, 2]) {
      expect(await sendRequest({ ...request, ca: authority })).toMatchObject({ status: 200, text: 'secure' });
    }
    expect(countConnections()).toBe(1);
  });

  it('a certificate of an unknown authority is rejected, with the variable that names the authority', async () => {
    const { request } = await serveSecurely('localhost');
    await expect(sendRequest(request)).rejects.toMatchObject({
      code: 'no_emulator',
      message: expect.stringMatching(/^The certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted: /),
      hint: { text: expect.stringContaining('SVC_CA') },
    });
  });

  it('a certificate for another host is rejected although its authority is known', async () => {
    const { request } = await serveSecurely('elsewhere');
    await expect(sendRequest({ ...request, ca: authority })).rejects.toMatchObject({
      message: expect.stringContaining('is not trusted'),
    });
  });

  it('a closed port has no certificate, and the error says so', async () => {
    const url = new URL('https://127.0.0.1:1/');
    await expect(sendRequest({ method: 'GET', url, ca: authority })).rejects.toMatchObject({
      code: 'no_emulator',
      message: 'No response from https://127.0.0.1:1 (ECONNREFUSED).',
    });
  });
});
