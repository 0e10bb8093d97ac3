/** Sends one request to a receiver and says how it went (§6 of the service description, decisions `delivery.*`). */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { WallClock } from '../domain/clock.ts';
import type { AttemptOutcome } from '../domain/delivery.ts';
import { parseRetryAfter } from '../domain/retry-after.ts';
import { SvcError } from '../errors.ts';
import { describeFailure } from './describe-failure.ts';
import { type ConnectionTarget, OutboundAgent, type OutboundAgentOptions } from './outbound-agent.ts';
import {
  type ExchangeResult,
  type NetworkError,
  OutboundExchange,
  type OutboundRequest,
  type ReceivedResponse,
} from './outbound-exchange.ts';
import { RecentOrigins } from './recent-origins.ts';
import { writeSlowly } from './slow-body.ts';
import { isOutOfFileDescriptors, outOfFileDescriptorsError } from './undici.ts';

export interface SenderOptions extends OutboundAgentOptions {
  /** Reads a `Retry-After` date and measures durations. */
  readonly wall: WallClock;
}

export interface SendRequest {
  readonly url: string;
  /** Checked before anything is sent. `Content-Length`, `Connection` and `Host` are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Take any certificate. */
  readonly insecureTls?: boolean;
  /** Writes the body bit by bit over so much real time; at once when it is left out. */
  readonly writeOverMs?: number;
}

/** Where to, and how. */
export type SendTarget = Pick<SendRequest, 'url' | 'insecureTls'>;

/** Real time, whatever the schedule clock does (decisions `delivery.timeout`, `delivery.response`). */
export interface SendLimits {
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** Bytes of the body that are kept; past them the connection is destroyed and the status decides. */
  readonly responseLimitBytes: number;
}

export interface SendResult {
  readonly outcome: AttemptOutcome;
  /** Null when no status arrived. */
  readonly responseStatus: number | null;
  /** What went wrong and, where there is one, the next step; null on success. */
  readonly error: string | null;
  /** Real time. */
  readonly durationMs: number;
  /** What arrived of the answer: after a failure in its body, what came before it. */
  readonly response: Pick<ReceivedResponse, 'headers' | 'body' | 'truncated'> | null;
  /** The wait that the receiver asked for; null when it sent no `Retry-After` that can be read. */
  readonly retryAfterMs: number | null;
}

export interface ConnectResult {
  readonly outcome: 'connected' | AttemptOutcome;
  /** What went wrong and, where there is one, the next step; null on success. */
  readonly error: string | null;
  /** Real time. */
  readonly durationMs: number;
  /** The address that was dialled, that of the proxy where there is one; null without a connection. */
  readonly address: string | null;
  /** The certificate that was accepted; null without TLS. */
  readonly certificate: { readonly issuer: string; readonly validTo: number } | null;
}

export interface Sender {
  /** Loads what the first `send` would otherwise wait for. Rejects where it cannot be read now; `send` tries again. */
  loadHttpClient(): Promise<void>;
  /**
   * POSTs the body. Whatever the receiver does is a result; it rejects only on a fault of the caller
   * (`internal_error`): a URL that is none, a header that cannot be sent, or a process without a free file descriptor.
   */
  send(request: SendRequest, limits: SendLimits): Promise<SendResult>;
  /** Opens a connection and closes it again. Whatever happens is a result. */
  connect(target: SendTarget, limits: SendLimits): Promise<ConnectResult>;
  /** Closes all connections at once; what is under way ends as a `connection_error`. */
  close(): Promise<void>;
}

