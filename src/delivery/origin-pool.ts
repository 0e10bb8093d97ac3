/** The connection pool of one origin: a pool of undici whose connections skip informational responses. */
import type { Socket } from 'node:net';
import type { Client, Dispatcher, Pool } from 'undici';
import type { PhaseStart } from '../domain/attempt-phases.ts';
import { type Connect, type ConnectorOptions, createConnector, getUndici } from './connector.ts';
import {
  createTooManyResponsesError,
  HEADERS_LIMIT_BYTES,
  type HttpConnection,
  INFORMATIONAL_LIMIT,
  INFORMATIONAL_LIMIT_BYTES,
  type OutboundRequest,
  ProtocolError,
} from './outbound-exchange.ts';

/**
 * Creates a pool for `dispatch` with an exchange as the handler. This sends a sixth more requests per second than
 * `Pool.request`, which creates a stream for each body.
 * @param connections maximum number of connections; further requests wait for one
 */
export function createOriginPool(origin: URL, connections: number, options: ConnectorOptions): Pool {
  const connect = createConnector(origin, options);
  connectionClass ??= defineConnection();
  const ConnectionClass = connectionClass;
  return new (getUndici().Pool)(origin, {
    connections,
    pipelining: 1,
    headersTimeout: 0, // the exchange has its own time limit, for the body too
    bodyTimeout: 0,
    maxHeaderSize: HEADERS_LIMIT_BYTES,
    factory: (_origin, clientOptions) => new ConnectionClass(origin, clientOptions, connect, options.wall),
  });
}

let connectionClass: ReturnType<typeof defineConnection> | null = null;

/**
 * Defines a client that reports to each exchange how its socket was opened. A function, because undici is loaded late.
 */
function defineConnection() {
  const { Client } = getUndici();
  return class extends Client implements HttpConnection {
    opening: readonly PhaseStart[] = [];
    /** Whether the socket has carried a request. */
    #isUsed = false;
    /** The function that {@link skipInformationalResponses} returned for the socket. */
    #startSkipping: (() => void) | null = null;

    constructor(origin: URL, options: Client.Options, connect: Connect, wall: ConnectorOptions['wall']) {
      super(origin, {
        ...options,
        connect: (target, done) => {
          const opening: PhaseStart[] = [];
          this.opening = opening;
          connect(
            target,
            (...result) => {
              if (result[0] === null) this.#onConnect(result[1]);
              done(...result);
            },
            (phase) => opening.push({ phase, at: wall.monotonic() }),
          );
        },
      });
    }

    // undici wraps the handler, so the exchange is passed in the request.
    override dispatch(request: OutboundRequest, handler: Dispatcher.DispatchHandler): boolean {
      request.exchange.connection = this;
      return super.dispatch(request, handler);
    }

    startRequest(): boolean {
      const isReused = this.#isUsed;
      this.#isUsed = true;
      this.opening = [];
      this.#startSkipping?.();
      return isReused;
    }

    #onConnect(socket: Socket): void {
      this.#isUsed = false;
      this.#startSkipping = skipInformationalResponses(socket);
    }
  };
}

const INFORMATIONAL_START = Buffer.from('HTTP/1.1 1');
const SWITCHING_PROTOCOLS = Buffer.from('HTTP/1.1 101');
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Makes a socket skip the informational responses to a request. A client must skip them (RFC 9110, section 15.2), but
 * undici fails after `100 Continue`, and after `101 Switching Protocols` even with a failed assertion. The latter closes the
 * connection here, because no HTTP follows, and so does a response beyond the limits.
 * @returns a function to call before each request is written.
 */
export function skipInformationalResponses(socket: Pick<Socket, 'read' | 'destroy'>): () => void {
  const read: (size?: number) => Buffer | null = socket.read.bind(socket);
  let heldBytes: Buffer | null = null; // the start of a response that may be informational
  let hasFinalStarted = true;
  let count = 0; // informational responses to this request
  let byteCount = 0; // their size
  socket.read = (size?: number) => {
    const chunk = read(size);
    if (chunk === null || hasFinalStarted) return chunk;
    const unread = heldBytes === null ? chunk : Buffer.concat([heldBytes, chunk]);
    const bytes = skipInformational(unread, () => ++count <= INFORMATIONAL_LIMIT);
    byteCount += unread.length - bytes.length;
    // undici reports headers beyond the limit.
    hasFinalStarted = !sharesStart(bytes, INFORMATIONAL_START) || bytes.length > HEADERS_LIMIT_BYTES;
    heldBytes = hasFinalStarted ? null : bytes;
    if (startsWith(bytes, SWITCHING_PROTOCOLS)) {
      socket.destroy(new ProtocolError('returned 101 Switching Protocols, which was not requested'));
    }
    if (count > INFORMATIONAL_LIMIT || byteCount > INFORMATIONAL_LIMIT_BYTES) {
      socket.destroy(createTooManyResponsesError());
      return null;
    }
    return hasFinalStarted ? bytes : null;
  };
  return () => {
    hasFinalStarted = false;
    count = 0;
    byteCount = 0;
  };
}

/** The bytes after the leading informational responses, up to the first one for which `canSkip` returns false. */
function skipInformational(bytes: Buffer, canSkip: () => boolean): Buffer {
  let rest = bytes;
  while (startsWith(rest, INFORMATIONAL_START) && !startsWith(rest, SWITCHING_PROTOCOLS)) {
    const end = rest.indexOf(END_OF_HEAD);
    if (end === -1 || !canSkip()) break;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
  return rest;
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && sharesStart(bytes, start);
}

/** Whether bytes and start are equal in their common length. */
function sharesStart(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
}
