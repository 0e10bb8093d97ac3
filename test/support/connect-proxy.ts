/** A CONNECT proxy that opens every tunnel to the same receiver, regardless of the requested host. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from './local-server.ts';

export interface TestProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The CONNECT requests so far. */
  readonly requests: readonly IncomingMessage[];
}

/** @param behavior the status to reject with, or the local port to which tunnels lead */
export async function createConnectProxy(
  behavior: { refuse: number } | { leadTo: number },
): Promise<TestProxy> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  server.on('connect', (request, client: Socket) => {
    requests.push(request);
    if ('refuse' in behavior) {
      client.end(`HTTP/1.1 ${behavior.refuse} Refused\r\n\r\n`);
      return;
    }
    const receiver = connect(behavior.leadTo, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(receiver).pipe(client);
    });
    sockets.add(receiver.on('error', () => client.destroy()));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
