/** The HTTP server of a receiver: it gives each request the response that a function returns. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout } from '../platform/timers.ts';
import { trackSockets } from '../platform/track-sockets.ts';

export interface ReceiverResponseOptions {
  /** HTTP status from 200 to 599 (default: 200). */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** Real time in milliseconds to wait before responding. */
  readonly delayMs?: number;
  /** Promise to wait for before responding. */
  readonly after?: Promise<unknown>;
  /** Closes the connection without a response. */
  readonly drop?: boolean;
}

interface ServerOptions {
  /** Port to listen on; 0 is any free port (default: 0). */
  readonly port?: number | undefined;
  /** Certificate and key in PEM, to serve HTTPS. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

export interface ReceiverServer {
  /** `http://127.0.0.1:<port>`, or `https://localhost:<port>` with a certificate. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
}

/**
 * Starts an HTTP server on 127.0.0.1.
 * @param respond reads the request; if it rejects, for example because the client has disconnected, the connection is closed
 */
export async function startReceiverServer(
  respond: (request: IncomingMessage) => Promise<ReceiverResponseOptions>,
  { port: requestedPort = 0, certificate }: ServerOptions = {},
): Promise<ReceiverServer> {
  const handleRequest = (request: IncomingMessage, response: ServerResponse) => {
    respond(request)
      .then((options) => sendResponse(response, options))
      .catch((error: Error) => response.destroy(error));
  };
  const server = certificate ? createTlsServer(certificate, handleRequest) : createServer(handleRequest);
  const sockets = trackSockets(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(requestedPort, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: certificate ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function sendResponse(
  response: ServerResponse,
  { status = 200, headers, body, delayMs = 0, after, drop }: ReceiverResponseOptions,
): Promise<void> {
  await after;
  if (delayMs > 0) await new Promise<void>((resolve) => void setTimeout(resolve, delayMs));
  if (drop) response.destroy();
  else response.writeHead(status, headers).end(body);
}
