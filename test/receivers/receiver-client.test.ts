import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addOwnAddress } from '../../src/platform/own-addresses.ts';
import {
  createReceiverClient,
  type DeliveryMessage,
  describeResponses,
  type ReceiverClient,
} from '../../src/receivers/receiver-client.ts';
import { authority, getCertificate } from '../support/certificates.ts';
import { listenDuringTest } from '../support/local-server.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { fuzzReceiver } from './fuzz/fuzz-receiver.ts';

const message: DeliveryMessage = { body: '{"a":1}', headers: { 'Service-Timestamp': ['1', '2'] } };
const { signal } = new AbortController();

function createClient(url: string, options: object = {}): ReceiverClient {
  return createReceiverClient({ url, urlRule: 'local', signal, ...options });
}

/** Starts a server that records the body and the client port of each complete request. */
async function startRecorder() {
  const requests: { body: string; port: number | undefined }[] = [];
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => {
        requests.push({ body: body.toString(), port: request.socket.remotePort });
        response.writeHead(204).end();
      },
      () => {},
    );
  });
  return { requests, url: `http://127.0.0.1:${await listenDuringTest(server)}` };
}

describe('createReceiverClient', () => {
  it('a message is sent with all values of a header, and the response has its status and times', async () => {
    const date = 'Sun, 22 Nov 2026 12:00:00 GMT';
    await using receiver = await createReceiver({ status: 429, headers: { Date: date, 'Retry-After': '2' } });
    const response = await createClient(receiver.url).send(message, 5_000);
    expect(receiver.requests).toMatchObject([{ headers: { 'service-timestamp': '1, 2' } }]);
    expect(response).toMatchObject({
      status: 429,
      failure: null,
      serverTimeMs: Date.parse(date),
    });
  });

  it('a slow body arrives in full, and a connection is kept only for messages that ask for it', async () => {
    const { requests, url } = await startRecorder();
    const client = createClient(url);
    for (const keepsConnection of [true, true, false]) {
      await client.send({ ...message, hasSlowBody: true, keepsConnection }, 5_000);
    }
    client.closeConnections();
    expect(requests.map(({ body }) => body)).toEqual(Array(3).fill(message.body));
    expect(getEventListeners(signal, 'abort'), 'of requests that have ended').toEqual([]);
    const [first, second, third] = requests.map(({ port }) => port);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('a request that is cut off does not arrive, and one whose response is lost does', async () => {
    const { requests, url } = await startRecorder();
    const client = createClient(url);
    expect(await client.send({ ...message, failure: 'cut-request' }, 5_000)).toMatchObject({
      status: null,
      failure: 'cut',
      problem: 'request cut off',
    });
    expect(requests).toEqual([]);
    expect(await client.send({ ...message, failure: 'lost-response' }, 5_000)).toMatchObject({
      status: null,
      failure: 'cut',
      problem: 'response lost',
    });
    // The server, which runs in this process, may read the request after the client has closed its connection.
    await expect.poll(() => requests).toHaveLength(1);
  });

  it('a response after the time limit, a closed connection and a blocked address are failures', async () => {
    await using receiver = await createReceiver({ after: new Promise(() => {}) });
    expect(await createClient(receiver.url).send(message, 30)).toMatchObject({ failure: 'timeout' });
    await using dropping = await createReceiver({ drop: true });
    expect(await createClient(dropping.url).send(message, 5_000)).toMatchObject({ failure: 'connection' });
    const client = createClient(receiver.url);
    onTestFinished(addOwnAddress({ host: '127.0.0.1', port: receiver.port }));
    expect(await client.send(message, 5_000)).toMatchObject({
      failure: 'connection',
      problem: expect.stringContaining('the emulator itself'),
    });
  });

  it('a connection that closes is said to expect HTTPS only until the URL has responded', async () => {
    await using receiver = await createReceiver((_, index) =>
      index === 1 ? { status: 204 } : { drop: true },
    );
    const client = createClient(receiver.url);
    const responses = [];
    for (let index = 0; index < 3; index++) responses.push(await client.send(message, 5_000));
    expect(responses.map(({ problem }) => problem?.includes('may expect HTTPS'))).toEqual([
      true,
      undefined,
      false,
    ]);
  });

  it('a certificate must be trusted by its authority', async () => {
    const server = createTlsServer(getCertificate('localhost'), (_, response) => response.end());
    const url = `https://127.0.0.1:${await listenDuringTest(server)}`;
    expect(await createClient(url).send(message, 5_000)).toMatchObject({ failure: 'tls' });
    expect(await createClient(url, { ca: authority }).send(message, 5_000)).toMatchObject({ status: 200 });
  });
});

it('the fuzz run of a receiver whose certificate is not trusted recommends --ca', async () => {
  const server = createTlsServer(getCertificate('self-signed'), (_, response) => response.end());
  const url = `https://127.0.0.1:${await listenDuringTest(server)}`;
  await expect(fuzzReceiver({ url, readSideEffects: null })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(
      /^No delivery reaches https.*: the certificate of 127\.0\.0\.1:\d+ is self-signed/,
    ),
    hint: { text: 'Correct its certificate, or trust its certificate authority with --ca.' },
  });
});

it('describeResponses counts equal responses', () => {
  const response = { durationMs: 1, failure: null, problem: null, serverTimeMs: Number.NaN };
  const lost = { durationMs: 1, status: null, failure: 'cut', problem: 'response lost' } as const;
  const [ok, error] = [
    { ...response, status: 204 },
    { ...response, status: 500 },
  ];
  expect(describeResponses(lost, ok, error, ok)).toBe('response lost, 2 × status 204, status 500');
});
