/** The proxy that deliveries may be asked to go through. Pure. */
import { SvcError } from '../errors.ts';
import { classifyHost } from './address.ts';

export interface ProxyOptions {
  /** `http://[user:password@]host:port` */
  readonly url: string;
  /**
   * Hosts that are reached without it, as `NO_PROXY` writes them: `example.com` stands for the names below it too,
   * `example.com:8443` for one port, `*` for all.
   */
  readonly except?: readonly string[] | undefined;
}

export interface HttpProxy {
  /** Without brackets where it is an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** `host:port`, for messages: without the password. */
  readonly authority: string;
  /** The value of `Proxy-Authorization`; null when the address has no user name. */
  readonly authorization: string | null;
  readonly except: readonly string[];
}

/** @throws SvcError `usage` when the address is not one of an HTTP proxy. */
export function parseProxy({ url: text, except = [] }: ProxyOptions): HttpProxy {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'http:') {
    throw new SvcError('usage', 'The address of the proxy must be http://host:port.', {
      hint: 'With a name and a password: http://user:password@host:port',
    });
  }
  const { hostname, username, password } = url;
  const port = Number(url.port) || 80;
  const credentials = [username, password].map(decode).join(':');
  return {
    hostname: withoutBrackets(hostname),
    port,
    authority: `${hostname}:${port}`,
    authorization: username === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
    except,
  };
}

/** Whether the proxy stands between here and the origin: never for what is on this machine or network. */
export function usesProxy(proxy: HttpProxy, { hostname, protocol, port }: URL): boolean {
  if (classifyHost(hostname).kind !== 'public') return false;
  const host = hostname.replace(/\.$/, '');
  const names = [withoutBrackets(host), `${host}:${port || (protocol === 'https:' ? 443 : 80)}`];
  return !proxy.except.some((entry) => matches(entry, names));
}

/** A percent sign that encodes nothing stands for itself. */
function decode(text: string): string {
  return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
}

function matches(entry: string, names: readonly string[]): boolean {
  const end = entry.toLowerCase().replace(/^\*?\./, '');
  return end === '*' || names.some((name) => name === end || name.endsWith(`.${end}`));
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
