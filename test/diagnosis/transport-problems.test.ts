import { request as requestHttp } from 'node:http';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import { createServer as createHttpsServer, request as requestHttps } from 'node:https';
import { createServer, type Server } from 'node:net';
import { expect, it } from 'vitest';
import { describeFailure } from '../../src/diagnosis/describe-failure.ts';
import { describeEndpoint } from '../../src/diagnosis/find-layer.ts';
import { listFixes } from '../../src/diagnosis/transport-problems.ts';
import type { AttemptOutcome } from '../../src/domain/delivery.ts';
import { formatHint } from '../../src/domain/errors.ts';
import { authority, getCertificate } from '../support/certificates.ts';
import { listenDuringTest } from '../support/local-server.ts';

type Scheme = 'http' | 'https';

/** The error that Node.js reports for a POST to a server, as an attempt stores it, and what to do. */
async function diagnose(server: Server, scheme: Scheme, ca?: string) {
  const port = await listenDuringTest(server);
  const url = `${scheme}://localhost:${port}/hooks`;
  const request = scheme === 'https' ? requestHttps : requestHttp;
  const options = { method: 'POST', ALPNProtocols: ['http/1.1'], ...(ca !== undefined && { ca }) };
  const error = await new Promise<Error>((resolve, reject) => {
    const sent = request(url, options, () => reject(new Error('The server responded.')));
    sent.on('error', resolve);
    sent.end('{}');
  });
  const limits = { connectTimeoutMs: 1, attemptTimeoutMs: 1 };
  const failure = { url: new URL(url), stage: 'waiting', response: null, isFirst: true, ...limits } as const;
  const problem = describeFailure(error, failure);
  const [hint] = listFixes('blocked', problem.error, describeEndpoint('wh_1', url));
  return { ...problem, port, hint };
}

const respondWith = (bytes: string) =>
  createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1')));
  });

it.each([
  ['expired', true, 'has expired', /^Issue the certificate again, such as with mkcert localhost/],
  ['future', true, 'is not valid yet', /^Correct the clock of this machine/],
  ['elsewhere', true, 'is for DNS:elsewhere.example, not for localhost', /mkcert localhost\.$/],
  ['self-signed', true, 'is self-signed', /^Trust the file of the certificate/],
  [
    'localhost',
    false,
    'was issued by an unknown authority, or its intermediate certificate is missing',
    /mkcert -CAROOT prints, portless in ~\/\.portless\/ca\.pem/,
  ],
] as const)(
  'a certificate that is %s has its own words and its own fix',
  async (name, isTrusted, phrase, fix) => {
    const server = createHttpsServer(getCertificate(name));
    const { outcome, error, port, hint } = await diagnose(server, 'https', isTrusted ? authority : undefined);
    expect([outcome, error]).toEqual(['tls_error', `the certificate of localhost:${port} ${phrase}`]);
    expect(hint?.text).toMatch(fix);
  },
);

it.each<[string, () => Server, Scheme, string, RegExp]>([
  [
    'plain HTTP at a URL with https',
    () => respondWith('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'https',
    'does not speak TLS at this port',
    /--url http:\/\/localhost:\d+\/hooks$/,
  ],
  [
    'HTTP/2 only',
    () => createSecureServer(getCertificate('localhost')),
    'https',
    'accepts only HTTP/2, and webhooks use HTTP/1.1',
    /allowHTTP1: true/,
  ],
  [
    'HTTP/2 only without TLS',
    () => createHttp2Server(),
    'http',
    'accepts only HTTP/2 without TLS, and webhooks use HTTP/1.1',
    /http\.createServer/,
  ],
  [
    'a TLS alert',
    () => respondWith('\x15\x03\x01\x00\x02\x02\x46'),
    'http',
    'expects TLS at this port',
    /--url https:\/\/localhost:\d+\/hooks$/,
  ],
  [
    'a header on two lines',
    () => respondWith('HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\n\r\n'),
    'http',
    'sent a response header on several lines (obs-fold), which HTTP/1.1 no longer allows',
    /on one line/,
  ],
  [
    'LF instead of CRLF',
    () => respondWith('HTTP/1.1 200 OK\r\nX-A: a\nX-B: b\r\n\r\n'),
    'http',
    'ended a line of its response headers with a bare LF instead of CRLF',
    /with \\r\\n/,
  ],
  [
    'Content-Length twice',
    () => respondWith('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'),
    'http',
    'sent the response header Content-Length twice',
    /^Remove one/,
  ],
  [
    'an invalid Content-Length',
    () => respondWith('HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok'),
    'http',
    'sent an invalid response header Content-Length',
    /once/,
  ],
  [
    'two lengths of the body',
    () => respondWith('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    'http',
    'sent the response headers Content-Length and Transfer-Encoding together',
    /^Remove Content-Length/,
  ],
  [
    'a space before the colon',
    () => respondWith('HTTP/1.1 200 OK\r\nX-A : a\r\n\r\n'),
    'http',
    'sent an invalid character in its response headers',
    /^Remove spaces/,
  ],
])('a receiver with %s has its own words and its own fix', async (_, start, scheme, phrase, fix) => {
  const { outcome, error, port, hint } = await diagnose(start(), scheme, authority);
  expect([outcome, error]).toEqual([
    scheme === 'https' ? 'tls_error' : 'connection_error',
    `localhost:${port} ${phrase}`,
  ]);
  expect(`${hint?.text} ${hint?.command ?? ''}`.trim()).toMatch(fix);
});

it.each<[AttemptOutcome, string, RegExp]>([
  ['dns_error', 'any', /^Correct the host name with: svc webhooks update wh_1 --url URL$/],
  [
    'dns_error',
    'no name server responded for a.test: check that this machine is online',
    /^Connect this machine to the network, and check its name server\.$/,
  ],
  ['timeout', 'a.test did not respond within 10s', /^Return a 2xx response as soon as/],
  ['timeout', 'no connection to a.test within 2s', /^Check that no firewall .* with: svc webhooks update/],
  ['tls_error', 'the TLS handshake with a.test failed: unrecognized name', /has a certificate for a\.test,/],
])('the hint after %s, %s, is the fix of the error, or else that of its cause', (outcome, error, hint) => {
  const [fix = { text: '' }] = listFixes(outcome, error, describeEndpoint('wh_1', 'https://a.test/'));
  expect(formatHint(fix)).toMatch(hint);
});
