/** Reads host names of `Host` headers and URLs. */

import { parseUrl } from './http-url.ts';

const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)$/i;

/** The host as `URL` normalizes it, such as `api.example.com` or `[::1]`; null when it is invalid. */
export function parseHostName(text: string): string | null {
  return HOST.test(text) ? (parseUrl(`http://${text}`)?.hostname ?? null) : null;
}

/** The host of `host` or `host:port` (RFC 9110, section 7.2); null when it is invalid. */
export function parseAuthority(text: string): string | null {
  const [, host = '', port = ''] = /^(.*?)(:\d{1,5})?$/.exec(text) ?? [];
  return parseUrl(`http://localhost${port}`) === null ? null : parseHostName(host);
}

/** The IPv6 address in `[::1]`; other hosts unchanged. */
export function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
