/** One request and its answer, as undici reports them. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { clearTimeout, setTimeout } from '../timers.ts';

export interface ReceivedResponse {
  readonly status: number;
  /** Names in lower case; bytes beyond ASCII are read as Latin-1, so none is lost. Repeated headers are joined by `, `. */
  readonly headers: Record<string, string>;
  /** The bytes as they came: a compressed body stays compressed. */
  readonly body: Buffer;
  /** Whether the body went on after what is kept. */
  readonly truncated: boolean;
}

/** How far an exchange came: no connection yet, request written, first byte of the answer here, its headers here. */
export type ExchangeStage = 'connecting' | 'waiting' | 'headers' | 'body';

export interface ExchangeResult {
  readonly exchangeStage: ExchangeStage;
  /** What arrived of the answer; null before its headers were complete. */
  readonly response: ReceivedResponse | null;
  readonly failure: ExchangeFailure;
  /** Whether the receiver closed a connection that had carried another request before, and nothing came back. */
  readonly closedReusedConnection: boolean;
}

/** Why an exchange ended before its answer was complete or as long as the limit; null when it did not. */
export type ExchangeFailure = NetworkError | 'timeout' | 'stopped' | null;

/** What the errors of Node, OpenSSL and undici carry, each its own part. */
export interface NetworkError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  /** OpenSSL's words, or what is wrong with the names in a certificate. */
  readonly reason?: string;
  /** The bytes that are not HTTP. */
  readonly data?: string;
  /** One error for each address that was tried. */
  readonly errors?: readonly NetworkError[];
  readonly cert?: { readonly subjectaltname?: string };
}

/** A request, and the exchange that its answer is for: it tells the connection that takes it where to report. */
export interface OutboundRequest extends Dispatcher.DispatchOptions {
  readonly outboundExchange: OutboundExchange;
}

/** The connection that an exchange was given. */
export interface Connection {
  /** Called when the request is about to be written; returns whether the connection carried another one before. */
  startRequest(): boolean;
}

/** Bytes of headers of an answer at most. */
export const HEADERS_LIMIT_BYTES = 16 * 1024;

/** Informational responses (1xx) to one request at most, and their bytes. */
export const INFORMATIONAL_LIMIT = 64;
export const INFORMATIONAL_LIMIT_BYTES = 64 * 1024;

/** The receiver broke HTTP. Never thrown: undici carries it to the result of the attempt. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  /** What the receiver did, to follow its name: "answered …". */
  readonly violation: string;

  constructor(violation: string) {
    super(violation);
    this.violation = violation;
  }
}

export function tooManyInformationalResponses(): ProtocolError {
  return new ProtocolError(
    `sent more than ${INFORMATIONAL_LIMIT} informational responses (1xx), or more than ${INFORMATIONAL_LIMIT_BYTES / 1024} KiB of them`,
  );
}

const CONNECTION_LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
/** For undici, which wants a reason; the end of the exchange is decided before. */
const OVER = 'the exchange has ended';
const NO_BYTES = Buffer.alloc(0);

/** A handler for `dispatch` that keeps the first bytes of the answer and ends by itself when the time is over. */
export class OutboundExchange implements Dispatcher.DispatchHandler {
  /** Always resolves. */
  readonly result: Promise<ExchangeResult>;
  /** Set by the connection that takes the request on. */
  connection: Connection | null = null;
  readonly #limitBytes: number;
  readonly #timer: NodeJS.Timeout;
  #resolve: ((end: ExchangeResult) => void) | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #exchangeStage: ExchangeStage = 'connecting';
  #reused = false;
  #interimCount = 0;
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #length = 0;
  #truncated = false;

  /**
   * @param timeoutMs for all of it, waiting for a connection included
   * @param limitBytes of the body that are kept
   */
  constructor(timeoutMs: number, limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = setTimeout(() => this.#abort('timeout'), timeoutMs);
  }

  /** Ends it with what arrived so far; only the first call counts. */
  finish(failure: ExchangeFailure): void {
    if (this.#resolve === null) return;
    clearTimeout(this.#timer);
    this.#resolve({
      exchangeStage: this.#exchangeStage,
      response: this.#answer(failure),
      failure,
      closedReusedConnection: this.#isClosedReused(failure),
    });
    this.#resolve = null;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The time was over before there was a connection: nothing is written.
    if (this.#resolve === null) {
      controller.abort(new Error(OVER));
      return;
    }
    this.#exchangeStage = 'waiting';
    this.#reused = this.connection?.startRequest() ?? false;
  }

  /** The first byte of an answer; undici calls it, though its types leave it out. */
  onResponseStarted(): void {
    this.#exchangeStage = 'headers';
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 100) {
      this.#abort(new ProtocolError(`answered with the invalid status ${String(status).padStart(3, '0')}`));
      return;
    }
    // One that the connection did not skip, because it does not begin as HTTP/1.1 does.
    if (status < 200) {
      this.#interimCount += 1;
      if (this.#interimCount > INFORMATIONAL_LIMIT) this.#abort(tooManyInformationalResponses());
      return;
    }
    this.#exchangeStage = 'body';
    this.#status = status;
    this.#headers = joinRepeated(headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#resolve === null) return;
    const room = this.#limitBytes - this.#length;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#length += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    this.#truncated = true;
    this.#abort(null);
  }

  onResponseEnd(): void {
    this.finish(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.finish(error);
  }

  /** Ends here and destroys the socket, so that nothing more is read from it. */
  #abort(failure: ExchangeFailure): void {
    this.finish(failure);
    this.#controller?.abort(new Error(OVER));
  }

  #answer(failure: ExchangeFailure): ReceivedResponse | null {
    if (this.#exchangeStage !== 'body') return null;
    return {
      status: this.#status,
      headers: this.#headers,
      body: this.#chunks.length === 0 ? NO_BYTES : Buffer.concat(this.#chunks, this.#length),
      truncated: this.#truncated || failure !== null,
    };
  }

  #isClosedReused(failure: ExchangeFailure): boolean {
    if (!this.#reused || this.#exchangeStage !== 'waiting' || !(failure instanceof Error)) return false;
    return CONNECTION_LOST.has(failure.code ?? '');
  }
}

/** `fromEntries`, because it makes a header named `__proto__` one like any other. */
function joinRepeated(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value = '']) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
