/** Collects the response to one request from the events of undici. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { measurePhases, type PhaseDurations, type PhaseStart } from '../domain/attempt-phases.ts';
import type { WallClock } from '../domain/clock.ts';
import { clearTimeout, setTimeout } from '../timers.ts';

export interface ReceivedResponse {
  readonly status: number;
  /** Names in lower case. Bytes beyond ASCII are read as Latin-1, so none is lost. Repeated headers are joined by `, `. */
  readonly headers: Record<string, string>;
  /** The raw bytes: a compressed body stays compressed. */
  readonly body: Buffer;
  /** Whether the body continued after these bytes. */
  readonly truncated: boolean;
}

/** Progress of an exchange: no connection yet, request written, first byte of the response received, headers received. */
type ExchangeStage = 'connecting' | 'waiting' | 'headers' | 'body';

export interface ExchangeResult {
  readonly stage: ExchangeStage;
  /** The received part of the response; null before its headers were complete. */
  readonly response: ReceivedResponse | null;
  readonly failure: ExchangeFailure;
  /** Whether the receiver closed a reused connection without a response. */
  readonly closedReusedConnection: boolean;
  readonly phases: PhaseDurations;
}

/** Why an exchange ended before the response was complete or reached the size limit; null if it did not. */
export type ExchangeFailure = NetworkError | 'timeout' | 'stopped' | null;

/** The fields of errors of Node.js, OpenSSL and undici. */
export interface NetworkError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  /** Message of OpenSSL, or the problem with the names in a certificate. */
  readonly reason?: string;
  /** The bytes that could not be parsed as HTTP. */
  readonly data?: string;
  /** One error for each address that was tried. */
  readonly errors?: readonly NetworkError[];
  readonly cert?: { readonly subjectaltname?: string };
}

/** A request with its exchange, to which the connection reports. */
export interface OutboundRequest extends Dispatcher.DispatchOptions {
  readonly exchange: OutboundExchange;
}

/** The connection of an exchange. */
export interface HttpConnection {
  /** The phases of opening it, until its first request starts; then empty. */
  readonly opening: readonly PhaseStart[];
  /** Called before the request is written. @returns whether the connection carried another request before. */
  startRequest(): boolean;
}

export const HEADERS_LIMIT_BYTES = 16 * 1024;

/** Maximum number of informational responses (1xx) to one request, and their size. */
export const INFORMATIONAL_LIMIT = 64;
export const INFORMATIONAL_LIMIT_BYTES = 64 * 1024;

/** The receiver violated HTTP. It becomes the result of the attempt. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  /** What the receiver did, as a phrase that follows its name: `returned …`. */
  readonly violation: string;

  constructor(violation: string) {
    super(violation);
    this.violation = violation;
  }
}

export function createTooManyResponsesError(): ProtocolError {
  return new ProtocolError(
    `sent more than ${INFORMATIONAL_LIMIT} informational responses (1xx), or more than ${INFORMATIONAL_LIMIT_BYTES / 1024} KiB of them`,
  );
}

