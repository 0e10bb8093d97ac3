/** The HTTP proxy for deliveries. */
import { SvcError } from './errors.ts';
import { getPort, parseUrl, stripBrackets } from './http-url.ts';
import { classifyHost } from './network-address.ts';

export interface HttpProxy {
  /** An IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: number;
  /** `host:port` without the password, for messages. */
  readonly authority: string;
  /** The value of `Proxy-Authorization`; null when the URL has no user name. */
  readonly authorization: string | null;
}

/**
 * @param text `http://[user:password@]host:port`
 * @throws SvcError `usage` if the URL is invalid or does not start with `http://`.
 */
export function parseProxy(text: string): HttpProxy {
  const url = parseUrl(text);
  if (url === null || url.protocol !== 'http:') {
    const message =
      url === null
        ? 'The proxy URL is invalid: it must have the form http://host:port.'
        : `The proxy URL starts with ${url.protocol} instead of http://.`;
    throw new SvcError('usage', message, {
      hint: 'Pass a URL such as http://proxy:3128 or http://user:password@proxy:3128',
    });
  }
  const { hostname, username, password } = url;
  const port = getPort(url);
  const credentials = [username, password].map(decodePart).join(':');
  return {
    hostname: stripBrackets(hostname),
    port,
    authority: `${hostname}:${port}`,
    authorization: username === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/** Whether requests to a URL use the proxy. Loopback and private addresses never do, and neither does plain HTTP, which only they accept. */
export function usesProxy({ hostname, protocol }: URL): boolean {
  return protocol !== 'http:' && classifyHost(hostname).kind === 'public';
}

/** Decodes a part of a URL. A percent sign that encodes nothing stays. */
function decodePart(text: string): string {
  return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
}
