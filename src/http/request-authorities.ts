import type { H3Event } from 'h3';

/**
 * The hosts, with their ports, that a request was sent to on its way here: as it says itself, and in `X-Forwarded-Host`
 * as a proxy does that wrote its own in the place.
 */
export function getRequestAuthorities({ req, url }: H3Event): string[] {
  const { headers } = req;
  const own = [headers.get('host') ?? url.host, url.host];
  const forwarded = headers.get('x-forwarded-host')?.split(',') ?? [];
  return [...own, ...forwarded].map((text) => text.trim().toLowerCase());
}
