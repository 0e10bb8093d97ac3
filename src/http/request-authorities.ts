import type { H3Event } from 'h3';

/** The hosts, with ports, that a request was sent to: in `Host`, in its target, and in `X-Forwarded-Host` of a proxy. */
export function getRequestAuthorities({ req, url }: H3Event): string[] {
  const { headers } = req;
  const own = [headers.get('host') ?? url.host, url.host];
  const forwarded = headers.get('x-forwarded-host')?.split(',') ?? [];
  return [...own, ...forwarded].map((text) => text.trim().toLowerCase());
}
