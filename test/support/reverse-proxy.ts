/** A reverse proxy in front of a server, which makes it reachable under another name. */
import { createServer, request } from 'node:http';
import { listen } from './local-server.ts';

export interface ReverseProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Sets the URL to which requests are forwarded from now on. */
  setTarget(target: string): void;
}

/**
 * @param host `kept` forwards the original `Host` header; `forwarded` replaces it with that of the target and sends the original in
 *   `X-Forwarded-Host`; `lost` only replaces it
 */
export async function createReverseProxy(
  host: 'kept' | 'forwarded' | 'lost' = 'kept',
): Promise<ReverseProxy> {
  let target = '';
  const server = createServer((incoming, outgoing) => {
    const { host: name = '', ...headers } = incoming.headers;
    const hostHeaders = {
      kept: { host: name },
      forwarded: { host: new URL(target).host, 'x-forwarded-host': name },
      lost: { host: new URL(target).host },
    };
    const forwarded = request(target + incoming.url, {
      method: incoming.method,
      headers: { ...headers, ...hostHeaders[host] },
    });
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(forwarded);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    setTarget: (address) => {
      target = address;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
