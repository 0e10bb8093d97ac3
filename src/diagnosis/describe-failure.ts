/** Describes why an exchange failed, and what to do about it. */
import { existsSync } from 'node:fs';
import { type AttemptOutcome, CONNECTION_REFUSED } from '../domain/delivery.ts';
import { formatDuration } from '../domain/duration.ts';
import { addBrackets } from '../domain/http-url.ts';
import { formatCount } from '../domain/message-parts.ts';
import { classifyAddress, classifyHost } from '../domain/network-address.ts';
import { BlockedError } from '../platform/address-policy.ts';
import { ProxyError } from '../platform/connector.ts';
import { type Exchange, type NetworkError, ProtocolError } from '../platform/outbound-client.ts';
import { describeTransportProblem } from './transport-problems.ts';

interface FailureContext extends Pick<Exchange, 'stage' | 'response'> {
  readonly url: URL;
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** Whether the URL has responded to no request so far (default: false). */
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
  const problem = describeTransportProblem(failure, context);
  if (problem !== null) return problem;
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
    // The time limit of a connection.
    case 'ABORT_ERR':
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
      if (code.startsWith('HPE_')) return toConnectionError(describeInvalidHttp(context));
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
  // A receiver that has responded runs in the same container.
  return isInContainer && isLoopback && context.isFirst !== false
    ? `${refused}. svc runs in a container: for a receiver outside it, use host.docker.internal`
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

function describeInvalidHttp({ stage, response, url }: FailureContext): string {
  return stage === 'body'
    ? `the response body of ${url.host} is malformed${describeReceived(response)}`
    : `${url.host} did not respond with HTTP/1.1: check that an HTTP server listens there`;
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
