import { type AddressInfo, createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server on a free port of 127.0.0.1. @returns the port */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Like {@link listen}, and closes the server after the test. */
export async function listenDuringTest(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  return listen(server);
}

/** Finds a port on which nothing listens. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
