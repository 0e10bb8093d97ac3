/** The HTTP proxy for deliveries and the hosts that bypass it. */
import { SvcError } from './errors.ts';
import { getPort, parseUrl, stripBrackets } from './http-url.ts';
import { classifyHost } from './network-address.ts';

export interface ProxyOptions {
  /** `http://[user:password@]host:port` */
  readonly url: string;
  /**
   * Hosts that bypass the proxy, as in `NO_PROXY`: `example.com` includes its subdomains, `example.com:8443` is one port,
   * `*` is every host.
   */
  readonly except?: readonly string[] | undefined;
}

export interface HttpProxy {
  /** An IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: number;
  /** `host:port` without the password, for messages. */
  readonly authority: string;
  /** The value of `Proxy-Authorization`; null when the URL has no user name. */
  readonly authorization: string | null;
  readonly except: readonly string[];
}

/** @throws SvcError `usage` if the URL is invalid or does not start with `http://`. */
export function parseProxy({ url: text, except = [] }: ProxyOptions): HttpProxy {
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
    except,
  };
}

/** Whether requests to a URL use the proxy. Loopback and private addresses never do, and so does plain HTTP, which only they accept. */
export function usesProxy(proxy: HttpProxy, url: URL): boolean {
  const { hostname, protocol } = url;
  if (protocol === 'http:' || classifyHost(hostname).kind !== 'public') return false;
  const host = hostname.replace(/\.$/, '');
  const hosts = [stripBrackets(host), `${host}:${getPort(url)}`];
  return !proxy.except.some((entry) => matchesHost(entry, hosts));
}

/** Decodes a part of a URL. A percent sign that encodes nothing stays. */
function decodePart(text: string): string {
  return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
}

/**
 * Whether an entry of `except` includes a host. `.example.com` and `*.example.com` mean the same as `example.com`.
 * @param hosts the host, without and with its port
 */
function matchesHost(entry: string, hosts: readonly string[]): boolean {
  const suffix = entry.toLowerCase().replace(/^\*?\./, '');
  return suffix === '*' || hosts.some((host) => host === suffix || host.endsWith(`.${suffix}`));
}
