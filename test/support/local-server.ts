import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server on a port of 127.0.0.1 (default: a free one). @returns the port */
export async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Like {@link listen}, and closes the server after the test. */
export async function listenDuringTest(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  return listen(server);
}

const foundPorts = new Set<number>();

/**
 * Finds a port on which nothing listens, another one each time. It is below the range from which Linux takes the ports of connections and of
 * servers that listen on port 0, so no other test gets it before its server listens.
 */
export async function findFreePort(): Promise<number> {
  const port = randomInt(20_000, 32_768);
  if (foundPorts.has(port)) return findFreePort();
  foundPorts.add(port);
  const server = createServer();
  try {
    await listen(server, port);
  } catch {
    return findFreePort();
  }
  await new Promise((resolve) => server.close(resolve));
  return port;
}
