import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { get as getHttp, type IncomingMessage, Server } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { H3 } from 'h3';
import { describe, expect, it, vi } from 'vitest';
import { listen, toListenError } from '../../src/http/http-listener.ts';
import { authority, getCertificate } from '../support/certificates.ts';
import { useFakeTimers } from '../support/fake-timers.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

/** Sends a GET that trusts only `ca`. @returns the status */
const get = (url: string, ca: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, { ca }, (response) => response.resume().once('end', () => resolve(response.statusCode)))
      .once('error', reject)
      .end();
  });

describe('an emulator with HTTPS', () => {
  it('an emulator with HTTPS serves the API with a generated certificate for localhost and its address [§1.https]', async () => {
    await using emulator = await startTestEmulator({ https: true });
    const { base_url, url } = emulator.status();
    expect(base_url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/v1$/);
    const { certificate } = emulator;
    expect(await get(`${url}/healthz`, certificate ?? '')).toBe(200);
    expect(await get(`${url.replace('127.0.0.1', 'localhost')}/healthz`, certificate ?? '')).toBe(200);
    expect(await get(`${base_url}/events`, certificate ?? '')).toBe(401);
  });

  it('emulators with HTTPS and port 0 listen on different ports, not on the default port of listhen', async () => {
    const start = () => startTestEmulator({ https: true });
    const emulators = await Promise.all([start(), start()]);
    await using first = emulators[0];
    await using second = emulators[1];
    const ports = [first, second].map((emulator) => new URL(emulator.status().url).port);
    expect(new Set([...ports, '3000']).size).toBe(3);
  });

  it('an emulator with HTTPS refuses a port that browsers block', async () => {
    await expect(startTestEmulator({ https: true, port: 6669 })).rejects.toThrow(
      /^Cannot listen on 127\.0\.0\.1:6669: browsers block this port, /,
    );
  });

  it('an emulator with HTTPS serves the certificate of two files', async () => {
    const https = writeCertificate(getCertificate('localhost'));
    await using emulator = await startTestEmulator({ https });
    expect(emulator.certificate).toBe(getCertificate('localhost').cert);
    expect(await get(`${emulator.status().url}/healthz`, authority)).toBe(200);
  });

  it('an error says what is wrong with files that are not a certificate and its key', async () => {
    const folder = createTemporaryFolder();
    const [cert, key] = [join(folder, 'none.crt'), join(folder, 'none.key')];
    await expect(startTestEmulator({ https: { cert, key } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/: the file .*none\.(?:crt|key) does not exist\.$/),
    });
    const { cert: other } = getCertificate('elsewhere');
    const mixed = writeCertificate({ ...getCertificate('localhost'), cert: other });
    await expect(startTestEmulator({ https: mixed })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^Cannot serve HTTPS with .*: .*key values mismatch.*\.$/),
    });
  });

  it.each(['cert', 'key'] as const)('the option https rejects the content of the %s file', async (name) => {
    const https = {
      ...writeCertificate(getCertificate('localhost')),
      [name]: getCertificate('localhost')[name],
    };
    await expect(startTestEmulator({ https })).rejects.toMatchObject({
      message: 'The option https needs the paths of two PEM files, not their contents.',
    });
  });
});

/** Writes a certificate and a key into two files. @returns their paths */
function writeCertificate(files: { cert: string; key: string }): { cert: string; key: string } {
  const folder = createTemporaryFolder();
  const paths = { cert: join(folder, 'a.crt'), key: join(folder, 'a.key') };
  for (const name of ['cert', 'key'] as const) writeFileSync(paths[name], files[name]);
  return paths;
}

it('an emulator whose port is busy does not create its database', async () => {
  await using first = await startTestEmulator();
  const { port } = new URL(first.status().url);
  const db = join(createTemporaryFolder(), 'sandbox.db');
  await expect(startTestEmulator({ port: Number(port), db })).rejects.toMatchObject({ code: 'port_in_use' });
  expect(existsSync(db)).toBe(false);
});

it.each([
  ['::', 'http://[::1]:4777/_svc'],
  ['127.0.0.1', 'http://127.0.0.1:4777/_svc'],
])('the error of a port in use on %s names the URL of an emulator there', (host, url) => {
  const error = toListenError(Object.assign(new Error(), { code: 'EADDRINUSE' }), host, 4777);
  expect(error).toMatchObject({ hint: { command: `svc emulator status --url ${url}` } });
});

it('an emulator whose database is unusable releases its port', async () => {
  const db = join(createTemporaryFolder(), 'sandbox.db');
  writeFileSync(db, 'not a database, but text that is longer than the header of one'.repeat(9));
  const close = vi.spyOn(Server.prototype, 'close');
  await expect(startTestEmulator({ db })).rejects.toMatchObject({ code: 'database_unusable' });
  expect(close.mock.contexts).toMatchObject([{ listening: false }]);
});

