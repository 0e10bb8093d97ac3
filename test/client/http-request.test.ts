import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import { openResponse, sendAnyRequest, sendRequest } from '../../src/client/http-request.ts';
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

  it.each([300, 304, 404])(
    'a response with %i is an error, except to a caller that accepts any',
    async (status) => {
      const request = await serveStatus(status);
      await expect(sendRequest(request)).rejects.toMatchObject({ code: 'no_emulator' });
      await expect(openResponse(request)).rejects.toMatchObject({ code: 'no_emulator' });
      expect((await sendAnyRequest(request)).status).toBe(status);
    },
  );
});

describe('a request over HTTPS', () => {
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

  it('requests with the same authority share a connection, because reading the root certificates is slow', async () => {
    const { request, countConnections } = await serveSecurely('localhost');
    for (const _ of [1, 2]) {
      expect(await sendRequest({ ...request, ca: authority })).toMatchObject({ status: 200, text: 'secure' });
    }
    expect(countConnections()).toBe(1);
  });

  it('a closed port has no certificate, and the error says so', async () => {
    const url = new URL('https://127.0.0.1:1/');
    await expect(sendRequest({ method: 'GET', url, ca: authority })).rejects.toMatchObject({
      code: 'no_emulator',
      message: 'No response from https://127.0.0.1:1 (ECONNREFUSED).',
    });
  });
});
