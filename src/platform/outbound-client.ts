/** Sends requests to receivers: deliveries, probes, checks and fuzzing use this client (gaps `delivery.*`, `webhook.url`). */
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type AttemptPhase, type PhaseDurations, PhaseTimer } from '../domain/attempt-phases.ts';
import type { WallClock } from '../domain/clock.ts';
import { parseReceiverUrl } from '../domain/http-url.ts';
import { Connector, type ConnectorOptions } from './connector.ts';
import { clearTimeout, monotonic, setTimeout } from './timers.ts';

export interface OutboundClientOptions extends ConnectorOptions {
  /** Used to measure durations (default: the monotonic clock). */
  readonly wall?: Pick<WallClock, 'monotonic'>;
}

export interface OutboundRequest {
  readonly url: string;
  /** Default: POST. */
  readonly method?: 'GET';
  /** `Host`, `Connection` and the `Content-Length` of a text or a buffer are added. */
  readonly headers?: OutgoingHttpHeaders;
  /** The parts of a body are read when there is a connection. They need the header `Content-Length`. */
  readonly body?: string | Buffer | AsyncIterable<Buffer>;
  /** Time limit of the whole request. */
  readonly timeoutMs: number;
  /** Bytes of the response body to keep. Beyond them the connection is closed. */
  readonly bodyLimitBytes: number;
  /** Accept any certificate. */
  readonly insecureTls?: boolean;
  /** False opens a connection for this request only (default: true). */
  readonly reusesConnection?: boolean;
  /** Ends the request as `stopped`. */
  readonly signal?: AbortSignal;
}

export interface ReceivedResponse {
  readonly status: number;
  /** Names in lower case. Bytes beyond ASCII are read as Latin-1, so none is lost. Repeated headers are joined by `, `. */
  readonly headers: Record<string, string>;
  /** The raw bytes: a compressed body stays compressed. */
  readonly body: Buffer;
  /** Whether the body continued after these bytes. */
  readonly truncated: boolean;
}

export interface Exchange {
  /** Progress: no connection yet, request written, first byte of the response received, headers received. */
  readonly stage: 'connecting' | 'waiting' | 'headers' | 'body';
  /** The received part of the response; null before its headers were complete. */
  readonly response: ReceivedResponse | null;
  /** Why the exchange ended before the response was complete or reached the size limit; null if it did not. */
  readonly failure: NetworkError | 'timeout' | 'stopped' | null;
  readonly phases: PhaseDurations;
  readonly durationMs: number;
}

/** The fields of errors of Node.js, OpenSSL and llhttp that are read. */
export interface NetworkError extends Error {
  /** Of the system (`ECONNRESET`), of OpenSSL (`CERT_HAS_EXPIRED`), or the violated rule of HTTP (`HPE_CR_EXPECTED`). */
  readonly code?: string;
  /** Message of OpenSSL or llhttp, or the problem with the names in a certificate. */
  readonly reason?: string;
  /** The bytes that could not be parsed as HTTP. */
  readonly rawPacket?: Uint8Array;
  readonly cert?: { readonly subjectaltname?: string };
  /** The failed call of the system; undefined if the receiver closed the connection in order. */
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  /** One error for each address that was tried. */
  readonly errors?: readonly NetworkError[];
}

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Maximum number of informational responses (1xx) to one request. */
const INFORMATIONAL_LIMIT = 64;
/** Statuses of responses that end at their headers (RFC 9110, section 6.4.1). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);
const CONNECTION_LOST = new Set<string | undefined>(['ECONNRESET', 'EPIPE']);
/** Idle connections are closed after this time, because many servers close them after five seconds. */
const IDLE_LIMIT_MS = 4_000;

/** Redirects are not followed, and proxy variables of the environment are not used. */
export class OutboundClient {
  readonly #connector: Connector;
  readonly #now: () => number;
  /** The connections that are kept for later requests, by origin and whether any certificate is accepted. */
  readonly #idle = new Map<string, Socket[]>();
  /**
   * Ends each request in flight. Not a `Set`: each time it grows, V8 keeps its old table and the requests in it until a full
   * collection, which doubles the time of collections.
   */
  readonly #stops: (() => void)[] = [];
  #isClosed = false;

  /** @throws SvcError `usage` for an invalid `ca` or `proxy` */
  constructor({ wall = { monotonic }, ...options }: OutboundClientOptions) {
    this.#connector = new Connector(options);
    this.#now = () => wall.monotonic();
  }

