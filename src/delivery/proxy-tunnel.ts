/** A way through a proxy. */
import { request, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { formatDuration } from '../domain/duration.ts';
import type { HttpProxy } from '../domain/http-proxy.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import type { NetworkError } from './outbound-exchange.ts';

/** The proxy opened no way. Never thrown: undici carries it to the result of the attempt. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

/**
 * Asks the proxy for a connection to `authority` (CONNECT; RFC 9110, section 9.3.6), through which TLS then goes from
 * end to end: the proxy learns the host and reads no delivery. Rejects with a {@link ProxyError}.
 */
export function connectThroughProxy(proxy: HttpProxy, authority: string, timeoutMs: number): Promise<Socket> {
  const { hostname, port, authorization } = proxy;
  return new Promise((resolve, reject) => {
    const fail = (problem: string, cause?: unknown) =>
      reject(new ProxyError(`the proxy ${proxy.authority} ${problem}`, { cause }));
    const asking = request({
      ...{ method: 'CONNECT', host: hostname, port, path: authority, agent: false },
      headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
    });
    const timer = setTimeout(() => {
      fail(`opened no connection within ${formatDuration(timeoutMs)}`);
      asking.destroy();
    }, timeoutMs);
    asking
      .once('connect', ({ statusCode = 0 }, socket: Socket) => {
        clearTimeout(timer);
        if (statusCode >= 200 && statusCode < 300) return resolve(socket);
        socket.destroy();
        fail(describeStatus(statusCode, authority));
      })
      .once('error', (error: NetworkError) => {
        clearTimeout(timer);
        fail(`cannot be used: ${error.message || error.code}`, error);
      })
      .end();
  });
}

function describeStatus(status: number, authority: string): string {
  const answered = `answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  return status === 407
    ? `${answered}: its address needs a name and a password it knows, http://user:password@host:port`
    : `${answered} when asked for a connection to ${authority}`;
}
