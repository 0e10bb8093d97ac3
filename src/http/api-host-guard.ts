/**
 * Checks the `Host` of requests to the API when only this machine can reach it. A web page with a host name that resolves to
 * this machine (DNS rebinding) can send any request and read the response. Only `Host` shows that name.
 */
import type { H3Event } from 'h3';
import { parseAuthority, parseHostName } from '../domain/http-url.ts';
import { classifyHost } from '../domain/network-address.ts';
import { SvcError } from '../errors.ts';

export interface ApiHostGuardOptions {
  /** The host that the emulator listens on. */
  readonly host: string;
  /** Further hosts to accept. */
  readonly allowHost?: readonly string[] | undefined;
  /** URL of the tunnel or proxy; null without one. */
  readonly publicUrl: string | null;
}

/** @throws SvcError `forbidden_origin` for a request to another host. */
export type ApiHostGuard = (event: H3Event) => void;

/** @throws SvcError `usage` for an `allowHost` that is not a host. */
export function createApiHostGuard({ host, allowHost = [], publicUrl }: ApiHostGuardOptions): ApiHostGuard {
  const allowedNames = new Set(allowHost.map(toHostName));
  if (publicUrl !== null) allowedNames.add(new URL(publicUrl).hostname);
  // Other machines can reach the emulator by any name. The API key protects the API then.
  if (classifyHost(host).kind !== 'loopback') return () => {};

  /** The last authority that is allowed. Classifying an address costs more than most parts of a request. */
  let lastAllowed: string | null = null;

  function isAllowed(authority: string): boolean {
    if (authority === lastAllowed) return true;
    const name = parseAuthority(authority);
    if (name === null) return false;
    if (!allowedNames.has(name) && classifyHost(name).kind !== 'loopback') return false;
    lastAllowed = authority;
    return true;
  }

  return ({ req, url }) => {
    const header = req.headers.get('host');
    // A request of this process, which came through no connection.
    if (header === null) return;
    for (const authority of [header, url.host]) if (!isAllowed(authority)) throw createHostError(authority);
  };
}

function toHostName(text: string): string {
  const name = parseHostName(text);
  if (name !== null) return name;
  throw new SvcError(
    'usage',
    `allowHost must contain host names or addresses without a port, not ${JSON.stringify(text)}.`,
  );
}

function createHostError(authority: string): SvcError {
  return new SvcError(
    'forbidden_origin',
    `Host ${JSON.stringify(authority)} is not allowed: the emulator listens on this machine only. Start it with --allow-host or --public-url to allow the host.`,
  );
}
