/** Why an exchange failed, in words that say what to do next. */
import type { AttemptOutcome } from '../domain/delivery.ts';
import { formatDuration } from '../domain/duration.ts';
import { BlockedError, formatAuthority } from '../network/address-policy.ts';
import {
  type ExchangeFailure,
  type ExchangeResult,
  HEADERS_LIMIT_BYTES,
  type NetworkError,
  ProtocolError,
} from './outbound-exchange.ts';
import { ProxyError } from './proxy-tunnel.ts';
import { findTlsProblem } from './tls-failure.ts';

export interface FailureContext
  extends Pick<ExchangeResult, 'exchangeStage' | 'response' | 'closedReusedConnection'> {
  readonly url: URL;
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number;
}

export interface AttemptFailure {
  readonly outcome: AttemptOutcome;
  readonly error: string;
}

export function describeFailure(
  failure: NonNullable<ExchangeFailure>,
  context: FailureContext,
): AttemptFailure {
  if (failure === 'timeout') return { outcome: 'timeout', error: timedOut(context) };
  if (failure === 'stopped') return stopped;
  if (failure instanceof BlockedError) return { outcome: 'blocked', error: failure.message };
  if (failure instanceof ProxyError) return broken(failure.message);
  if (failure instanceof ProtocolError) return broken(`${context.url.host} ${failure.violation}`);
  const tlsProblem = context.url.protocol === 'https:' ? findTlsProblem(failure, context) : null;
  if (tlsProblem !== null) return { outcome: 'tls_error', error: tlsProblem };
  return describeNetworkError(failure, context);
}

const stopped: AttemptFailure = {
  outcome: 'connection_error',
  error: 'the emulator stopped before the attempt ended',
};

function describeNetworkError(error: NetworkError, context: FailureContext): AttemptFailure {
  const { host, hostname } = context.url;
  const code = error.name === 'HTTPParserError' ? error.name : (error.code ?? error.name);
  switch (code) {
    case 'ENOTFOUND':
      return { outcome: 'dns_error', error: `${hostname} does not resolve: is the name right?` };
    case 'EAI_AGAIN':
      return {
        outcome: 'dns_error',
        error: `no name server answered for ${hostname}: is this machine online?`,
      };
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return { outcome: 'timeout', error: timedOut(context) };
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return stopped;
    case 'ECONNREFUSED':
      return broken(`connection refused by ${triedAddresses(error, host)}: nothing listens there`);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return broken(`no route from this machine to ${triedAddresses(error, host)}`);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return broken(connectionLost(error, context));
    case 'UND_ERR_HEADERS_OVERFLOW':
      return broken(`the headers of the answer of ${host} exceed ${HEADERS_LIMIT_BYTES / 1024} KiB`);
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return broken(`the body of the answer of ${host} is not as long as its Content-Length says`);
    case 'HTTPParserError':
      return broken(notHttp(error, context));
    default:
      if (code.startsWith('EAI_'))
        return { outcome: 'dns_error', error: `${hostname} does not resolve (${code})` };
      return broken(`${code}: ${error.message}`);
  }
}

function broken(error: string): AttemptFailure {
  return { outcome: 'connection_error', error };
}

function timedOut({
  exchangeStage,
  response,
  url,
  connectTimeoutMs,
  attemptTimeoutMs,
}: FailureContext): string {
  if (exchangeStage === 'connecting') {
    return `no connection to ${url.host} within ${formatDuration(Math.min(connectTimeoutMs, attemptTimeoutMs))}`;
  }
  const within = `within ${formatDuration(attemptTimeoutMs)}`;
  if (exchangeStage === 'waiting') return `${url.host} did not answer ${within}`;
  return `${url.host} began to answer but did not finish ${within}${arrived(response)}`;
}

function connectionLost(
  error: NetworkError,
  { exchangeStage, response, closedReusedConnection, url }: FailureContext,
): string {
  const lost = error.code === 'UND_ERR_SOCKET' ? 'closed' : 'reset';
  if (exchangeStage === 'headers') return `${url.host} ${lost} the connection in the headers of its answer`;
  if (exchangeStage === 'body')
    return `${url.host} ${lost} the connection in the middle of its answer${arrived(response)}`;
  if (closedReusedConnection) {
    return `${url.host} ${lost} a connection that it had kept open, before it answered; the next attempts use new ones`;
  }
  const hint = url.protocol === 'http:' ? ' (if it expects TLS, its address starts with https://)' : '';
  return `${url.host} ${lost} the connection before it answered${hint}`;
}

function notHttp(error: NetworkError, { exchangeStage, response, url }: FailureContext): string {
  if (exchangeStage === 'body')
    return `the body of the answer of ${url.host} is malformed${arrived(response)}`;
  // A TLS record with an alert begins with these bytes.
  if (error.data?.startsWith('\x15\x03')) return `${url.host} expects TLS: its address starts with https://`;
  return `${url.host} did not answer with HTTP/1.1: does another kind of server listen there?`;
}

function arrived(receivedResponse: FailureContext['response']): string {
  return receivedResponse === null
    ? ''
    : `; status ${receivedResponse.status} and ${receivedResponse.body.length} bytes of the body had arrived`;
}

/** The addresses that the error is about, which a host name can have several of. */
function triedAddresses(error: NetworkError, host: string): string {
  const all = (error.errors ?? [error]).flatMap(({ code, address, port }) =>
    code === error.code && address !== undefined && port !== undefined
      ? [formatAuthority(address, port)]
      : [],
  );
  return all.length === 0 ? host : all.join(' and ');
}
