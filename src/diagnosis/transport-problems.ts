/** What can go wrong with a connection: how Node.js and OpenSSL report it, what it means, and what to do. The first row that matches counts. */
import { type AttemptOutcome, CONNECTION_REFUSED } from '../domain/delivery.ts';
import type { Hint } from '../domain/errors.ts';
import { causeFixes, type Fix, type FixableCause, toHint, type Values } from './sentences.ts';

interface TransportProblem extends Partial<Fix> {
  /** Default: `connection_error`. A `tls_error` is one of a URL with https. */
  readonly outcome?: AttemptOutcome;
  /**
   * Matches a line of facts: the code of the error or the name of its class, the stage of the exchange, `first` or `later` (whether
   * the URL has responded before), `http:` or `https:`, the place (`local`, `public`, or `container` for a receiver on the host of
   * a container), and the messages of the error.
   */
  readonly error: RegExp;
  /** Matches the first bytes of the response, as Latin-1. */
  readonly bytes?: RegExp;
  /** What happened. */
  readonly sentence: string;
}

/** Errors of svc, whose messages are complete, and one of a library. */
const ownProblems: readonly TransportProblem[] = [
  {
    error: /NetConnectNotAllowedError/,
    sentence: "nock blocks {host}: allow it with nock.enableNetConnect('{hostname}')",
  },
  { error: /^BlockedError /, outcome: 'blocked', sentence: '{message}' },
  { error: /^ProxyError /, sentence: '{message}' },
  { error: /^ProtocolError /, sentence: '{host} {message}' },
];

const TRUST = {
  fix: 'Trust its authority. mkcert keeps it in rootCA.pem in the folder that mkcert -CAROOT prints, portless in ~/.portless/ca.pem.',
  command: 'svc emulator start --ca FILE',
};

const tlsProblems: readonly TransportProblem[] = [
  {
    error: /^CERT_HAS_EXPIRED/,
    sentence: 'the certificate of {host} has expired',
    fix: 'Issue the certificate again, such as with mkcert {hostname}, and restart the receiver.',
  },
  {
    error: /^CERT_NOT_YET_VALID/,
    sentence: 'the certificate of {host} is not valid yet',
    fix: 'Correct the clock of this machine, or issue the certificate again.',
  },
  {
    error: /^ERR_TLS_CERT_ALTNAME_INVALID/,
    sentence: 'the certificate of {host} is for {names}, not for {hostname}',
    fix: 'Register a URL with a host that the certificate names, or issue one for this host: mkcert {hostname}.',
    command: 'svc webhooks update {webhook} --url URL',
  },
  {
    error: /^DEPTH_ZERO_SELF_SIGNED_CERT/,
    sentence: 'the certificate of {host} is self-signed',
    fix: 'Trust the file of the certificate',
    command: 'svc emulator start --ca FILE',
  },
  {
    error: /^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT)/,
    sentence: 'the certificate of {host} was issued by an unknown authority',
    ...TRUST,
  },
  {
    // Reported for a chain of one certificate.
    error: /^UNABLE_TO_VERIFY_LEAF_SIGNATURE/,
    sentence:
      'the certificate of {host} was issued by an unknown authority, or its intermediate certificate is missing',
    ...TRUST,
  },
  {
    error: /^(?:CERT_|CRL_|INVALID_|PATH_LENGTH_|UNABLE_TO_|ERROR_IN_CERT_|HOSTNAME_MISMATCH)/,
    sentence: 'the certificate of {host} is rejected: {code}',
    fix: 'Issue another certificate, such as with mkcert {hostname}.',
  },
  {
    error: /wrong version number|packet length too long|http request/i,
    sentence: '{host} does not speak TLS at this port',
    fix: 'Register the http:// URL',
    command: 'svc webhooks update {webhook} --url {http_url}',
  },
  {
    error: /^ECONNRESET connecting/,
    sentence: '{host} closed the connection during the TLS handshake',
    fix: 'If it speaks plain HTTP, register the http:// URL',
    command: 'svc webhooks update {webhook} --url {http_url}',
  },
  {
    error: /no[ _]application[ _]protocol/i,
    sentence: '{host} accepts only HTTP/2, and webhooks use HTTP/1.1',
    fix: 'Allow HTTP/1.1 in the receiver: pass allowHTTP1: true to http2.createSecureServer.',
  },
  {
    error: /certificate[ _]required/i,
    sentence: '{host} requires a client certificate',
    fix: 'Turn off the check of client certificates for this path: the signature replaces it.',
  },
  {
    error: /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/,
    sentence: 'the TLS handshake with {host} failed: {reason}',
    fix: 'Allow TLS 1.2 or 1.3 in the receiver.',
  },
];

