/** Violations of TLS and HTTP by receivers: how Node.js and OpenSSL report each, what it means, and what to do. */
import type { NetworkError } from '../platform/outbound-client.ts';
import { type Fix, fill } from './sentences.ts';

interface TransportProblem extends Fix {
  /** Matches the code, the stage of the exchange and the messages of the error. */
  readonly error: RegExp;
  /** Matches the first bytes of the response, as Latin-1. */
  readonly bytes?: RegExp;
  /** What happened, after which nothing more is known. */
  readonly sentence: string;
}

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
];

export const transportProblems: readonly TransportProblem[] = [...tlsProblems, ...httpProblems];

/** The result of an attempt that ended with a violation, without its fix; null for another error. */
export function describeTransportProblem(
  { code = '', message, reason, rawPacket = new Uint8Array(), cert }: NetworkError,
  { url, stage }: { readonly url: URL; readonly stage: string },
): { readonly outcome: 'tls_error' | 'connection_error'; readonly error: string } | null {
  const bytes = Buffer.from(rawPacket).toString('latin1');
  const text = `${code} ${stage} ${message} ${reason ?? ''}`;
  const candidates = [
    ...(url.protocol === 'https:' ? tlsProblems : []),
    ...(stage === 'body' ? [] : httpProblems),
  ];
  const found = candidates.find((row) => row.error.test(text) && (row.bytes?.test(bytes) ?? true));
  if (found === undefined) return null;
  const { host, hostname } = url;
  const names = cert?.subjectaltname ?? 'no host';
  return {
    outcome: tlsProblems.includes(found) ? 'tls_error' : 'connection_error',
    error: fill(found.sentence, { host, hostname, code, reason: reason ?? message, names }),
  };
}

/** What to do about the error of an attempt: the row whose sentence it is; undefined if it is not in the table. */
export function findTransportProblem(error: string): TransportProblem | undefined {
  const isSentence = ({ sentence }: TransportProblem) =>
    sentence.split(/\{\w+\}/).every((part) => error.includes(part));
  return transportProblems.find(isSentence);
}
