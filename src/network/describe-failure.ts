/** Describes why an exchange failed, and what to do about it. */
import { existsSync } from 'node:fs';
import { type AttemptOutcome, CONNECTION_REFUSED } from '../domain/delivery.ts';
import { formatDuration } from '../domain/duration.ts';
import { addBrackets } from '../domain/http-url.ts';
import { formatCount } from '../domain/message-parts.ts';
import { classifyAddress, classifyHost } from '../domain/network-address.ts';
import { BlockedError } from './address-policy.ts';
import { type Exchange, HEADERS_LIMIT_BYTES, type NetworkError, ProtocolError } from './outbound-client.ts';
import { ProxyError } from './proxy-tunnel.ts';

interface FailureContext extends Pick<Exchange, 'stage' | 'response'> {
  readonly url: URL;
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** Whether the origin has responded to no request so far (default: false). */
  readonly isFirst?: boolean;
  /** Default: whether this process runs in one. */
  readonly isInContainer?: boolean;
}

interface AttemptFailure {
  readonly outcome: AttemptOutcome;
  readonly error: string;
}

export function describeFailure(
  failure: NonNullable<Exchange['failure']>,
  context: FailureContext,
): AttemptFailure {
  if (failure === 'timeout') return { outcome: 'timeout', error: describeTimeout(context) };
  if (failure === 'stopped') return stoppedFailure;
  if (failure instanceof BlockedError) return { outcome: 'blocked', error: failure.message };
  if (failure instanceof ProxyError) return toConnectionError(failure.message);
  if (failure instanceof ProtocolError) return toConnectionError(`${context.url.host} ${failure.message}`);
  const tlsProblem = context.url.protocol === 'https:' ? findTlsProblem(failure, context) : null;
  if (tlsProblem !== null) return { outcome: 'tls_error', error: tlsProblem };
  return describeNetworkError(failure, context);
}

const stoppedFailure: AttemptFailure = {
  outcome: 'connection_error',
  error: 'the emulator stopped before the attempt ended',
};

function describeNetworkError(error: NetworkError, context: FailureContext): AttemptFailure {
  const { host, hostname } = context.url;
  if (error.name === 'NetConnectNotAllowedError') {
    return toConnectionError(`nock blocks ${host}: allow it with nock.enableNetConnect('${hostname}')`);
  }
  const code = error.code ?? error.name;
  switch (code) {
    case 'ENOTFOUND':
      return { outcome: 'dns_error', error: `${hostname} does not resolve: check the host name` };
    case 'EAI_AGAIN':
      return {
        outcome: 'dns_error',
        error: `no name server responded for ${hostname}: check that this machine is online`,
      };
    case 'ETIMEDOUT':
      return { outcome: 'timeout', error: describeTimeout(context) };
    case 'ECONNREFUSED':
      return toConnectionError(describeRefusal(error, context));
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return toConnectionError(`no route from this machine to ${listTriedAddresses(error, host)}`);
    case 'ECONNRESET':
    case 'EPIPE':
      return toConnectionError(describeLostConnection(error, context));
    default:
      if (code.startsWith('EAI_'))
        return { outcome: 'dns_error', error: `${hostname} does not resolve (${code})` };
      if (code.startsWith('HPE_')) return toConnectionError(describeInvalidHttp(error, context));
      if (code.startsWith('ERR_INVALID_')) {
        return toConnectionError(`the request cannot be sent: ${error.message}`);
      }
      return toConnectionError(`${code}: ${error.message}`);
  }
}

function toConnectionError(error: string): AttemptFailure {
  return { outcome: 'connection_error', error };
}

/** Exist only in containers of Docker and Podman. */
const containerFiles = ['/.dockerenv', '/run/.containerenv'];

function describeRefusal(error: NetworkError, context: FailureContext): string {
  const { isInContainer = containerFiles.some((path) => existsSync(path)) } = context;
  const tried = (error.errors ?? [error]).flatMap(({ address }) => address ?? []);
  const isLoopback = tried.some((address) => classifyAddress(address).kind === 'loopback');
  const refused = `${CONNECTION_REFUSED} by ${listTriedAddresses(error, context.url.host)}: nothing is listening there`;
  return isInContainer && isLoopback
    ? `${refused}. svc runs in a container: for a receiver outside it, use the host host.docker.internal`
    : refused;
}

function describeTimeout(context: FailureContext): string {
  const { stage, response, url, connectTimeoutMs, attemptTimeoutMs, isFirst } = context;
  if (stage === 'connecting') {
    return `no connection to ${url.host} within ${formatDuration(Math.min(connectTimeoutMs, attemptTimeoutMs))}`;
  }
  const within = `within ${formatDuration(attemptTimeoutMs)}`;
  if (stage === 'waiting') {
    // Only a local server compiles.
    const hint =
      isFirst && classifyHost(url.hostname).kind !== 'public'
        ? '; a dev server compiles at the first request, so the next attempt can succeed'
        : '';
    return `${url.host} did not respond ${within}${hint}`;
  }
  return `${url.host} started a response but did not finish it ${within}${describeReceived(response)}`;
}

