/** Parses URLs and host names. */

/**
 * Parses a URL, which must be absolute without a base; null if it is invalid. `URL.canParse` is not used, because after some thousand calls in Node.js 20 and 22
 * it rejects every host name with a character such as `ü`.
 */
export function parseUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Number of URLs to remember, which take about a megabyte. */
const MAX_PARSED_URLS = 1_000;
const parsedUrls = new Map<string, URL>();

/** Parses a URL that requests often have. Remembers the result, because parsing takes a tenth of the time of a request. */
function parseFrequentUrl(text: string): URL {
  const known = parsedUrls.get(text);
  if (known !== undefined) return known;
  const url = new URL(text);
  if (parsedUrls.size >= MAX_PARSED_URLS) parsedUrls.clear();
  parsedUrls.set(text, url);
  return url;
}

/**
 * Parses the URL of a receiver.
 * @throws TypeError for an invalid URL, or one that is not HTTP
 */
export function parseReceiverUrl(text: string): URL {
  const url = parseFrequentUrl(text);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`Protocol "${url.protocol}" is not supported`);
  return url;
}

/** Whether text is an absolute `http:` or `https:` URL in visible ASCII characters, so that it stays one word on one line. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(text) && parseUrl(text) !== null;
}

const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)$/i;

/** The host as `URL` normalizes it, such as `api.example.com` or `[::1]`; null when it is invalid. */
export function parseHostName(text: string): string | null {
  return HOST.test(text) ? parseAuthority(text) : null;
}

/** The host of `host` or `host:port` (RFC 9110, section 7.2); null when it is invalid. */
export function parseAuthority(text: string): string | null {
  const host = text.replace(/:\d{1,5}$/, '');
  // The URL parser rejects a port above 65535.
  if (!HOST.test(host)) return null;
  try {
    return parseFrequentUrl(`http://${text}`).hostname;
  } catch {
    return null;
  }
}

/** The port of an HTTP URL, even if it is the default port. */
export function getPort({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/** A host name or an address as the host of a URL, which has brackets around an IPv6 address. */
export function addBrackets(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** An address that clients on this machine can connect to, from one to listen on: not all systems accept the unspecified address. */
export function toReachableHost(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '[::1]' }[host] ?? host;
}

/** The IPv6 address in `[::1]`; other hosts unchanged. */
export function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
