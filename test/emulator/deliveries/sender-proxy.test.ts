import { describe, expect, it, vi } from 'vitest';
import { authority, getCertificate } from '../../support/certificates.ts';
import { createConnectProxy } from '../../support/connect-proxy.ts';
import { createRawReceiver } from '../../support/raw-receiver.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createPostRequest, createTestSender, limits } from './sender-setup.ts';

/** A public host name, which the proxies of these tests connect to a receiver on this machine. */
const PUBLIC = 'https://elsewhere.example/webhooks';
const publicReceiver = () => createReceiver({}, { certificate: getCertificate('elsewhere') });

describe('requests through a proxy', () => {
  it.each(['local', 'public'] as const)(
    'the sender reaches a public host through a proxy that resolves its name (%s)',
    async (rule) => {
      await using receiver = await publicReceiver();
      await using proxy = await createConnectProxy({ leadTo: receiver.port });
      const lookup = vi.fn(async () => []);
      const sender = createTestSender({ rule, lookup, proxy: proxy.url, ca: authority });
      expect(await sender.send(createPostRequest(PUBLIC))).toMatchObject({
        outcome: 'succeeded',
        error: null,
      });
      expect(receiver.requests[0]).toMatchObject({ headers: { host: 'elsewhere.example' } });
      expect(proxy.requests[0]).toMatchObject({ method: 'CONNECT', url: 'elsewhere.example:443' });
      expect(lookup).not.toHaveBeenCalled();
    },
  );

  it('the sender reaches this machine and its network without the proxy', async () => {
    await using receiver = await createReceiver();
    await using proxy = await createConnectProxy({ leadTo: receiver.port });
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const sender = createTestSender({ proxy: proxy.url, lookup });
    for (const host of ['127.0.0.1', 'localhost', 'receiver.internal']) {
      const result = await sender.send(createPostRequest(`http://${host}:${receiver.port}/`));
      expect(result).toMatchObject({ outcome: 'succeeded' });
    }
    expect(proxy.requests).toHaveLength(0);
  });

  it.each(['http://169.254.169.254/', 'https://[fd00:ec2::254]/', 'http://elsewhere.example/'])(
    'the sender does not connect to %s through a proxy either [webhook.url, network.proxy]',
    async (url) => {
      await using proxy = await createConnectProxy({ refuse: 502 });
      const lookup = async () => [{ address: '93.184.216.34', family: 4 }];
      expect(await createTestSender({ proxy: proxy.url, lookup }).send(createPostRequest(url))).toMatchObject(
        {
          outcome: 'blocked',
          error: expect.stringContaining('the URL must'),
        },
      );
      expect(proxy.requests).toHaveLength(0);
    },
  );

  it('the sender sends the proxy the user name and password of its URL', async () => {
    await using receiver = await publicReceiver();
    await using proxy = await createConnectProxy({ leadTo: receiver.port });
    const url = proxy.url.replace('//', '//me:secret@');
    await createTestSender({ proxy: url, ca: authority }).send(createPostRequest(PUBLIC));
    const expected = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(expected);
    expect(receiver.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('the sender checks the certificate of the receiver, not of the proxy [network.certificates, network.proxy]', async () => {
    await using receiver = await publicReceiver();
    await using proxy = await createConnectProxy({ leadTo: receiver.port });
    const sender = createTestSender({ proxy: proxy.url, ca: authority });
    expect(await sender.send(createPostRequest('https://other.example/'))).toMatchObject({
      outcome: 'tls_error',
      error: 'the certificate of other.example is for DNS:elsewhere.example, not for other.example',
    });
  });
});

describe('proxy errors', () => {
  it('the sender reports a proxy that requires a password', async () => {
    await using proxy = await createConnectProxy({ refuse: 407 });
    expect(await createTestSender({ proxy: proxy.url }).send(createPostRequest(PUBLIC))).toMatchObject({
      outcome: 'connection_error',
      responseStatus: null,
      error: `the proxy ${new URL(proxy.url).host} returned 407 Proxy Authentication Required: put a valid user name and password into its URL, http://user:password@host:port`,
    });
  });

  it('the sender reports a proxy that does not listen', async () => {
    const { url, close } = await createRawReceiver(() => undefined);
    await close();
    expect(await createTestSender({ proxy: url }).send(createPostRequest(PUBLIC))).toMatchObject({
      outcome: 'connection_error',
      error: expect.stringMatching(/^the proxy 127\.0\.0\.1:\d+ cannot be used: connect ECONNREFUSED/),
    });
  });

  it('the sender reports a proxy that does not respond within the connect timeout', async () => {
    await using proxy = await createRawReceiver(() => undefined);
    const sender = createTestSender({
      proxy: proxy.url,
      limits: { ...limits, connectTimeoutMs: 50 },
    });
    expect(await sender.send(createPostRequest(PUBLIC))).toMatchObject({
      outcome: 'connection_error',
      error: `the proxy ${new URL(proxy.url).host} did not open a connection within 50ms`,
    });
  });

  it('the sender rejects an invalid proxy URL when it is created', () => {
    const proxy = 'socks5://127.0.0.1:1080';
    expect(() => createTestSender({ proxy })).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
