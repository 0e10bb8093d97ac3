/** Sends requests to receivers and classifies the results (§6, gaps `delivery.*`). */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { describeFailure } from '../../diagnosis/describe-failure.ts';
import type { PhaseDurations } from '../../domain/attempt-phases.ts';
import type { WallClock } from '../../domain/clock.ts';
import type { AttemptOutcome } from '../../domain/delivery.ts';
import { SvcError } from '../../domain/errors.ts';
import { parseUrl } from '../../domain/http-url.ts';
import { parseRetryAfter } from '../../domain/retry-policy.ts';
import {
  type Exchange,
  type NetworkError,
  OutboundClient,
  type OutboundClientOptions,
  type OutboundRequest,
  type ReceivedResponse,
} from '../../platform/outbound-client.ts';
import type { Rules } from '../../profile/rules.ts';

export interface SenderOptions extends Omit<OutboundClientOptions, 'connectTimeoutMs' | 'wall'> {
  /** In real time (gaps `delivery.timeout`, `delivery.response`). */
  readonly limits: Omit<Rules['delivery'], 'concurrency' | 'concurrencyPerEndpoint'>;
  /** Used to read a `Retry-After` date and to measure durations. */
  readonly wall: WallClock;
}

export interface SendRequest extends Pick<OutboundRequest, 'url' | 'insecureTls'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Real time over which to write the body in small parts (default: at once). */
  readonly writeOverMs?: number;
}

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
  readonly error: string | null;
  /** Real time. */
  readonly durationMs: number;
  /** The address of the connection, which can be that of a proxy; null without a connection. */
  readonly address: string | null;
  /** The accepted certificate, `validTo` in milliseconds since 1970; null without TLS. */
  readonly certificate: { readonly issuer: string; readonly validTo: number } | null;
}

export type Sender = ReturnType<typeof createSender>;

/** Maximum real time between two parts of a slow body, if it has enough bytes for so many parts. */
const SLOW_BODY_PART_MS = 100;

/** @throws SvcError `usage` for an invalid `ca` or `proxy` */
export function createSender({ limits, ...options }: SenderOptions) {
  const { wall } = options;
  const { connectTimeoutMs, attemptTimeoutMs, responseLimitBytes } = limits;
  const client = new OutboundClient({ ...options, connectTimeoutMs });
  /** URLs that have responded, or did not respond to a request in time. */
  const known = new Set<string>();

  function toOutcome(
    url: string,
    { failure, stage, response }: Pick<Exchange, 'failure' | 'stage' | 'response'>,
  ): Pick<SendResult, 'outcome' | 'error'> {
    if (failure === null) return describeResponse(url, response);
    assertFreeFileDescriptors(failure);
    return describeFailure(failure, {
      ...limits,
      stage,
      response,
      url: new URL(url),
      isFirst: !known.has(url),
    });
  }

  return {
    /**
     * POSTs the body. Whatever the receiver does is returned, not thrown.
     * @throws SvcError `internal_error` if the process has no free file descriptor
     */
    async send({ url, body, headers, writeOverMs, insecureTls = false }: SendRequest): Promise<SendResult> {
      const bytes = writeOverMs === undefined ? null : Buffer.from(body);
      const exchange = await client.send({
        url,
        headers: bytes === null ? headers : { ...headers, 'Content-Length': bytes.length },
        body: bytes === null ? body : writeSlowly(bytes, writeOverMs as number),
        timeoutMs: attemptTimeoutMs,
        bodyLimitBytes: responseLimitBytes,
        insecureTls,
      });
      const { response, durationMs, phases } = exchange;
      const { outcome, error } = toOutcome(url, exchange);
      if (response !== null || (exchange.failure === 'timeout' && exchange.stage === 'waiting'))
        known.add(url);
      const retryAfter = response?.headers['retry-after'];
      const retryAfterMs = retryAfter === undefined ? null : parseRetryAfter(retryAfter, wall.now());
      const responseStatus = response?.status ?? null;
      return { outcome, responseStatus, error, durationMs, phases, response, retryAfterMs };
    },

    /** Opens a connection and closes it. @throws SvcError as `send` */
    async connect({
      url,
      insecureTls = false,
    }: Pick<SendRequest, 'url' | 'insecureTls'>): Promise<ConnectResult> {
      const startedAt = wall.monotonic();
      try {
        const socket = await client.connect(url, insecureTls);
        const connected = { outcome: 'connected', error: null, ...describeSocket(socket) } as const;
        socket.destroy();
        return { ...connected, durationMs: wall.monotonic() - startedAt };
      } catch (error) {
        const failed = { failure: error as NetworkError, stage: 'connecting', response: null } as const;
        const durationMs = wall.monotonic() - startedAt;
        return { ...toOutcome(url, failed), durationMs, address: null, certificate: null };
      }
    },

    /** Closes the connections of all `send` requests at once. Those in flight end as a `connection_error`. */
    close: () => client.close(),
  };
}

function describeSocket(socket: Socket): Pick<ConnectResult, 'address' | 'certificate'> {
  const { remoteAddress: address = null } = socket;
  if (!(socket instanceof TLSSocket)) return { address, certificate: null };
  const { issuer, valid_to: validTo } = socket.getPeerCertificate();
  return { address, certificate: { issuer: String(issuer.O ?? issuer.CN), validTo: Date.parse(validTo) } };
}

function describeResponse(
  url: string,
  response: ReceivedResponse | null,
): Pick<SendResult, 'outcome' | 'error'> {
  const { status = 0, headers: { location } = {} } = response ?? {};
  if (status >= 200 && status < 300) return { outcome: 'succeeded', error: null };
  const error = `the receiver responded with ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  if (status < 300 || status >= 400 || location === undefined) return { outcome: 'http_error', error };
  const target = parseUrl(location) ? location : (parseUrl(location, new URL(url))?.href ?? location);
  return { outcome: 'http_error', error: `${error} and redirects to ${target}; redirects are not followed` };
}

/** @throws SvcError `internal_error` for a failure of the emulator, not of the receiver: nothing was sent */
function assertFreeFileDescriptors(failure: NonNullable<Exchange['failure']>): void {
  if (typeof failure === 'string' || (failure.code !== 'EMFILE' && failure.code !== 'ENFILE')) return;
  const message = 'The process has no free file descriptor, so no request can be sent.';
  throw new SvcError('internal_error', message, {
    hint: {
      text: 'Close connections to the emulator, or raise the limit before you start it',
      command: 'ulimit -n 4096',
    },
    cause: failure,
  });
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
