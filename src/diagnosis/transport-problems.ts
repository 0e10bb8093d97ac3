/** What can go wrong with a connection: how Node.js and OpenSSL report it, what it means, and what to do. The first row that matches counts. */
import { type AttemptOutcome, CONNECTION_REFUSED } from '../domain/delivery.ts';
import type { Hint } from '../domain/errors.ts';
import type { Exchange } from '../platform/outbound-client.ts';
import { causeFixes, type Fix, type FixableCause, toHint, UPDATE, type Values } from './sentences.ts';

/** What is known of a failure. */
interface FailureFacts {
  /** The code of the error, or the name of its class if it has no code. */
  readonly code: string;
  /** The name of its class. */
  readonly name: string;
  /** Its code, its message, and the message of OpenSSL or llhttp. */
  readonly text: string;
  /** The first bytes of a response that is not HTTP, as Latin-1. */
  readonly bytes: string;
  readonly stage: Exchange['stage'];
  readonly protocol: 'http:' | 'https:';
  /** Whether every earlier request to the URL failed before a response or a timeout. */
  readonly isFirst: boolean;
  /** `container`: svc runs in a container, and nothing in it listens at the address. `local`: the host has no public address. */
  readonly place: 'container' | 'local' | 'public';
}

interface TransportProblem extends Partial<Fix> {
  /** Default: `connection_error`. */
  readonly outcome?: AttemptOutcome;
  /** Every fact that is named must match. */
  readonly when: { readonly [Name in keyof FailureFacts]?: FailureFacts[Name] | RegExp };
  /** What happened. */
  readonly sentence: string;
}

/** Errors of svc, whose messages are complete, and one of a library. */
const ownProblems: readonly TransportProblem[] = [
  {
    when: { name: 'NetConnectNotAllowedError' },
    sentence: "nock blocks {host}: allow it with nock.enableNetConnect('{hostname}')",
  },
  { when: { code: 'BlockedError' }, outcome: 'blocked', sentence: '{message}' },
  { when: { code: 'ProxyError' }, sentence: '{message}' },
  { when: { code: 'ProtocolError' }, sentence: '{host} {message}' },
];

const TRUST = {
  fix: 'Trust its authority. mkcert keeps it in rootCA.pem in the folder that mkcert -CAROOT prints, portless in ~/.portless/ca.pem.',
  command: 'svc emulator start --ca FILE',
};

const tlsProblems: readonly TransportProblem[] = [
  {
    when: { code: 'CERT_HAS_EXPIRED' },
    sentence: 'the certificate of {host} has expired',
    fix: 'Issue the certificate again, such as with mkcert {hostname}, and restart the receiver.',
  },
  {
    when: { code: 'CERT_NOT_YET_VALID' },
    sentence: 'the certificate of {host} is not valid yet',
    fix: 'Correct the clock of this machine, or issue the certificate again.',
  },
  {
    when: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    sentence: 'the certificate of {host} is for {names}, not for {hostname}',
    fix: 'Register a URL with a host that the certificate names, or issue one for this host: mkcert {hostname}.',
    command: UPDATE,
  },
  {
    when: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    sentence: 'the certificate of {host} is self-signed',
    fix: 'Trust the file of the certificate',
    command: 'svc emulator start --ca FILE',
  },
  {
    when: { code: /^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT)/ },
    sentence: 'the certificate of {host} was issued by an unknown authority',
    ...TRUST,
  },
  {
    // Reported for a chain of one certificate.
    when: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    sentence:
      'the certificate of {host} was issued by an unknown authority, or its intermediate certificate is missing',
    ...TRUST,
  },
  {
    when: { code: /^(?:CERT_|CRL_|INVALID_|PATH_LENGTH_|UNABLE_TO_|ERROR_IN_CERT_|HOSTNAME_MISMATCH)/ },
    sentence: 'the certificate of {host} is rejected: {code}',
    fix: 'Issue another certificate, such as with mkcert {hostname}.',
  },
  {
    when: { text: /wrong version number|packet length too long|http request/i },
    sentence: '{host} does not speak TLS at this port',
    fix: 'Register the http:// URL',
    command: 'svc webhooks update {webhook} --url {http_url}',
  },
  {
    when: { code: 'ECONNRESET', stage: 'connecting' },
    sentence: '{host} closed the connection during the TLS handshake',
    fix: 'If it speaks plain HTTP, register the http:// URL',
    command: 'svc webhooks update {webhook} --url {http_url}',
  },
  {
    when: { text: /no[ _]application[ _]protocol/i },
    sentence: '{host} accepts only HTTP/2, and webhooks use HTTP/1.1',
    fix: 'Allow HTTP/1.1 in the receiver: pass allowHTTP1: true to http2.createSecureServer.',
  },
  {
    when: { text: /certificate[ _]required/i },
    sentence: '{host} requires a client certificate',
    fix: 'Turn off the check of client certificates for this path: the signature replaces it.',
  },
  {
    when: { code: /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/ },
    sentence: 'the TLS handshake with {host} failed: {reason}',
    fix: 'Check that the receiver has a certificate for {hostname}, and that it allows TLS 1.2 or 1.3.',
  },
];

