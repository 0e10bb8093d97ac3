/** Opens connections through an HTTP proxy. */
import { request, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { formatDuration } from '../domain/duration.ts';
import type { HttpProxy } from '../domain/http-proxy.ts';
import { clearTimeout, setTimeout } from '../timers.ts';

/** The proxy did not open a connection. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

/**
 * Requests a connection to `authority` from the proxy (CONNECT; RFC 9110, section 9.3.6). TLS goes through it end to end:
 * the proxy learns the host and cannot read deliveries.
 * @throws ProxyError
 */
export function openTunnel(proxy: HttpProxy, authority: string, timeoutMs: number): Promise<Socket> {
  const { hostname, port, authorization } = proxy;
  return new Promise((resolve, reject) => {
    const fail = (problem: string, cause?: unknown) =>
      reject(new ProxyError(`the proxy ${proxy.authority} ${problem}`, { cause }));
    const outgoing = request({
      method: 'CONNECT',
      host: hostname,
      port,
      path: authority,
      agent: false,
      headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
    });
    const timer = setTimeout(() => {
      fail(`did not open a connection within ${formatDuration(timeoutMs)}`);
      outgoing.destroy();
    }, timeoutMs);
    outgoing
      .once('connect', ({ statusCode = 0 }, socket: Socket) => {
        clearTimeout(timer);
        if (statusCode >= 200 && statusCode < 300) return resolve(socket);
        socket.destroy();
        fail(describeStatus(statusCode, authority));
      })
      .once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        fail(`cannot be used: ${error.message || error.code}`, error);
      })
      .end();
  });
}

function describeStatus(status: number, authority: string): string {
  const problem = `returned ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  return status === 407
    ? `${problem}: put a valid user name and password into its URL, http://user:password@host:port`
    : `${problem} for a connection to ${authority}`;
}
