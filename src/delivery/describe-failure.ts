/** Describes why an exchange failed, and what to do about it. */
import { type AttemptOutcome, CONNECTION_REFUSED } from '../domain/delivery.ts';
import { formatDuration } from '../domain/duration.ts';
import { addBrackets } from '../domain/http-url.ts';
import { formatCount } from '../domain/message-parts.ts';
import { BlockedError } from '../network/address-policy.ts';
import { ProxyError } from './connector.ts';
import {
  type ExchangeFailure,
  type ExchangeResult,
  HEADERS_LIMIT_BYTES,
  type NetworkError,
  ProtocolError,
} from './outbound-exchange.ts';

interface FailureContext extends Pick<ExchangeResult, 'stage' | 'response' | 'closedReusedConnection'> {
  readonly url: URL;
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number;
}

interface AttemptFailure {
  readonly outcome: AttemptOutcome;
  readonly error: string;
}

export function describeFailure(
  failure: NonNullable<ExchangeFailure>,
  context: FailureContext,
): AttemptFailure {
  if (failure === 'timeout') return { outcome: 'timeout', error: describeTimeout(context) };
  if (failure === 'stopped') return stoppedFailure;
  if (failure instanceof BlockedError) return { outcome: 'blocked', error: failure.message };
  if (failure instanceof ProxyError) return toConnectionError(failure.message);
  if (failure instanceof ProtocolError) return toConnectionError(`${context.url.host} ${failure.violation}`);
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
  // The code of an HTTPParserError is the violated rule of HTTP, such as HPE_INVALID_VERSION.
  const code = error.name === 'HTTPParserError' ? error.name : (error.code ?? error.name);
  switch (code) {
    case 'ENOTFOUND':
      return { outcome: 'dns_error', error: `${hostname} does not resolve: check the host name` };
    case 'EAI_AGAIN':
      return {
        outcome: 'dns_error',
        error: `no name server responded for ${hostname}: check that this machine is online`,
      };
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return { outcome: 'timeout', error: describeTimeout(context) };
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return stoppedFailure;
    case 'ECONNREFUSED':
      return toConnectionError(
        `${CONNECTION_REFUSED} by ${listTriedAddresses(error, host)}: nothing is listening there`,
      );
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return toConnectionError(`no route from this machine to ${listTriedAddresses(error, host)}`);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return toConnectionError(describeLostConnection(error, context));
    case 'UND_ERR_HEADERS_OVERFLOW':
      return toConnectionError(`the response headers of ${host} exceed ${HEADERS_LIMIT_BYTES / 1024} KiB`);
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return toConnectionError(`the response body of ${host} does not match its Content-Length`);
    case 'HTTPParserError':
      return toConnectionError(describeInvalidHttp(error, context));
    default:
      if (code.startsWith('EAI_'))
        return { outcome: 'dns_error', error: `${hostname} does not resolve (${code})` };
      return toConnectionError(`${code}: ${error.message}`);
  }
}

function toConnectionError(error: string): AttemptFailure {
  return { outcome: 'connection_error', error };
}

function describeTimeout(context: FailureContext): string {
  const { stage, response, url, connectTimeoutMs, attemptTimeoutMs } = context;
  if (stage === 'connecting') {
    return `no connection to ${url.host} within ${formatDuration(Math.min(connectTimeoutMs, attemptTimeoutMs))}`;
  }
  const within = `within ${formatDuration(attemptTimeoutMs)}`;
  if (stage === 'waiting') return `${url.host} did not respond ${within}`;
  return `${url.host} started a response but did not finish it ${within}${describeReceived(response)}`;
}

function describeLostConnection(
  error: NetworkError,
  { stage, response, closedReusedConnection, url }: FailureContext,
): string {
  const action = error.code === 'UND_ERR_SOCKET' ? 'closed' : 'reset';
  if (stage === 'headers') return `${url.host} ${action} the connection while it sent the response headers`;
  if (stage === 'body')
    return `${url.host} ${action} the connection while it sent the response body${describeReceived(response)}`;
  if (closedReusedConnection) {
    return `${url.host} ${action} a keep-alive connection before responding; the next attempts use new connections`;
  }
  const hint = url.protocol === 'http:' ? ' (if it expects TLS, use an https:// URL)' : '';
  return `${url.host} ${action} the connection before it responded${hint}`;
}

function describeInvalidHttp(error: NetworkError, { stage, response, url }: FailureContext): string {
  if (stage === 'body') return `the response body of ${url.host} is malformed${describeReceived(response)}`;
  // A TLS record with an alert begins with these bytes.
  if (error.data?.startsWith('\x15\x03')) return `${url.host} expects TLS: use an https:// URL`;
  return `${url.host} did not respond with HTTP/1.1: check that an HTTP server listens there`;
}

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
  return PLAIN_TEXT_RESPONSE.test(error.reason ?? error.message)
    ? `${url.host} does not speak TLS: use an http:// URL`
    : `the TLS handshake with ${url.host} failed: ${error.reason ?? error.message}`;
}