const httpProblems: readonly TransportProblem[] = [
  { when: { code: /^HPE_/, stage: 'body' }, sentence: 'the response body of {host} is malformed{received}' },
  {
    when: { code: 'HPE_INVALID_CONSTANT', bytes: /^\x15\x03/ },
    sentence: '{host} expects TLS at this port',
    fix: 'Register the https:// URL',
    command: 'svc webhooks update {webhook} --url {https_url}',
  },
  {
    when: { code: 'HPE_INVALID_CONSTANT', bytes: /^\0\0[\0-\xff]\x04\0/ },
    sentence: '{host} accepts only HTTP/2 without TLS, and webhooks use HTTP/1.1',
    fix: 'Allow HTTP/1.1 in the receiver, such as with http.createServer instead of http2.createServer.',
  },
  {
    when: { code: 'HPE_HEADER_OVERFLOW' },
    sentence: '{host} sent response headers that exceed 16 KiB',
    fix: 'Send fewer or smaller response headers, such as cookies.',
  },
  {
    when: { text: /Unexpected whitespace after header value/ },
    sentence: '{host} sent a response header on several lines (obs-fold), which HTTP/1.1 no longer allows',
    fix: 'Write each response header on one line: a header value contains a line break.',
  },
  {
    when: { code: /^HPE_(?:CR|LF)_EXPECTED/ },
    sentence: '{host} ended a line of its response headers with a bare LF instead of CRLF',
    fix: 'End each line of the response headers with \\r\\n.',
  },
  {
    when: { code: 'HPE_UNEXPECTED_CONTENT_LENGTH' },
    sentence: '{host} sent the response header Content-Length twice',
    fix: 'Remove one: the framework or a proxy adds the header too.',
  },
  {
    when: { code: 'HPE_INVALID_CONTENT_LENGTH' },
    sentence: '{host} sent an invalid response header Content-Length',
    fix: 'Send the number of bytes of the body, once.',
  },
  {
    when: { code: 'HPE_INVALID_TRANSFER_ENCODING' },
    sentence: '{host} sent the response headers Content-Length and Transfer-Encoding together',
    fix: 'Remove Content-Length from the response: the framework sends the body in chunks.',
  },
  {
    when: { code: 'HPE_INVALID_HEADER_TOKEN' },
    sentence: '{host} sent an invalid character in its response headers',
    fix: 'Remove spaces before the colon, and control characters from the response headers.',
  },
  {
    when: { code: /^HPE_/ },
    sentence: '{host} did not respond with HTTP/1.1: check that an HTTP server listens there',
  },
];

const TIMEOUT = /^(?:timeout|ABORT_ERR|ETIMEDOUT)$/;
const CONNECTION_LOST = /^(?:ECONNRESET|EPIPE)$/;

