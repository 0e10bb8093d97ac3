/** Sends requests to receivers and classifies the results (§6, gaps `delivery.*`). */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { PhaseDurations } from '../domain/attempt-phases.ts';
import type { WallClock } from '../domain/clock.ts';
import type { AttemptOutcome } from '../domain/delivery.ts';
import { parseUrl } from '../domain/http-url.ts';
import { parseRetryAfter } from '../domain/retry-policy.ts';
import { SvcError } from '../errors.ts';
import { describeFailure } from '../network/describe-failure.ts';
import {
  type Exchange,
  type NetworkError,
  OutboundClient,
  type OutboundClientOptions,
  type ReceivedResponse,
} from '../network/outbound-client.ts';

/** Limits in real time (gaps `delivery.timeout`, `delivery.response`). */
export interface SendLimits {
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** Bytes of the body to keep. Beyond them the connection is destroyed, and the status decides the outcome. */
  readonly responseLimitBytes: number;
}

export interface SenderOptions extends Omit<OutboundClientOptions, 'connectTimeoutMs' | 'wall'> {
  readonly limits: SendLimits;
  /** Used to read a `Retry-After` date and to measure durations. */
  readonly wall: WallClock;
}

export interface SendRequest {
  readonly url: string;
  /** `Content-Length`, `Connection` and `Host` are added. */
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
  /**
   * POSTs the body. Whatever the receiver does is returned, not thrown.
   * @throws SvcError `internal_error` if the process has no free file descriptor
   */
  send(request: SendRequest): Promise<SendResult>;
  /**
   * Opens a connection and closes it. Whatever the receiver does is returned, not thrown.
   * @throws SvcError `internal_error` if the process has no free file descriptor
   */
  connect(target: SendTarget): Promise<ConnectResult>;
  /** Closes the connections of all `send` requests at once. Those in flight end as a `connection_error`. */
  close(): void;
}

/** Maximum real time between two parts of a slow body, if it has enough bytes for so many parts. */
const SLOW_BODY_PART_MS = 100;

/** @throws SvcError `usage` for an invalid `ca` or `proxy` */
export function createSender({ limits, ...options }: SenderOptions): Sender {
  const { wall } = options;
  const { connectTimeoutMs, attemptTimeoutMs, responseLimitBytes } = limits;
  const client = new OutboundClient({ ...options, connectTimeoutMs });
  /** Origins that have responded. */
  const known = new Set<string>();

  return {
    async send({ url: text, body, headers, writeOverMs, insecureTls = false }) {
      const url = new URL(text);
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
      const isFirst = !known.has(url.origin);
      if (response !== null) known.add(url.origin);
      const retryAfter = response?.headers['retry-after'];
      return {
        ...toOutcome(exchange, { ...limits, url, isFirst }),
        responseStatus: response?.status ?? null,
        durationMs,
        phases,
        response,
        retryAfterMs: retryAfter === undefined ? null : parseRetryAfter(retryAfter, wall.now()),
      };
    },

    async connect({ url: text, insecureTls = false }) {
      const url = new URL(text);
      const startedAt = wall.monotonic();
      try {
        const socket = await client.connect(url, insecureTls);
        const connected = { outcome: 'connected', error: null, ...describeSocket(socket) } as const;
        socket.destroy();
        return { ...connected, durationMs: wall.monotonic() - startedAt };
      } catch (error) {
        const failed = { failure: error as NetworkError, stage: 'connecting', response: null } as const;
        return {
          ...toOutcome(failed, { ...limits, url, isFirst: false }),
          durationMs: wall.monotonic() - startedAt,
          address: null,
          certificate: null,
        };
      }
    },

    close: () => client.close(),
  };
}

function describeSocket(socket: Socket): Pick<ConnectResult, 'address' | 'certificate'> {
  const { remoteAddress: address = null } = socket;
  if (!(socket instanceof TLSSocket)) return { address, certificate: null };
  const { issuer, valid_to: validTo } = socket.getPeerCertificate();
  return { address, certificate: { issuer: String(issuer.O ?? issuer.CN), validTo: Date.parse(validTo) } };
}

function toOutcome(
  exchange: Pick<Exchange, 'failure' | 'stage' | 'response'>,
  context: SendLimits & { readonly url: URL; readonly isFirst: boolean },
): Pick<SendResult, 'outcome' | 'error'> {
  const { failure, response } = exchange;
  if (failure !== null) {
    // A failure of the emulator, not of the receiver: nothing was sent.
    if (isOutOfFileDescriptors(failure)) throw createOutOfFileDescriptorsError(failure);
    return describeFailure(failure, { ...context, ...exchange });
  }
  const status = response?.status ?? 0;
  if (status >= 200 && status < 300) return { outcome: 'succeeded', error: null };
  return { outcome: 'http_error', error: describeStatus(status, response?.headers.location, context.url) };
}

function describeStatus(status: number, location: string | undefined, url: URL): string {
  const responded = `the receiver responded with ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  const isRedirect = status >= 300 && status < 400 && location !== undefined;
  if (!isRedirect) return responded;
  const target = parseUrl(location) === null ? parseUrl(location, url)?.href : location;
  return `${responded}; redirects are not followed, so register ${target ?? location} instead`;
}

/** Whether the process could not open a socket. */
function isOutOfFileDescriptors(failure: Exchange['failure']): boolean {
  return failure instanceof Error && (failure.code === 'EMFILE' || failure.code === 'ENFILE');
}

function createOutOfFileDescriptorsError(cause: unknown): SvcError {
  return new SvcError(
    'internal_error',
    'The process has no free file descriptor, so no request can be sent.',
    {
      hint: {
        text: 'Close connections to the emulator, or raise the limit before you start it',
        command: 'ulimit -n 4096',
      },
      cause,
    },
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