  /**
   * Whatever the receiver does is returned, not thrown. If it closes a reused connection without a byte of a response, the
   * request is sent again on a new connection. @throws TypeError for an invalid URL, or one that is not HTTP
   */
  send(message: OutboundRequest): Promise<Exchange> {
    return new Promise((resolve) => {
      const { method = 'POST', body = '', bodyLimitBytes, insecureTls = false, signal } = message;
      const { reusesConnection = true } = message;
      const url = parseReceiverUrl(message.url);
      const parts = typeof body === 'string' || Buffer.isBuffer(body) ? null : body;
      const idle = reusesConnection ? this.#getIdle(`${url.origin} ${insecureTls}`) : [];
      const timer = new PhaseTimer(this.#now);
      let stage: Exchange['stage'] = 'connecting';
      let outgoing: ClientRequest | undefined;
      /** Ends the connection that is being opened. */
      let opening: AbortController | undefined;
      let incoming: IncomingMessage | undefined;
      let headers: Record<string, string> = {};
      const chunks: Buffer[] = [];
      let length = 0;
      let isOver = false;

      const finish = (failure: Exchange['failure'], isCut = failure !== null) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timeLimit);
        signal?.removeEventListener('abort', stop);
        const index = this.#stops.indexOf(stop);
        if (index !== -1) this.#stops.splice(index, 1);
        if (outgoing === undefined) opening?.abort();
        else if (isCut) outgoing.destroy();
        const truncated = length > bodyLimitBytes || failure !== null;
        const status = incoming?.statusCode ?? 0;
        const response =
          stage === 'body' ? { status, headers, body: Buffer.concat(chunks), truncated } : null;
        const { phases, durationMs } = timer.end();
        resolve({ stage, response, failure, phases, durationMs });
      };

      const onData = () => {
        if (stage !== 'waiting') return;
        stage = 'headers';
        timer.begin('receive');
      };

      const onResponse = (response: IncomingMessage) => {
        const status = response.statusCode ?? 0;
        incoming = response;
        const problem = findStatusProblem(status);
        if (problem !== null) return finish(new ProtocolError(problem));
        stage = 'body';
        headers = joinRepeatedHeaders(response.rawHeaders);
        if (WITHOUT_BODY.has(status)) {
          response.resume();
          const announced = headers['content-length'] ?? headers['transfer-encoding'] ?? '0';
          return finish(null, announced !== '0');
        }
        response
          .on('data', (chunk: Buffer) => {
            chunks.push(chunk.subarray(0, bodyLimitBytes - length));
            length += chunk.length;
            if (length > bodyLimitBytes) finish(null, true);
          })
          .on('end', () => finish(null))
          .on('error', finish);
      };

      const write = (socket: Socket, isReused: boolean) => {
        let informationalCount = 0;
        stage = 'waiting';
        timer.begin('send');
        try {
          outgoing = request({
            method,
            path: `${url.pathname}${url.search}`,
            headers: {
              Host: url.host,
              Connection: reusesConnection ? 'keep-alive' : 'close',
              ...message.headers,
            },
            createConnection: () => socket,
          });
        } catch (error) {
          // An invalid header.
          socket.destroy();
          return finish(error as NetworkError);
        }
        // Called for each part of a response, before Node.js parses it.
        socket.on('data', onData);
        outgoing
          .on('information', () => {
            informationalCount++;
            if (informationalCount <= INFORMATIONAL_LIMIT) return;
            finish(new ProtocolError(`sent more than ${INFORMATIONAL_LIMIT} informational responses (1xx)`));
          })
          .on('upgrade', onResponse)
          .on('response', onResponse)
          .on('error', (error: NetworkError) => {
            socket.destroy();
            const isLost = isReused && stage === 'waiting' && CONNECTION_LOST.has(error.code);
            if (isLost && parts === null && !isOver) void open();
            // Bytes after a complete response do not matter.
            else finish(incoming?.complete ? null : error);
          })
          .on('close', () => {
            socket.off('data', onData);
            if (reusesConnection && socket.writable) idle.push(socket);
          });
        if (parts === null) {
          outgoing.end(body);
          timer.begin('wait');
          return;
        }
        // A response can begin before the request is complete.
        outgoing.on('finish', () => stage === 'waiting' && timer.begin('wait'));
        Readable.from(parts, { objectMode: false }).pipe(outgoing);
      };

      const open = async () => {
        const limit = new AbortController();
        const onPhase = (phase: AttemptPhase) => timer.begin(phase);
        opening = limit;
        outgoing = undefined;
        stage = 'connecting';
        timer.restart();
        try {
          const socket = await this.#connector.open(url, { insecureTls, onPhase, limit });
          // Bytes that no request waits for would be the response to the next one.
          const closeIfIdle = () => idle.includes(socket) && socket.destroy();
          socket.setTimeout(IDLE_LIMIT_MS, closeIfIdle).on('data', closeIfIdle);
          socket.on('close', () => idle.includes(socket) && idle.splice(idle.indexOf(socket), 1));
          if (isOver) socket.destroy();
          else write(socket, false);
        } catch (error) {
          finish(error as NetworkError);
        }
      };

      const stop = () => finish('stopped');
      const timeLimit = setTimeout(() => finish('timeout'), message.timeoutMs);
      if (this.#isClosed || signal?.aborted) return stop();
      this.#stops.push(stop);
      signal?.addEventListener('abort', stop);
      // The receiver may have closed a connection, which is not yet reported.
      let kept = idle.pop();
      while (kept?.writable === false) kept = idle.pop();
      if (kept === undefined) void open();
      else write(kept, true);
    });
  }

  /** Opens a connection without a request, including the TLS handshake. @throws NetworkError */
  connect(url: string, insecureTls: boolean): Promise<Socket> {
    return this.#connector.open(parseReceiverUrl(url), { insecureTls });
  }

  /** Closes all connections at once. Requests in flight end as `stopped`, and so do later ones. */
  close(): void {
    this.#isClosed = true;
    for (const stop of [...this.#stops]) stop();
    this.closeConnections();
  }

  /** Closes the connections that are kept for later requests. */
  closeConnections(): void {
    for (const sockets of this.#idle.values()) for (const socket of sockets) socket.destroy();
  }

  #getIdle(key: string): Socket[] {
    const sockets = this.#idle.get(key) ?? [];
    this.#idle.set(key, sockets);
    return sockets;
  }
}

function findStatusProblem(status: number): string | null {
  if (status < 100) return `returned the invalid status ${String(status).padStart(3, '0')}`;
  return status === 101 ? 'returned 101 Switching Protocols, which was not requested' : null;
}

/** @param raw names and values in turns @returns an object without a prototype, because a header can be named `__proto__` */
function joinRepeatedHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    const value = raw[index + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}
