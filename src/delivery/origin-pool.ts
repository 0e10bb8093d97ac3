/** The connection pool of one origin. Only this file and the connector use undici. */
import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { type ConnectorOptions, createConnector } from './connector.ts';
import { skipInformationalResponses } from './informational-responses.ts';
import { type Connection, HEADERS_LIMIT_BYTES, type OutboundRequest } from './outbound-exchange.ts';
import { loadUndici } from './undici.ts';

export interface OriginPoolOptions extends ConnectorOptions {
  /** Maximum number of connections. Further requests wait for one. */
  readonly connections: number;
}

/**
 * Creates a pool to dispatch exchanges on. An exchange is a bare handler, because `Pool.request` creates a stream for each
 * body: handlers send a sixth more requests per second.
 */
export function createOriginPool(origin: URL, options: OriginPoolOptions): Pool {
  const connector = createConnector(origin, options);
  const ConnectionClass = getConnectionClass();
  return new (loadUndici().Pool)(origin, {
    connections: options.connections,
    pipelining: 1,
    headersTimeout: 0, // the exchange has its own time limit
    bodyTimeout: 0,
    maxHeaderSize: HEADERS_LIMIT_BYTES,
    factory: (_origin, clientOptions) => new ConnectionClass(origin, clientOptions, connector),
  });
}

let connectionClass: ReturnType<typeof defineConnection> | null = null;

function getConnectionClass(): ReturnType<typeof defineConnection> {
  connectionClass ??= defineConnection();
  return connectionClass;
}

/** A client that reports to each exchange whether its socket carried another request before. */
function defineConnection() {
  const { Client } = loadUndici();
  return class extends Client implements Connection {
    /** Whether the socket has carried a request. */
    #isUsed = false;
    #prepareSocket: (() => void) | null = null;

    constructor(origin: URL, options: Client.Options, connector: buildConnector.connector) {
      super(origin, {
        ...options,
        connect: (target, done) =>
          connector(target, (...result) => {
            if (result[0] === null) this.#onConnect(result[1]);
            done(...result);
          }),
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
      this.#prepareSocket?.();
      return isReused;
    }

    #onConnect(socket: Socket): void {
      this.#isUsed = false;
      this.#prepareSocket = skipInformationalResponses(socket);
    }
  };
}