const CONNECTION_LOST = new Set<string | undefined>(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
/** `abort` of undici requires a reason. Nobody reads this one, because the exchange has its result. */
const EXCHANGE_ENDED = 'the exchange has ended';

/** A handler for `dispatch` that keeps the first bytes of the response and ends when the time is over. */
export class OutboundExchange implements Dispatcher.DispatchHandler {
  /** Always resolves. */
  readonly result: Promise<ExchangeResult>;
  /** Set by the connection that sends the request. */
  connection: HttpConnection | null = null;
  readonly #bodyLimitBytes: number;
  readonly #wall: Pick<WallClock, 'monotonic'>;
  /** This and the following times are monotonic. */
  readonly #dispatchedAt: number;
  #requestStartedAt: number | null = null;
  /** Null until the last part of the body was written. */
  #sentAt: number | null = null;
  #isBodyInParts = false;
  #firstByteAt: number | null = null;
  /** {@link HttpConnection.opening} at the start of the request. */
  #opening: readonly PhaseStart[] | null = null;
  readonly #timer: NodeJS.Timeout;
  #resolve: ((result: ExchangeResult) => void) | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #stage: ExchangeStage = 'connecting';
  /** Whether the connection carried another request before. */
  #isReused = false;
  #informationalCount = 0;
  #head: Pick<ReceivedResponse, 'status' | 'headers'> | null = null;
  #chunks: Buffer[] = [];
  #length = 0;
  #isTruncated = false;

  /**
   * @param timeoutMs time limit, including the wait for a connection
   * @param bodyLimitBytes maximum number of bytes of the body to keep
   * @param wall used to measure the phases
   */
  constructor(timeoutMs: number, bodyLimitBytes: number, wall: Pick<WallClock, 'monotonic'>) {
    this.#bodyLimitBytes = bodyLimitBytes;
    this.#wall = wall;
    this.#dispatchedAt = wall.monotonic();
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = setTimeout(() => this.#abort('timeout'), timeoutMs);
  }

  /** Must be called before the dispatch if the body is written in parts. Any other body is written at once. */
  followBody(body: Readable): void {
    this.#isBodyInParts = true;
    body.once('end', () => {
      this.#sentAt ??= this.#wall.monotonic();
    });
  }

  /** Ends the exchange with what arrived so far. Only the first call has an effect. */
  finish(failure: ExchangeFailure): void {
    if (this.#resolve === null) return;
    clearTimeout(this.#timer);
    this.#resolve({
      stage: this.#stage,
      response: this.#toResponse(failure),
      failure,
      closedReusedConnection: this.#hasClosedReusedConnection(failure),
      phases: this.#measurePhases(),
    });
    this.#resolve = null;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The time was over before there was a connection: do not send the request.
    if (this.#resolve === null) {
      controller.abort(new Error(EXCHANGE_ENDED));
      return;
    }
    this.#stage = 'waiting';
    this.#requestStartedAt = this.#wall.monotonic();
    this.#sentAt = this.#isBodyInParts ? null : this.#requestStartedAt;
    this.#opening = this.connection?.opening ?? [];
    this.#isReused = this.connection?.startRequest() ?? false;
  }

  /** Called for the first byte of a response. The types of undici omit it. */
  onResponseStarted(): void {
    this.#stage = 'headers';
    this.#firstByteAt = this.#wall.monotonic();
    // A response can begin before the request is complete.
    this.#sentAt ??= this.#firstByteAt;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 100) {
      this.#abort(new ProtocolError(`returned the invalid status ${String(status).padStart(3, '0')}`));
    } else if (status < 200) {
      // The connection did not skip it, because it does not start with HTTP/1.1.
      this.#informationalCount++;
      if (this.#informationalCount > INFORMATIONAL_LIMIT) this.#abort(createTooManyResponsesError());
    } else {
      this.#stage = 'body';
      this.#head = { status, headers: joinRepeatedHeaders(headers) };
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const kept = chunk.subarray(0, this.#bodyLimitBytes - this.#length);
    this.#chunks.push(kept);
    this.#length += kept.length;
    if (kept.length === chunk.length) return;
    this.#isTruncated = true;
    this.#abort(null);
  }

  onResponseEnd(): void {
    this.finish(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.finish(error);
  }

  /** Ends the exchange and destroys the socket, so that nothing more is read from it. */
  #abort(failure: ExchangeFailure): void {
    this.finish(failure);
    this.#controller?.abort(new Error(EXCHANGE_ENDED));
  }

  #toResponse(failure: ExchangeFailure): ReceivedResponse | null {
    if (this.#head === null) return null;
    const { status, headers } = this.#head;
    return {
      status,
      headers,
      body: Buffer.concat(this.#chunks),
      truncated: this.#isTruncated || failure !== null,
    };
  }

  #measurePhases(): PhaseDurations {
    const opening = this.#opening ?? this.connection?.opening ?? [];
    const starts: PhaseStart[] = [{ phase: 'queued', at: this.#dispatchedAt }, ...opening];
    if (this.#requestStartedAt !== null) starts.push({ phase: 'send', at: this.#requestStartedAt });
    if (this.#sentAt !== null) starts.push({ phase: 'wait', at: this.#sentAt });
    if (this.#firstByteAt !== null) starts.push({ phase: 'receive', at: this.#firstByteAt });
    return measurePhases(starts, this.#wall.monotonic());
  }

  #hasClosedReusedConnection(failure: ExchangeFailure): boolean {
    if (!this.#isReused || this.#stage !== 'waiting' || !(failure instanceof Error)) return false;
    return CONNECTION_LOST.has(failure.code);
  }
}

/** `fromEntries` treats a header named `__proto__` like any other. */
function joinRepeatedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value = '']) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
