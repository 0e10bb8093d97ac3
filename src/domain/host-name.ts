/** A host as `Host` headers and URLs have it, without the port. */

const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)$/i;

/** The host in the form that URLs give it, such as `api.example.com` or `[::1]`; null when it is not valid. */
export function parseHostName(text: string): string | null {
  const url = `http://${text}`;
  return HOST.test(text) && URL.canParse(url) ? new URL(url).hostname : null;
}

/** The host of `host` or `host:port` (RFC 9110, section 7.2); null when that is not valid. */
export function parseAuthority(text: string): string | null {
  const [, host = '', port = ''] = /^(.*?)(:\d{1,5})?$/.exec(text) ?? [];
  return URL.canParse(`http://localhost${port}`) ? parseHostName(host) : null;
}