it('an emulator does not start if it would forward to an emulator of its process, such as itself', async () => {
  await using other = await startTestEmulator();
  const db = join(createTemporaryFolder(), 'sandbox.db');
  const { port } = new URL(other.status().url);
  const forwardTo = { url: `http://localhost:${port}/webhooks`, events: ['*'] };
  await expect(startTestEmulator({ db, forwardTo })).rejects.toMatchObject({
    code: 'usage',
    message: `http://localhost:${port}/webhooks is a URL of the emulator itself.`,
  });
  expect(existsSync(db)).toBe(false);
});

it('an emulator does not start on an address that the machine does not have', async () => {
  // Reserved for documentation (RFC 5737).
  await expect(startTestEmulator({ host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
    code: 'usage',
    message: 'Cannot listen on 192.0.2.1:0: this machine does not have the address.',
  });
});

describe('a listener', () => {
  const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

  /** A listener with a path that responds when `respond` is called, and a request to it. */
  async function startWithRequest() {
    const app = new H3();
    let server: Server | undefined;
    let respond = () => {};
    const arrived = new Promise<void>((resolve) => {
      app.get('/', async ({ runtime }) => {
        server = (runtime?.node?.req.socket as { server?: Server } | undefined)?.server;
        resolve();
        await new Promise<void>((done) => {
          respond = done;
        });
        return 'done';
      });
    });
    const report = vi.fn();
    const listener = await listen({ host: '0.0.0.0', port: 0 }, report);
    listener.serve(app);
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      getHttp(listener.url, { agent: false, headers: { connection: 'keep-alive' } }, resolve).once(
        'error',
        reject,
      );
    });
    response.catch(() => {});
    await arrived;
    if (server === undefined) throw new Error('The request has no server.');
    return { listener, response, report, server, respond: () => respond() };
  }

  it('a listener on all addresses has a URL that a client on this machine can use', async () => {
    const { listener, response, respond } = await startWithRequest();
    expect(listener.url).toBe(`http://127.0.0.1:${listener.port}`);
    respond();
    expect((await response).resume().statusCode).toBe(200);
    await listener.close();
  });

  it('a listener that closes accepts no connection, waits for a response in progress and leaves no timer', async () => {
    const { listener, response, respond } = await startWithRequest();
    useFakeTimers({ toFake: [...timers] });
    const closed = listener.close();
    const [error] = await once(connect(listener.port, '127.0.0.1'), 'error').catch((refused) => [refused]);
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    respond();
    await once((await response).resume(), 'end');
    await vi.advanceTimersByTimeAsync(20);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a listener that closes destroys a connection without a response after five seconds', async () => {
    const { listener, response } = await startWithRequest();
    useFakeTimers({ toFake: [...timers] });
    let isClosed = false;
    const closed = listener.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    await expect(response).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('a listener with HTTPS closes while a connection has not started its TLS handshake', async () => {
    const https = writeCertificate(getCertificate('localhost'));
    const listener = await listen({ host: '127.0.0.1', port: 0, https }, vi.fn());
    const socket = connect(listener.port, '127.0.0.1');
    await once(socket, 'connect');
    const disconnected = once(socket, 'close');
    useFakeTimers({ toFake: [...timers] });
    const closed = listener.close();
    await vi.advanceTimersByTimeAsync(5_000);
    await Promise.all([closed, disconnected]);
  });

  /** A listener that does not serve yet, and a request that waits for it. */
  async function startWithEarlyRequest() {
    const listener = await listen({ host: '127.0.0.1', port: 0 }, vi.fn());
    const url = `${listener.url}/`;
    const response = fetch(url);
    const request = await new Promise<IncomingMessage>((resolve) => {
      const channel = 'http.server.request.start';
      subscribe(channel, function onRequest(message) {
        const { request } = message as { request: IncomingMessage };
        if (request.headers.host !== new URL(url).host) return;
        unsubscribe(channel, onRequest);
        resolve(request);
      });
    });
    return { listener, request, response };
  }

  it('a request that arrives before a listener serves gets its response afterwards', async () => {
    const { listener, response } = await startWithEarlyRequest();
    listener.serve(new H3().get('/', () => 'done'));
    expect(await (await response).text()).toBe('done');
    await listener.close();
  });

  it('a request whose connection ends before a listener serves is not handled', async () => {
    const { listener, request, response } = await startWithEarlyRequest();
    const failed = expect(response).rejects.toThrow('fetch failed');
    const closed = new Promise((resolve) => request.once('close', resolve));
    request.socket.destroy();
    await Promise.all([failed, closed]);
    const handler = vi.fn();
    listener.serve(new H3().get('/', handler));
    expect(handler).not.toHaveBeenCalled();
    await listener.close();
  });

  it('a listener that closes before it serves does not wait for requests', async () => {
    const { listener, response } = await startWithEarlyRequest();
    useFakeTimers({ toFake: [...timers] });
    const failed = expect(response).rejects.toThrow('fetch failed');
    await listener.close();
    await failed;
  });

  it('a listener reports a connection that it cannot accept, and repeats the report only after some time', async () => {
    const { listener, response, report, server, respond } = await startWithRequest();
    const error = new Error('too many open files');
    for (let count = 0; count < 3; count++) server.emit('error', error);
    expect(report.mock.calls).toEqual([['a connection', error]]);
    respond();
    await response;
    await listener.close();
  });
});
