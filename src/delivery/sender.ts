/** Sends requests to receivers and classifies the results (§6, gaps `delivery.*`). */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { PhaseDurations } from '../domain/attempt-phases.ts';
import type { AttemptOutcome } from '../domain/delivery.ts';
import { MINUTE_MS } from '../domain/duration.ts';
import { parseUrl } from '../domain/http-url.ts';
import { parseRetryAfter } from '../domain/retry-policy.ts';
import { SvcError } from '../errors.ts';
import { createOutOfFileDescriptorsError, isOutOfFileDescriptors, loadUndici } from './connector.ts';
import { describeFailure } from './describe-failure.ts';
import { OutboundAgent, type OutboundAgentOptions, type SendLimits } from './outbound-agent.ts';
import {
  type ExchangeResult,
  type NetworkError,
  OutboundExchange,
  type OutboundRequest,
  type ReceivedResponse,
} from './outbound-exchange.ts';

export interface SendRequest {
  readonly url: string;
  /** Validated before anything is sent. `Content-Length`, `Connection` and `Host` are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Accept any certificate. */
  readonly insecureTls?: boolean;
  /** Real time over which to write the body in small parts (default: at once). */
  readonly writeOverMs?: number;
}

type SendTarget = Pick<SendRequest, 'url' | 'insecureTls'>;

export interface SendResult {
  readonly outcome: AttemptOutcome;
  /** Null if the response headers did not arrive completely, or a fault lost the response; a fault can also set it. */
  readonly responseStatus: number | null;
  /** What went wrong, in some cases with what to do about it; null on success. */
  readonly error: string | null;
  /** Real time. */
  readonly durationMs: number;
  /** The phases, in real time; null if nothing was sent because of a fault. */
  readonly phases: PhaseDurations | null;
  /**
   * The received part of the response, even if its body broke off. Null if its headers did not arrive completely, or a fault lost
   * it; a fault can also set it.
   */
  readonly response: Pick<ReceivedResponse, 'headers' | 'body' | 'truncated'> | null;
  /** The delay that `Retry-After` requests; null without a valid one. */
  readonly retryAfterMs: number | null;
}

export interface ConnectResult {
  readonly outcome: 'connected' | AttemptOutcome;
  /** What went wrong, in some cases with what to do about it; null on success. */
  readonly error: string | null;
  /** Real time. */
  readonly durationMs: number;
  /** The address of the connection, which can be that of a proxy; null without a connection. */
  readonly address: string | null;
  /** The accepted certificate, `validTo` in milliseconds since 1970; null without TLS. */
  readonly certificate: { readonly issuer: string; readonly validTo: number } | null;
}

export interface Sender {
  /** Loads the HTTP client, which the first `send` would otherwise wait for. If this rejects, `send` tries again. */
  loadHttpClient(): Promise<void>;
  /**
   * POSTs the body. Whatever the receiver does is returned, not thrown.
   * @throws SvcError `internal_error` for an invalid URL or header, or if the process has no free file descriptor
   */
  send(request: SendRequest): Promise<SendResult>;
  /**
   * Opens a connection and closes it. Whatever the receiver does is returned, not thrown.
   * @throws SvcError `internal_error` for an invalid URL, or if the process has no free file descriptor
   */
  connect(target: SendTarget): Promise<ConnectResult>;
  /** Closes the connections of all `send` requests at once. Those in flight end as a `connection_error`. */
  close(): Promise<void>;
}

/** Maximum real time between two parts of a slow body, if it has enough bytes for so many parts. */
const SLOW_BODY_PART_MS = 100;

/** How long requests to an origin use new connections after it closed a reused one. */
const UNRELIABLE_ORIGIN_MS = 5 * MINUTE_MS;
/** Maximum number of such origins. */
const MAX_UNRELIABLE_ORIGINS = 1_000;

