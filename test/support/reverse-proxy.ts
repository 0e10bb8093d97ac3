/** A reverse proxy, as users put in front of a server to reach it by another name. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReverseProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Sets the URL to which requests are forwarded from now on. */
  setTarget(target: string): void;
}

/**
 * @param host the forwarded `Host` header: the original one, or that of the target with or without the original one in
 *   `X-Forwarded-Host`
 */
export async function createReverseProxy(
  host: 'kept' | 'forwarded' | 'lost' = 'kept',
): Promise<ReverseProxy> {
  let target = '';
  const server = createServer((incoming, outgoing) => {
    const { host: name = '', ...headers } = incoming.headers;
    const told = {
      kept: { host: name },
      forwarded: { host: new URL(target).host, 'x-forwarded-host': name },
      lost: { host: new URL(target).host },
    };
    const onward = request(target + incoming.url, {
      method: incoming.method,
      headers: { ...headers, ...told[host] },
    });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTarget: (address) => {
      target = address;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
