/** The connections to one origin. This and the connector are all that uses undici. */
import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, Pool } from 'undici';
import { type ConnectorOptions, createConnector } from './connector.ts';
import { skipInformationalResponses } from './informational-responses.ts';
import { type Connection, HEADERS_LIMIT_BYTES, type OutboundRequest } from './outbound-exchange.ts';
import { loadUndici } from './undici.ts';

export interface OriginPoolOptions extends ConnectorOptions {
  /** Connections at most; further exchanges wait for one. */
  readonly connections: number;
}

/**
 * A pool to dispatch exchanges on. An exchange is a handler and not a use of `Pool.request`, which makes a stream for
 * each body: bare handlers send a sixth more requests a second.
 */
export function createOriginPool(origin: URL, options: OriginPoolOptions): Pool {
  const connector = createConnector(origin, options);
  const Connection = getConnectionClass();
  return new (loadUndici().Pool)(origin, {
    connections: options.connections,
    pipelining: 1,
    headersTimeout: 0, // an exchange limits its time as a whole
    bodyTimeout: 0,
    maxHeaderSize: HEADERS_LIMIT_BYTES,
    factory: (_origin, clientOptions) => new Connection(origin, clientOptions, connector),
  });
}

let connectionClass: ReturnType<typeof defineConnection> | null = null;

function getConnectionClass(): ReturnType<typeof defineConnection> {
  connectionClass ??= defineConnection();
  return connectionClass;
}

/** A client that tells each exchange whether the socket it is written to carried another one before. */
function defineConnection() {
  const { Client } = loadUndici();
  return class extends Client implements Connection {
    #used = false;
    #expectAnswer: (() => void) | null = null;

    constructor(origin: URL, options: Client.Options, connector: buildConnector.connector) {
      super(origin, {
        ...options,
        connect: (target, done) =>
          connector(target, (...result) => {
            if (result[0] === null) this.#opened(result[1]);
            done(...result);
          }),
      });
    }

    // undici wraps the handler on the way to here, so the exchange comes with the request.
    override dispatch(request: OutboundRequest, handler: Dispatcher.DispatchHandler): boolean {
      request.outboundExchange.connection = this;
      return super.dispatch(request, handler);
    }

    startRequest(): boolean {
      const reused = this.#used;
      this.#used = true;
      this.#expectAnswer?.();
      return reused;
    }

    #opened(socket: Socket): void {
      this.#used = false;
      this.#expectAnswer = skipInformationalResponses(socket);
    }
  };
}