/** How undici refuses a request before it connects: a header that would break out of its line, for example. */
const CALLER_FAULTS = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** Throws `usage` for a `ca` that is no certificate or a `proxy` that is no address. */
export function createSender(options: SenderOptions): Sender {
  const { wall } = options;
  const outboundAgent = new OutboundAgent(options);
  const closers = new RecentOrigins(wall);

  return {
    async loadHttpClient() {
      outboundAgent.loadHttpClient();
    },

    async send(request, limits) {
      const url = parseUrl(request.url);
      outboundAgent.loadHttpClient();
      const startedAt = wall.monotonic();
      const elapsedMs = () => wall.monotonic() - startedAt;

      const outboundExchange = new OutboundExchange(limits.attemptTimeoutMs, limits.responseLimitBytes);
      outboundAgent.dispatch(
        routeOf(url, request, limits, closers.has(url.origin)),
        toPost(url, request, outboundExchange),
      );
      const end = await outboundExchange.result;
      // The request may have been read: sending it again here would be a second request of one attempt.
      if (end.closedReusedConnection) closers.add(url.origin);
      return toResult(end, { url, limits, durationMs: elapsedMs(), wallNowMs: wall.now() });
    },

    async connect(target, limits) {
      const url = parseUrl(target.url);
      const startedAt = wall.monotonic();
      try {
        const socket = await outboundAgent.connect(routeOf(url, target, limits, true));
        const connected = { outcome: 'connected', error: null, ...describeSocket(socket) } as const;
        socket.destroy();
        return { ...connected, durationMs: wall.monotonic() - startedAt };
      } catch (error) {
        const notSent = {
          exchangeStage: 'connecting',
          response: null,
          closedReusedConnection: false,
        } as const;
        const failure = describeFailure(error as NetworkError, { ...limits, ...notSent, url });
        return { ...failure, durationMs: wall.monotonic() - startedAt, address: null, certificate: null };
      }
    },

    close: () => outboundAgent.close(),
  };
}

function describeSocket(socket: Socket): Pick<ConnectResult, 'address' | 'certificate'> {
  const { remoteAddress: address = null } = socket;
  if (!(socket instanceof TLSSocket)) return { address, certificate: null };
  const { issuer, valid_to: validTo } = socket.getPeerCertificate();
  return { address, certificate: { issuer: String(issuer.O ?? issuer.CN), validTo: Date.parse(validTo) } };
}

function routeOf(url: URL, target: SendTarget, limits: SendLimits, fresh: boolean): ConnectionTarget {
  const { connectTimeoutMs } = limits;
  return {
    origin: url.origin,
    insecureTls: target.insecureTls ?? false,
    connectTimeoutMs,
    newConnection: fresh,
  };
}

function toPost(url: URL, request: SendRequest, outboundExchange: OutboundExchange): OutboundRequest {
  const { body, writeOverMs } = request;
  const post = { path: `${url.pathname}${url.search}`, method: 'POST', outboundExchange } as const;
  if (writeOverMs === undefined) return { ...post, headers: request.headers, body };
  const bytes = Buffer.from(body);
  const headers = { ...request.headers, 'Content-Length': String(bytes.length) };
  return { ...post, headers, body: Readable.from(writeSlowly(bytes, writeOverMs), { objectMode: false }) };
}

interface ResultContext {
  readonly url: URL;
  readonly limits: SendLimits;
  readonly durationMs: number;
  readonly wallNowMs: number;
}

function toResult(end: ExchangeResult, { url, limits, durationMs, wallNowMs }: ResultContext): SendResult {
  const { response } = end;
  const { outcome, error } = judge(end, url, limits);
  const retryAfter = response?.headers['retry-after'];
  return {
    outcome,
    error,
    responseStatus: response?.status ?? null,
    durationMs,
    response: response && { headers: response.headers, body: response.body, truncated: response.truncated },
    retryAfterMs: retryAfter === undefined ? null : parseRetryAfter(retryAfter, wallNowMs),
  };
}

function judge(end: ExchangeResult, url: URL, limits: SendLimits): Pick<SendResult, 'outcome' | 'error'> {
  const { failure, response } = end;
  // The receiver has no part in it, and nothing was sent.
  if (isOutOfFileDescriptors(failure)) throw outOfFileDescriptorsError(failure);
  if (failure instanceof Error && CALLER_FAULTS.has(failure.code ?? '')) {
    throw new SvcError('internal_error', `the request cannot be sent: ${failure.message}`, {
      cause: failure,
    });
  }
  if (failure !== null) return describeFailure(failure, { ...limits, ...end, url });
  const status = response?.status ?? 0;
  if (status >= 200 && status < 300) return { outcome: 'succeeded', error: null };
  return { outcome: 'http_error', error: describeStatus(status, response?.headers.location) };
}

function describeStatus(status: number, location: string | undefined): string {
  const answered = `the receiver answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  const redirects = status >= 300 && status < 400 && location !== undefined;
  return redirects ? `${answered}: a redirect is not followed, register ${location} instead` : answered;
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new SvcError('internal_error', `the request cannot be sent: ${JSON.stringify(text)} is no HTTP URL`);
}
