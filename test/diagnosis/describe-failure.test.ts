import { existsSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { describeFailure } from '../../src/diagnosis/describe-failure.ts';
import { BlockedError } from '../../src/platform/address-policy.ts';
import { ProxyError } from '../../src/platform/connector.ts';
import {
  type Exchange,
  type NetworkError,
  ProtocolError,
  type ReceivedResponse,
} from '../../src/platform/outbound-client.ts';

vi.mock(import('node:fs'), async (importOriginal) => ({
  ...(await importOriginal()),
  existsSync: vi.fn<typeof existsSync>(),
}));
const runInContainer = (isInContainer: boolean) => vi.mocked(existsSync).mockReturnValue(isInContainer);
beforeEach(() => {
  runInContainer(false);
});

type Failure = NonNullable<Exchange['failure']>;
type Context = Partial<Parameters<typeof describeFailure>[1]>;

const HTTP = new URL('http://a.test:8080/hooks');
const HTTPS = new URL('https://a.test/hooks');
const response: ReceivedResponse = { status: 200, headers: {}, body: Buffer.from('a'), truncated: true };

const toError = (code: string | undefined, fields: Partial<NetworkError> = {}): NetworkError =>
  Object.assign(new Error('the message'), code === undefined ? {} : { code }, fields);

function describeAt(failure: Failure, context: Context) {
  return describeFailure(failure, {
    url: HTTP,
    stage: 'connecting',
    response: null,
    isFirst: false,
    connectTimeoutMs: 2_000,
    attemptTimeoutMs: 10_000,
    ...context,
  });
}

describe('describeFailure', () => {
  it.each<[string, string, Failure, Context?]>([
    ['timeout', 'no connection to a.test:8080 within 2s', 'timeout'],
    ['timeout', 'no connection to a.test:8080 within 1s', 'timeout', { attemptTimeoutMs: 1_000 }],
    ['timeout', 'no connection to a.test:8080 within 2s', toError('ETIMEDOUT')],
    ['timeout', 'a.test:8080 did not respond within 10s', 'timeout', { stage: 'waiting' }],
    [
      'timeout',
      'a.test:8080 started a response but did not finish it within 10s',
      'timeout',
      { stage: 'headers' },
    ],
    [
      'timeout',
      'a.test:8080 started a response but did not finish it within 10s; received status 200 and 1 byte of the body',
      'timeout',
      { stage: 'body', response },
    ],
    ['connection_error', 'the emulator stopped before the attempt ended', 'stopped'],
    ['blocked', 'it is private', new BlockedError('it is private'), { url: HTTPS }],
    ['connection_error', 'the proxy is off', new ProxyError('the proxy is off'), { url: HTTPS }],
    ['connection_error', 'a.test:8080 broke a rule', new ProtocolError('broke a rule'), { stage: 'headers' }],
    ['dns_error', 'a.test does not resolve: check the host name', toError('ENOTFOUND')],
    [
      'dns_error',
      'no name server responded for a.test: check that this machine is online',
      toError('EAI_AGAIN'),
    ],
    ['dns_error', 'a.test does not resolve (EAI_FAIL)', toError('EAI_FAIL')],
    ['connection_error', 'EMFILE: the message', toError('EMFILE')],
    ['connection_error', 'TypeError: the message', toError(undefined, { name: 'TypeError' })],
    [
      'connection_error',
      "nock blocks a.test:8080: allow it with nock.enableNetConnect('a.test')",
      toError('ENETUNREACH', { name: 'NetConnectNotAllowedError' }),
    ],
    [
      'connection_error',
      'the request cannot be sent: the message',
      toError('ERR_INVALID_CHAR', { name: 'TypeError' }),
    ],
    [
      'timeout',
      'a.test:8080 did not respond within 10s; a dev server compiles at the first request, so the next attempt can succeed',
      'timeout',
      { stage: 'waiting', isFirst: true },
    ],
    [
      'timeout',
      'receiver.example did not respond within 10s',
      'timeout',
      { stage: 'waiting', isFirst: true, url: new URL('https://receiver.example/') },
    ],
  ])('an attempt ends as %s: %s', (outcome, error, failure, context = {}) => {
    expect(describeAt(failure, context)).toEqual({ outcome, error });
  });

  const v4 = { address: '192.0.2.1', port: 8080 };
  const v6 = { address: '2001:db8::1', port: 8080 };
  it.each<[string, NetworkError]>([
    ['192.0.2.1:8080', toError('ECONNREFUSED', v4)],
    ['[2001:db8::1]:8080', toError('ECONNREFUSED', v6)],
    [
      '192.0.2.1:8080 and [2001:db8::1]:8080',
      toError('ECONNREFUSED', { errors: [toError('ECONNREFUSED', v4), toError('ECONNREFUSED', v6)] }),
    ],
    [
      '192.0.2.1:8080',
      toError('ECONNREFUSED', { errors: [toError('ECONNREFUSED', v4), toError('ENETUNREACH', v6)] }),
    ],
    ['a.test:8080', toError('ECONNREFUSED')],
    ['a.test:8080', toError('ECONNREFUSED', { port: 8080 })],
    ['a.test:8080', toError('ECONNREFUSED', { address: '192.0.2.1' })],
  ])('a refused connection names the addresses that refused it: %s', (addresses, failure) => {
    const error = `connection refused by ${addresses}: nothing is listening there`;
    expect(describeAt(failure, {})).toEqual({ outcome: 'connection_error', error });
  });

  it.each(['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'])('%s means that there is no route', (code) => {
    const error = 'no route from this machine to 192.0.2.1:8080';
    expect(describeAt(toError(code, v4), {})).toEqual({ outcome: 'connection_error', error });
  });

  it.each([
    ['127.0.0.1', true, true],
    ['::1', true, true],
    ['192.0.2.1', true, false],
    ['127.0.0.1', false, false],
  ])(
    'a refusal by %s, in a container: %s, names host.docker.internal: %s',
    (address, isInContainer, expected) => {
      runInContainer(isInContainer);
      const failure = toError('ECONNREFUSED', { address, port: 8080 });
      const { error } = describeAt(failure, { isFirst: true });
      expect(error.includes('use host.docker.internal')).toBe(expected);
    },
  );

  it('a refusal by a receiver that has responded before does not name host.docker.internal', () => {
    const failure = toError('ECONNREFUSED', { address: '127.0.0.1', port: 8080 });
    runInContainer(true);
    const { error } = describeAt(failure, { isFirst: false });
    expect(error).not.toContain('host.docker.internal');
  });

  it.each<[string, string | undefined, Context]>([
    ['reset the connection while it sent the response headers', 'read', { stage: 'headers' }],
    ['closed the connection while it sent the response headers', undefined, { stage: 'headers' }],
    [
      'reset the connection while it sent the response body; received status 200 and 1 byte of the body',
      'write',
      { stage: 'body', response },
    ],
    [
      'closed the connection without a response: it may expect HTTPS, or it crashed while it handled the request',
      undefined,
      { stage: 'waiting', isFirst: true },
    ],
    ['reset the connection before it responded', 'read', { stage: 'waiting', isFirst: false }],
    ['reset the connection before it responded', 'read', { stage: 'connecting', isFirst: true }],
  ])('the error says when the receiver ended the connection: %s', (phrase, syscall, context) => {
    const failure = toError('ECONNRESET', syscall === undefined ? {} : { syscall });
    const error = `a.test:8080 ${phrase}`;
    expect(describeAt(failure, context)).toEqual({ outcome: 'connection_error', error });
  });

  it('the error for a closed connection does not suggest HTTPS if the URL already uses it', () => {
    const failure = describeAt(toError('ECONNRESET', { syscall: 'read' }), {
      ...{ url: HTTPS, stage: 'waiting', isFirst: true },
    });
    const error = 'a.test reset the connection before it responded';
    expect(failure).toEqual({ outcome: 'connection_error', error });
  });

  const NO_HTTP = 'a.test:8080 did not respond with HTTP/1.1: check that an HTTP server listens there';
  it.each<[string, string, Partial<NetworkError>, Context?]>([
    [NO_HTTP, 'HPE_INVALID_CONSTANT', { rawPacket: Buffer.from('SSH-2.0') }],
    [NO_HTTP, 'HPE_INVALID_VERSION', {}],
    [
      'a.test:8080 expects TLS at this port',
      'HPE_INVALID_CONSTANT',
      { rawPacket: Buffer.from('\x15\x03\x01', 'latin1') },
    ],
    ['a.test:8080 sent an invalid response header Content-Length', 'HPE_INVALID_CONTENT_LENGTH', {}],
    [
      'the response body of a.test:8080 is malformed; received status 200 and 1 byte of the body',
      'HPE_INVALID_CHUNK_SIZE',
      {},
      { stage: 'body', response },
    ],
  ])('a response that is not HTTP/1.1 is described by what arrived: %s', (error, code, fields, context) => {
    const failure = toError(code, fields);
    expect(describeAt(failure, { stage: 'headers', ...context })).toEqual({
      outcome: 'connection_error',
      error,
    });
  });

  const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
  it.each<[string, NetworkError]>([
    [
      'the certificate of a.test is for DNS:b.test, not for a.test',
      toError(OTHER_NAME, { cert: { subjectaltname: 'DNS:b.test' } }),
    ],
    ['the certificate of a.test is for no host, not for a.test', toError(OTHER_NAME, { cert: {} })],
    ['the certificate of a.test is for no host, not for a.test', toError(OTHER_NAME)],
    ['the certificate of a.test has expired', toError('CERT_HAS_EXPIRED')],
    ['the certificate of a.test is rejected: CERT_SIGNATURE_FAILURE', toError('CERT_SIGNATURE_FAILURE')],
    ['the certificate of a.test is rejected: HOSTNAME_MISMATCH', toError('HOSTNAME_MISMATCH')],
    ['a.test closed the connection during the TLS handshake', toError('ECONNRESET')],
    ['a.test does not speak TLS at this port', toError('EPROTO', { reason: 'http request' })],
    [
      'a.test does not speak TLS at this port',
      toError('ERR_SSL_WRONG_VERSION_NUMBER', { message: 'wrong version number' }),
    ],
    [
      'the TLS handshake with a.test failed: no shared cipher',
      toError('ERR_SSL_NO_SHARED_CIPHER', { reason: 'no shared cipher' }),
    ],
    ['the TLS handshake with a.test failed: the message', toError('ERR_TLS_ANY')],
    [
      'a.test accepts only HTTP/2, and webhooks use HTTP/1.1',
      toError('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'),
    ],
  ])('a TLS error names the problem: %s', (error, failure) => {
    expect(describeAt(failure, { url: HTTPS })).toEqual({ outcome: 'tls_error', error });
  });

  it.each([
    ['connection_error', 'ERR_TLS_ANY: the message', HTTP, toError('ERR_TLS_ANY')],
    ['dns_error', 'a.test does not resolve: check the host name', HTTPS, toError('ENOTFOUND')],
    ['connection_error', 'Error: the message', HTTPS, toError(undefined)],
  ])(
    'only TLS errors of https:// URLs are a tls_error, others are %s: %s',
    (outcome, error, url, failure) => {
      expect(describeAt(failure, { url })).toEqual({ outcome, error });
    },
  );
});