const networkProblems: readonly TransportProblem[] = [
  { when: { code: 'stopped' }, sentence: 'the emulator stopped before the attempt ended' },
  {
    when: { code: TIMEOUT, stage: 'connecting' },
    outcome: 'timeout',
    sentence: 'no connection to {host} within {limit}',
    fix: 'Check that no firewall drops connections to this address and port, or change the endpoint URL',
    command: UPDATE,
  },
  {
    // Only a local server compiles.
    when: { code: TIMEOUT, stage: 'waiting', isFirst: true, place: 'local' },
    outcome: 'timeout',
    sentence:
      '{host} did not respond within {limit}; a dev server compiles at the first request, so the next attempt can succeed',
  },
  {
    when: { code: TIMEOUT, stage: 'waiting' },
    outcome: 'timeout',
    sentence: '{host} did not respond within {limit}',
  },
  {
    when: { code: TIMEOUT },
    outcome: 'timeout',
    sentence: '{host} started a response but did not finish it within {limit}{received}',
  },
  {
    when: { code: 'ENOTFOUND' },
    outcome: 'dns_error',
    sentence: '{hostname} does not resolve: check the host name',
  },
  {
    when: { code: 'EAI_AGAIN' },
    outcome: 'dns_error',
    sentence: 'no name server responded for {hostname}: check that this machine is online',
    fix: 'Connect this machine to the network, and check its name server.',
  },
  { when: { code: /^EAI_/ }, outcome: 'dns_error', sentence: '{hostname} does not resolve ({code})' },
  {
    // A receiver that has responded runs in the same container.
    when: { code: 'ECONNREFUSED', isFirst: true, place: 'container' },
    sentence: `${CONNECTION_REFUSED} by {tried}: nothing is listening there. svc runs in a container: for a receiver outside it, use host.docker.internal`,
  },
  {
    when: { code: 'ECONNREFUSED' },
    sentence: `${CONNECTION_REFUSED} by {tried}: nothing is listening there`,
  },
  {
    when: { code: /^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/ },
    sentence: 'no route from this machine to {tried}',
  },
  {
    when: { code: CONNECTION_LOST, stage: 'headers' },
    sentence: '{host} {action} the connection while it sent the response headers',
  },
  {
    when: { code: CONNECTION_LOST, stage: 'body' },
    sentence: '{host} {action} the connection while it sent the response body{received}',
  },
  {
    // A server that expects TLS ends a connection with plain HTTP in the same way as one that crashes.
    when: { code: CONNECTION_LOST, stage: 'waiting', isFirst: true, protocol: 'http:' },
    sentence:
      '{host} {action} the connection without a response: it may expect HTTPS, or it crashed while it handled the request',
    fix: 'Read the log of the receiver. If it expects HTTPS, register the https:// URL',
    command: 'svc webhooks update {webhook} --url {https_url}',
  },
  {
    when: { code: CONNECTION_LOST },
    sentence: '{host} {action} the connection before it responded',
  },
  { when: { code: /^ERR_INVALID_/ }, sentence: 'the request cannot be sent: {message}' },
];

export const transportProblems: readonly TransportProblem[] = [
  ...ownProblems,
  ...tlsProblems.map((row) => ({
    ...row,
    outcome: 'tls_error' as const,
    when: { ...row.when, protocol: 'https:' as const },
  })),
  ...httpProblems,
  ...networkProblems,
];

export function findTransportProblem(facts: FailureFacts): TransportProblem | undefined {
  const matches = ([name, expected]: [string, unknown]) => {
    const fact = facts[name as keyof FailureFacts];
    return expected instanceof RegExp ? expected.test(String(fact)) : fact === expected;
  };
  return transportProblems.find(({ when }) => Object.entries(when).every(matches));
}

/** What to do about an attempt: the fix of the problem whose sentence its error is, or else that of its cause. */
export function listFixes(cause: FixableCause, error: string | null, values: Values): Hint[] {
  const isSentence = ({ sentence }: TransportProblem) =>
    sentence.split(/\{\w+\}/).every((part) => error?.includes(part));
  const problem = transportProblems.find((row) => row.fix !== undefined && isSentence(row));
  const { fix, command } = problem ?? causeFixes[cause] ?? {};
  return fix === undefined ? [] : [toHint({ fix, command }, values)];
}
