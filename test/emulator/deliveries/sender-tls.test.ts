import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { authority, getCertificate } from '../../support/certificates.ts';
import { createRawReceiver, readRequest } from '../../support/raw-receiver.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createPostRequest, createTestSender } from './sender-setup.ts';

const receiverWith = (name: Parameters<typeof getCertificate>[0]) =>
  createReceiver({}, { certificate: getCertificate(name) });

describe('requests over TLS', () => {
  it('the sender delivers to a host name whose certificate comes from the given authority [§6.delivery]', async () => {
    await using receiver = await receiverWith('localhost');
    const result = await createTestSender({ ca: authority }).send(createPostRequest(receiver.url));
    expect(result).toMatchObject({ outcome: 'succeeded', responseStatus: 200, error: null });
    expect(receiver.requests[0]?.headers.host).toBe(`localhost:${receiver.port}`);
  });

  it('the sender rejects a certificate of an unknown authority [network.certificates]', async () => {
    await using receiver = await receiverWith('localhost');
    const { outcome, error } = await createTestSender().send(createPostRequest(receiver.url));
    expect(outcome).toBe('tls_error');
    expect(error).toContain('was issued by an unknown authority, or its intermediate certificate is missing');
  });

  it('the sender rejects an authority that is not a PEM certificate', () => {
    const message = 'The certificate authority in ca is not a PEM certificate.';
    expect(() => createTestSender({ ca: 'no certificate' })).toThrow(
      expect.objectContaining({ code: 'usage', message }),
    );
  });

  it.each(['expired', 'self-signed', 'elsewhere'] as const)(
    'the sender accepts the %s certificate when a request skips the check, for that request only [network.certificates]',
    async (name) => {
      await using receiver = await receiverWith(name);
      const sender = createTestSender();
      expect(await sender.send(createPostRequest(receiver.url, true))).toMatchObject({
        outcome: 'succeeded',
      });
      expect(await sender.send(createPostRequest(receiver.url))).toMatchObject({
        outcome: 'tls_error',
      });
    },
  );

  it('the sender offers only HTTP/1.1, even to a receiver that prefers HTTP/2', async () => {
    const certificate = { ...getCertificate('localhost'), ALPNProtocols: ['h2', 'http/1.1'] };
    const protocols: unknown[] = [];
    await using receiver = await createRawReceiver(async (socket) => {
      protocols.push((socket as TLSSocket).alpnProtocol);
      await readRequest(socket);
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    }, certificate);
    const result = await createTestSender({ ca: authority }).send(createPostRequest(receiver.url));
    expect([result.outcome, protocols]).toEqual(['succeeded', ['http/1.1']]);
  });
});