const httpProblems: readonly TransportProblem[] = [
  { error: /^HPE_\w+ body /, sentence: 'the response body of {host} is malformed{received}' },
  {
    error: /^HPE_INVALID_CONSTANT/,
    bytes: /^\x15\x03/,
    sentence: '{host} expects TLS at this port',
    fix: 'Register the https:// URL',
    command: 'svc webhooks update {webhook} --url {https_url}',
  },
  {
    error: /^HPE_INVALID_CONSTANT/,
    bytes: /^\0\0[\0-\xff]\x04\0/,
    sentence: '{host} accepts only HTTP/2 without TLS, and webhooks use HTTP/1.1',
    fix: 'Allow HTTP/1.1 in the receiver, such as with http.createServer instead of http2.createServer.',
  },
  {
    error: /^HPE_HEADER_OVERFLOW/,
    sentence: '{host} sent response headers that exceed 16 KiB',
    fix: 'Send fewer or smaller response headers, such as cookies.',
  },
  {
    error: /Unexpected whitespace after header value/,
    sentence: '{host} sent a response header on several lines (obs-fold), which HTTP/1.1 no longer allows',
    fix: 'Write each response header on one line: a header value contains a line break.',
  },
  {
    error: /^HPE_(?:CR|LF)_EXPECTED/,
    sentence: '{host} ended a line of its response headers with a bare LF instead of CRLF',
    fix: 'End each line of the response headers with \\r\\n.',
  },
  {
    error: /^HPE_UNEXPECTED_CONTENT_LENGTH/,
    sentence: '{host} sent the response header Content-Length twice',
    fix: 'Remove one: the framework or a proxy adds the header too.',
  },
  {
    error: /^HPE_INVALID_CONTENT_LENGTH/,
    sentence: '{host} sent an invalid response header Content-Length',
    fix: 'Send the number of bytes of the body, once.',
  },
  {
    error: /^HPE_INVALID_TRANSFER_ENCODING/,
    sentence: '{host} sent the response headers Content-Length and Transfer-Encoding together',
    fix: 'Remove Content-Length from the response: the framework sends the body in chunks.',
  },
  {
    error: /^HPE_INVALID_HEADER_TOKEN/,
    sentence: '{host} sent an invalid character in its response headers',
    fix: 'Remove spaces before the colon, and control characters from the response headers.',
  },
  {
    error: /^HPE_/,
    sentence: '{host} did not respond with HTTP/1.1: check that an HTTP server listens there',
  },
];

const networkProblems: readonly TransportProblem[] = [
  { error: /^stopped /, sentence: 'the emulator stopped before the attempt ended' },
  {
    error: /^(?:timeout|ABORT_ERR|ETIMEDOUT) connecting /,
    outcome: 'timeout',
    sentence: 'no connection to {host} within {limit}',
  },
  {
    // Only a local server compiles.
    error: /^(?:timeout|ABORT_ERR|ETIMEDOUT) waiting first \S+ local /,
    outcome: 'timeout',
    sentence:
      '{host} did not respond within {limit}; a dev server compiles at the first request, so the next attempt can succeed',
  },
  {
    error: /^(?:timeout|ABORT_ERR|ETIMEDOUT) waiting /,
    outcome: 'timeout',
    sentence: '{host} did not respond within {limit}',
  },
  {
    error: /^(?:timeout|ABORT_ERR|ETIMEDOUT) /,
    outcome: 'timeout',
    sentence: '{host} started a response but did not finish it within {limit}{received}',
  },
  {
    error: /^ENOTFOUND /,
    outcome: 'dns_error',
    sentence: '{hostname} does not resolve: check the host name',
  },
  {
    error: /^EAI_AGAIN /,
    outcome: 'dns_error',
    sentence: 'no name server responded for {hostname}: check that this machine is online',
  },
  { error: /^EAI_/, outcome: 'dns_error', sentence: '{hostname} does not resolve ({code})' },
  {
    // A receiver that has responded runs in the same container.
    error: /^ECONNREFUSED \w+ first \S+ container /,
    sentence: `${CONNECTION_REFUSED} by {tried}: nothing is listening there. svc runs in a container: for a receiver outside it, use host.docker.internal`,
  },
  { error: /^ECONNREFUSED /, sentence: `${CONNECTION_REFUSED} by {tried}: nothing is listening there` },
  {
    error: /^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL) /,
    sentence: 'no route from this machine to {tried}',
  },
  {
    error: /^(?:ECONNRESET|EPIPE) headers /,
    sentence: '{host} {action} the connection while it sent the response headers',
  },
  {
    error: /^(?:ECONNRESET|EPIPE) body /,
    sentence: '{host} {action} the connection while it sent the response body{received}',
  },
  {
    // A server that expects TLS ends a connection with plain HTTP in the same way as one that crashes.
    error: /^(?:ECONNRESET|EPIPE) waiting first http: /,
    sentence:
      '{host} {action} the connection without a response: it may expect HTTPS, or it crashed while it handled the request',
    fix: 'Read the log of the receiver. If it expects HTTPS, register the https:// URL',
    command: 'svc webhooks update {webhook} --url {https_url}',
  },
  {
    error: /^(?:ECONNRESET|EPIPE) /,
    sentence: '{host} {action} the connection before it responded',
  },
  { error: /^ERR_INVALID_/, sentence: 'the request cannot be sent: {message}' },
];

export const transportProblems: readonly TransportProblem[] = [
  ...ownProblems,
  ...tlsProblems.map((row) => ({ ...row, outcome: 'tls_error' as const })),
  ...httpProblems,
  ...networkProblems,
];

/** What to do about an attempt: the fix of the problem whose sentence its error is, or else that of its cause. */
export function listFixes(cause: FixableCause, error: string | null, values: Values): Hint[] {
  const isSentence = ({ sentence }: TransportProblem) =>
    sentence.split(/\{\w+\}/).every((part) => error?.includes(part));
  const problem = transportProblems.find((row) => row.fix !== undefined && isSentence(row));
  const { fix, command } = problem ?? causeFixes[cause] ?? {};
  return fix === undefined ? [] : [toHint({ fix, command }, values)];
}