function describeLostConnection(error: NetworkError, { stage, response, url }: FailureContext): string {
  const action = error.syscall === undefined ? 'closed' : 'reset';
  if (stage === 'headers') return `${url.host} ${action} the connection while it sent the response headers`;
  if (stage === 'body')
    return `${url.host} ${action} the connection while it sent the response body${describeReceived(response)}`;
  const hint = url.protocol === 'http:' ? ' (if it expects TLS, use an https:// URL)' : '';
  return `${url.host} ${action} the connection before it responded${hint}`;
}

/** Violations of HTTP by the code of the parser, as a phrase that follows the host. */
const httpViolations: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `sent response headers that exceed ${HEADERS_LIMIT_BYTES / 1024} KiB`,
  HPE_CR_EXPECTED: 'ended a line of its response headers with a bare LF instead of CRLF',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'sent the response header Content-Length twice',
  HPE_INVALID_CONTENT_LENGTH: 'sent an invalid response header Content-Length',
  HPE_INVALID_TRANSFER_ENCODING: 'sent the response headers Content-Length and Transfer-Encoding together',
  HPE_INVALID_HEADER_TOKEN: 'sent an invalid character in its response headers',
};
const FOLDED_HEADER = 'sent a response header on several lines (obs-fold), which HTTP/1.1 no longer allows';
/** The reason of the parser for such a header. */
const AFTER_HEADER_VALUE = /whitespace after header value/i;
/** The start of the first frame of HTTP/2, SETTINGS. */
const HTTP2_FRAME = /^\0\0.\x04/s;

function describeInvalidHttp(error: NetworkError, { stage, response, url }: FailureContext): string {
  if (stage === 'body') return `the response body of ${url.host} is malformed${describeReceived(response)}`;
  const bytes = error.rawPacket?.toString('latin1') ?? '';
  // A TLS record with an alert begins with these bytes.
  if (bytes.startsWith('\x15\x03')) return `${url.host} expects TLS: use an https:// URL`;
  if (HTTP2_FRAME.test(bytes)) return `${url.host} ${ONLY_HTTP2}`;
  const violation = AFTER_HEADER_VALUE.test(error.reason ?? '')
    ? FOLDED_HEADER
    : httpViolations[error.code ?? ''];
  return violation === undefined
    ? `${url.host} did not respond with HTTP/1.1: check that an HTTP server listens there`
    : `${url.host} ${violation}`;
}

const ONLY_HTTP2 = 'speaks only HTTP/2: enable HTTP/1.1 on the receiver';

function describeReceived(response: FailureContext['response']): string {
  return response === null
    ? ''
    : `; received status ${response.status} and ${formatCount(response.body.length, 'byte')} of the body`;
}

/** The addresses that failed with this error; the host if they are not known. */
function listTriedAddresses(error: NetworkError, host: string): string {
  const addresses = (error.errors ?? [error]).flatMap(({ code, address, port }) =>
    code === error.code && address !== undefined && port !== undefined
      ? [`${addBrackets(address)}:${port}`]
      : [],
  );
  return addresses.length === 0 ? host : addresses.join(' and ');
}

const HOW_TO_TRUST = 'to trust it, pass its file with --ca';
const UNKNOWN_AUTHORITY = `was issued by an unknown authority; ${HOW_TO_TRUST}`;

/** Certificate errors of OpenSSL, as a phrase that follows `the certificate of <host>`. */
const certificateProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet; check the clock of this machine',
  CERT_REVOKED: 'was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: `is self-signed; ${HOW_TO_TRUST}`,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  // Reported for a chain of one certificate: an intermediate one may be missing.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${UNKNOWN_AUTHORITY}, or configure the receiver to send its intermediate certificates`,
};

/** Other certificate errors of OpenSSL. */
const OTHER_CERTIFICATE_ERROR =
  /^(?:CERT_|CRL_|INVALID_|PATH_LENGTH_|UNABLE_TO_|ERROR_IN_CERT_|HOSTNAME_MISMATCH$)/;
/** Errors of OpenSSL for a response in plain text. */
const PLAIN_TEXT_RESPONSE = /wrong version number|packet length too long|http request/i;

/** Describes a TLS failure; null for any other failure. */
function findTlsProblem(error: NetworkError, { url, stage }: FailureContext): string | null {
  const code = error.code ?? '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = error.cert?.subjectaltname ?? 'no host';
    return `the certificate of ${url.host} is for ${names}, not for ${url.hostname}`;
  }
  const problem =
    certificateProblems[code] ?? (OTHER_CERTIFICATE_ERROR.test(code) ? `is rejected: ${code}` : undefined);
  if (problem !== undefined) return `the certificate of ${url.host} ${problem}`;
  if (code === 'ECONNRESET' && stage === 'connecting') {
    return `${url.host} closed the connection during the TLS handshake: if it speaks plain HTTP, use an http:// URL`;
  }
  if (!/^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code)) return null;
  if (code.endsWith('ALERT_NO_APPLICATION_PROTOCOL')) return `${url.host} ${ONLY_HTTP2}`;
  return PLAIN_TEXT_RESPONSE.test(error.reason ?? error.message)
    ? `${url.host} does not speak TLS: use an http:// URL`
    : `the TLS handshake with ${url.host} failed: ${error.reason ?? error.message}`;
}