/** Errors of undici for an invalid request, for example a line break in a header. */
const INVALID_REQUEST_CODES = new Set<string | undefined>([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** @throws SvcError `usage` for an invalid `ca` or `proxy` */
export function createSender(options: OutboundAgentOptions): Sender {
  const { wall, limits } = options;
  const agent = new OutboundAgent(options);
  /**
   * Origins that recently closed a reused connection, oldest first. Until this monotonic time, each request gets a new
   * connection, because another reused one can fail too.
   */
  const unreliableUntil = new Map<string, number>();

  return {
    loadHttpClient: () => loadUndici(),

    async send(request) {
      const url = parseHttpUrl(request.url);
      await loadUndici();
      const startedAt = wall.monotonic();
      const exchange = new OutboundExchange(limits.attemptTimeoutMs, limits.responseLimitBytes, wall);
      const target = {
        origin: url.origin,
        insecureTls: request.insecureTls ?? false,
        usesNewConnection: startedAt < (unreliableUntil.get(url.origin) ?? Number.NEGATIVE_INFINITY),
      };
      agent.dispatch(target, toPost(url, request, exchange));
      const result = await exchange.result;
      const endedAt = wall.monotonic();
      if (result.closedReusedConnection) {
        // Do not send it again: the receiver may have read it, and an attempt is one request.
        unreliableUntil.delete(url.origin);
        unreliableUntil.set(url.origin, endedAt + UNRELIABLE_ORIGIN_MS);
        const [oldest] = unreliableUntil.keys();
        if (unreliableUntil.size > MAX_UNRELIABLE_ORIGINS && oldest !== undefined)
          unreliableUntil.delete(oldest);
      }
      return toSendResult(result, url, limits, endedAt - startedAt, wall.now());
    },

    async connect({ url: address, insecureTls = false }) {
      const url = parseHttpUrl(address);
      await loadUndici();
      const startedAt = wall.monotonic();
      try {
        const socket = await agent.connect({ origin: url.origin, insecureTls });
        const connected = { outcome: 'connected', error: null, ...describeSocket(socket) } as const;
        socket.destroy();
        return { ...connected, durationMs: wall.monotonic() - startedAt };
      } catch (error) {
        if (isOutOfFileDescriptors(error)) throw createOutOfFileDescriptorsError(error);
        const failure = describeFailure(error as NetworkError, {
          ...limits,
          url,
          stage: 'connecting',
          response: null,
          closedReusedConnection: false,
        });
        return { ...failure, durationMs: wall.monotonic() - startedAt, address: null, certificate: null };
      }
    },

    close: () => agent.close(),
  };
}

function describeSocket(socket: Socket): Pick<ConnectResult, 'address' | 'certificate'> {
  const { remoteAddress: address = null } = socket;
  if (!(socket instanceof TLSSocket)) return { address, certificate: null };
  const { issuer, valid_to: validTo } = socket.getPeerCertificate();
  return { address, certificate: { issuer: String(issuer.O ?? issuer.CN), validTo: Date.parse(validTo) } };
}

function toPost(url: URL, request: SendRequest, exchange: OutboundExchange): OutboundRequest {
  const path = `${url.pathname}${url.search}`;
  if (request.writeOverMs === undefined) {
    // A literal without a spread, because undici reads an object with fields after a spread slowly.
    return { path, method: 'POST', headers: request.headers, body: request.body, exchange };
  }
  const bytes = Buffer.from(request.body);
  const headers = { ...request.headers, 'Content-Length': String(bytes.length) };
  const body = Readable.from(writeSlowly(bytes, request.writeOverMs), { objectMode: false });
  exchange.followBody(body);
  return { path, method: 'POST', headers, body, exchange };
}

function toSendResult(
  result: ExchangeResult,
  url: URL,
  limits: SendLimits,
  durationMs: number,
  wallNowMs: number,
): SendResult {
  const { response } = result;
  const { outcome, error } = toOutcome(result, url, limits);
  const retryAfter = response?.headers['retry-after'];
  return {
    outcome,
    error,
    responseStatus: response?.status ?? null,
    durationMs,
    phases: result.phases,
    response: response && { headers: response.headers, body: response.body, truncated: response.truncated },
    retryAfterMs: retryAfter === undefined ? null : parseRetryAfter(retryAfter, wallNowMs),
  };
}

function toOutcome(
  result: ExchangeResult,
  url: URL,
  limits: SendLimits,
): Pick<SendResult, 'outcome' | 'error'> {
  const { failure, response } = result;
  // A failure of the emulator, not of the receiver: nothing was sent.
  if (isOutOfFileDescriptors(failure)) throw createOutOfFileDescriptorsError(failure);
  if (failure instanceof Error && INVALID_REQUEST_CODES.has(failure.code)) {
    const { message } = failure;
    throw new SvcError('internal_error', `The request cannot be sent: ${message}.`, { cause: failure });
  }
  if (failure !== null) return describeFailure(failure, { ...limits, ...result, url });
  const status = response?.status ?? 0;
  if (status >= 200 && status < 300) return { outcome: 'succeeded', error: null };
  return { outcome: 'http_error', error: describeStatus(status, response?.headers.location) };
}

function describeStatus(status: number, location: string | undefined): string {
  const responded = `the receiver responded with ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  return isRedirect ? `${responded}; redirects are not followed, so register ${location} instead` : responded;
}

function parseHttpUrl(text: string): URL {
  const url = parseUrl(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new SvcError(
    'internal_error',
    `The request cannot be sent: ${JSON.stringify(text)} is not an HTTP URL.`,
  );
}

/** Yields the bytes in equal parts, the last one after `overMs` of real time. */
async function* writeSlowly(body: Buffer, overMs: number): AsyncGenerator<Buffer> {
  const count = Math.max(1, Math.min(body.length, Math.ceil(overMs / SLOW_BODY_PART_MS)));
  for (let i = 0; i < count; i++) {
    // An attempt that has timed out must not keep the process alive.
    await sleep(overMs / count, undefined, { ref: false });
    yield body.subarray(Math.floor((i * body.length) / count), Math.floor(((i + 1) * body.length) / count));
  }
}
