/** A receiver that can violate HTTP: a TCP or TLS server with a function for each connection. */
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Certificate } from './certificates.ts';
import { listen } from './local-server.ts';

export interface RawReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, or `https://localhost:<port>` with a certificate. */
  readonly url: string;
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** @param onConnection called with each connection and its index from 0; if it rejects, the connection is closed */
export async function createRawReceiver(
  onConnection: (socket: Socket, index: number) => unknown,
  certificate?: Certificate,
): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const accept = (socket: Socket) => {
    const index = connections++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    Promise.resolve(onConnection(socket, index)).catch(() => socket.destroy());
  };
  const server = certificate ? createTlsServer(certificate, accept) : createServer(accept);
  const port = await listen(server);

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });

  return {
    url: certificate ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    port,
    get connections() {
      return connections;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Resolves to the next complete request on the connection. Rejects if the connection ends before. */
export function readRequest(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const headersEnd = text.indexOf('\r\n\r\n');
      if (headersEnd === -1) return;
      const bodyAt = headersEnd + '\r\n\r\n'.length;
      const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, bodyAt))?.[1] ?? 0);
      if (text.length - bodyAt < length) return;
      socket.off('data', onData).off('close', onClose);
      resolve(text);
    };
    const onClose = () => reject(new Error(`closed after ${text.length} bytes of a request`));
    socket.on('data', onData).once('close', onClose);
  });
}
