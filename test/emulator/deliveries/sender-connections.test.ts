import { promises as dns } from 'node:dns';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addOwnAddress } from '../../../src/platform/own-addresses.ts';
import { createRawReceiver, readRequest } from '../../support/raw-receiver.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createPostRequest, createTestSender } from './sender-setup.ts';

const v4 = (address: string) => ({ address, family: 4 });
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

describe('allowed destinations', () => {
  it.each(['http://169.254.169.254/latest/meta-data', 'http://0xa9fea9fe/', 'http://[::]/'])(
    'the sender never connects to %s',
    async (url) => {
      const result = await createTestSender().send(createPostRequest(url));
      expect(result).toMatchObject({ outcome: 'blocked', responseStatus: null, response: null });
    },
  );

  it('the sender never uses plain HTTP to a public address [webhook.url, network.plain-http]', async () => {
    const lookup = async () => [v4('93.184.216.34')];
    const result = await createTestSender({ lookup }).send(createPostRequest('http://receiver.internal/'));
    expect(result.outcome).toBe('blocked');
    expect(result.error).toBe(
      'receiver.internal has no allowed address: 93.184.216.34 is a public address: ' +
        'the URL must use HTTPS, because plain HTTP is only for loopback and private addresses',
    );
  });

  it('under the strict rule the sender connects only to public addresses over HTTPS [webhook.url, network.strict-profile]', async () => {
    await using receiver = await createReceiver();
    const result = await createTestSender({ rule: 'public' }).send(createPostRequest(receiver.url));
    expect(result).toMatchObject({ outcome: 'blocked' });
    expect(receiver.requests).toHaveLength(0);
  });

  it('the sender never connects to the emulator itself [network.own-address]', async () => {
    await using receiver = await createReceiver();
    onTestFinished(addOwnAddress({ host: '127.0.0.1', port: receiver.port }));
    const result = await createTestSender().send(createPostRequest(receiver.url));
    expect(result).toMatchObject({ outcome: 'blocked' });
    expect(receiver.requests).toHaveLength(0);
  });

  it('the sender connects to the exact address that was checked and resolves a name once per connection [network.checked-address]', async () => {
    await using receiver = await createReceiver();
    const results = [[v4('127.0.0.1')], [v4('169.254.169.254')]];
    const lookup = vi.fn(async () => results.shift() ?? []);
    const sender = createTestSender({ lookup });
    const url = `http://rebound.internal:${receiver.port}/`;
    expect(await sender.send(createPostRequest(url))).toMatchObject({ outcome: 'succeeded' });
    expect(lookup.mock.calls).toEqual([['rebound.internal']]);
    receiver.respond({ drop: true }); // closes the connection, so that the request is sent on a new one
    expect(await sender.send(createPostRequest(url))).toMatchObject({ outcome: 'blocked' });
    expect(receiver.requests).toHaveLength(2);
    expect(lookup).toHaveBeenCalledTimes(2);
  });

  it('the sender connects only to the allowed addresses of a name that has several [network.blocked-addresses]', async () => {
    await using receiver = await createReceiver();
    const lookup = async () => [v4('169.254.169.254'), v4('127.0.0.1')];
    const result = await createTestSender({ lookup }).send(
      createPostRequest(`http://mixed.internal:${receiver.port}/`),
    );
    expect(result).toMatchObject({ outcome: 'succeeded' });
  });

  it('the sender tries the next address when the first refuses the connection', async () => {
    await using receiver = await createReceiver();
    const lookup = async () => [v4('127.0.0.2'), v4('127.0.0.1')];
    const result = await createTestSender({ lookup }).send(
      createPostRequest(`http://two.internal:${receiver.port}/`),
    );
    expect(result).toMatchObject({ outcome: 'succeeded' });
  });

  it.each(['localhost', 'app.localhost', 'LOCALHOST'])(
    'the sender connects to this machine for %s without asking a resolver',
    async (host) => {
      await using receiver = await createReceiver();
      const lookup = vi.fn(async () => []);
      const result = await createTestSender({ lookup }).send(
        createPostRequest(`http://${host}:${receiver.port}/`),
      );
      expect(result).toMatchObject({ outcome: 'succeeded' });
      expect(lookup).not.toHaveBeenCalled();
    },
  );

  it('the sender resolves names with the system resolver, IPv4 first', async () => {
    await using receiver = await createReceiver();
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(async () => [v4('127.0.0.1')] as never);
    onTestFinished(() => lookup.mockRestore());
    const result = await createTestSender().send(
      createPostRequest(`http://receiver.internal:${receiver.port}/`),
    );
    expect(result).toMatchObject({ outcome: 'succeeded' });
    expect(lookup.mock.calls).toEqual([['receiver.internal', { all: true, order: 'ipv4first' }]]);
  });

  it('the sender ignores the proxy variables of the environment', async () => {
    await using proxy = await createReceiver();
    await using receiver = await createReceiver();
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'])
      vi.stubEnv(name, proxy.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    await createTestSender().send(createPostRequest(receiver.url));
    expect([proxy.requests.length, receiver.requests.length]).toEqual([0, 1]);
  });
});

it('closing the sender closes its connections at once and ends requests in flight', async () => {
  await using receiver = await createReceiver(() => new Promise(() => undefined));
  const sender = createTestSender();
  const sending = sender.send(createPostRequest(receiver.url));
  await receiver.waitFor(1);
  sender.close();
  const stopped = { outcome: 'connection_error', error: 'the emulator stopped before the attempt ended' };
  expect(await sending).toMatchObject(stopped);
  expect(await sender.send(createPostRequest(receiver.url))).toMatchObject(stopped);
  expect(receiver.requests).toHaveLength(1);
});

describe('a keep-alive connection that the receiver closes', () => {
  it.each([
    ['closes', 'end'],
    ['resets', 'resetAndDestroy'],
  ] as const)(
    'a request on a keep-alive connection that the receiver %s is sent again, on a new connection',
    async (_, close) => {
      await using receiver = await createRawReceiver(async (socket, index) => {
        await readRequest(socket);
        socket.write(OK);
        if (index > 0) return;
        await readRequest(socket);
        socket[close]();
      });
      const sender = createTestSender();
      await sender.send(createPostRequest(receiver.url));
      const { outcome, phases } = await sender.send(createPostRequest(receiver.url));
      expect(outcome).toBe('succeeded');
      expect(phases?.connect).not.toBeNull();
      expect(receiver.connections).toBe(2);
    },
  );

  it('a request is not sent a third time', async () => {
    await using receiver = await createRawReceiver(async (socket, index) => {
      await readRequest(socket);
      if (index > 0) return socket.end();
      socket.write(OK);
      await readRequest(socket);
      socket.end();
    });
    const sender = createTestSender();
    await sender.send(createPostRequest(receiver.url));
    const { outcome, error } = await sender.send(createPostRequest(receiver.url));
    expect(outcome).toBe('connection_error');
    expect(error).toContain('closed the connection before it responded');
    expect(receiver.connections).toBe(2);
  });

  it('a request is not sent again after a byte of a response', async () => {
    await using receiver = await createRawReceiver(async (socket) => {
      await readRequest(socket);
      socket.write(OK);
      await readRequest(socket);
      socket.end('HTTP/1.1 2');
    });
    const sender = createTestSender();
    await sender.send(createPostRequest(receiver.url));
    const result = await sender.send(createPostRequest(receiver.url));
    expect(result).toMatchObject({ outcome: 'connection_error' });
    expect(receiver.connections).toBe(1);
  });
});
