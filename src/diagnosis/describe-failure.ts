/** Describes why an exchange failed. */
import { existsSync } from 'node:fs';
import type { AttemptOutcome } from '../domain/delivery.ts';
import { formatDuration } from '../domain/duration.ts';
import { addBrackets } from '../domain/http-url.ts';
import { formatCount } from '../domain/message-parts.ts';
import { classifyAddress, classifyHost } from '../domain/network-address.ts';
import type { Exchange, NetworkError } from '../platform/outbound-client.ts';
import { fill } from './sentences.ts';
import { findTransportProblem } from './transport-problems.ts';

interface FailureContext extends Pick<Exchange, 'stage' | 'response'> {
  readonly url: URL;
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** Whether every earlier request to the URL failed before a response or a timeout. */
  readonly isFirst: boolean;
}

/** Exist only in containers of Docker and Podman. */
const containerFiles = ['/.dockerenv', '/run/.containerenv'];

/** The outcome and the error of an attempt: those of the first transport problem that matches. */
export function describeFailure(
  failure: NonNullable<Exchange['failure']>,
  { url, stage, response, connectTimeoutMs, attemptTimeoutMs, isFirst }: FailureContext,
): { readonly outcome: AttemptOutcome; readonly error: string } {
  const error: NetworkError =
    typeof failure === 'string' ? { code: failure, name: '', message: '' } : failure;
  const { code = error.name, name, message, reason = message, rawPacket = new Uint8Array() } = error;
  const tried = (error.errors ?? [error]).flatMap(({ code: ownCode, address, port }) =>
    ownCode === code && address !== undefined && port !== undefined ? [{ address, port }] : [],
  );
  const isInContainer =
    tried.some(({ address }) => classifyAddress(address).kind === 'loopback') &&
    containerFiles.some((path) => existsSync(path));
  const ofHost = classifyHost(url.hostname).kind === 'public' ? 'public' : 'local';
  const found = findTransportProblem({
    code,
    name,
    text: `${code}\n${message}\n${reason}`,
    bytes: Buffer.from(rawPacket).toString('latin1'),
    stage,
    protocol: url.protocol === 'https:' ? 'https:' : 'http:',
    isFirst,
    place: isInContainer ? 'container' : ofHost,
  });
  const { outcome = 'connection_error', sentence = '{code}: {message}' } = found ?? {};
  const received =
    response &&
    `; received status ${response.status} and ${formatCount(response.body.length, 'byte')} of the body`;
  const limitMs = stage === 'connecting' ? Math.min(connectTimeoutMs, attemptTimeoutMs) : attemptTimeoutMs;
  const values = {
    code,
    message,
    reason,
    host: url.host,
    hostname: url.hostname,
    received: received ?? '',
    names: error.cert?.subjectaltname ?? 'no host',
    action: error.syscall === undefined ? 'closed' : 'reset',
    tried: tried.map(({ address, port }) => `${addBrackets(address)}:${port}`).join(' and ') || url.host,
    limit: formatDuration(limitMs),
  };
  return { outcome, error: fill(sentence, values) };
}
