/**
 * Checks who can use the control plane and the dashboard: programs on this machine, pages of the emulator itself, and
 * clients with the token. A web page of another site can send requests here, directly or with a host name that resolves to
 * this machine. `Host`, `Origin` and `Sec-Fetch-Site` show that. A request that came through a tunnel or a proxy has a public
 * `Host`, or the public host in `X-Forwarded-Host`.
 */

import { isIP } from 'node:net';
import type { H3Event } from 'h3';
import { addBrackets, parseUrl, stripBrackets } from '../domain/http-url.ts';
import { SvcError } from '../errors.ts';
import { type ControlAuth, getRequestAuthorities } from './control-auth.ts';
import { canServeControlPlane } from './listen-options.ts';

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const ANY_ADDRESS = ['0.0.0.0', '::'];
/** `none`: a person typed the URL. `same-origin`: a page of the emulator. */
const TRUSTED_FETCH_SITES = ['none', 'same-origin'];

export interface ControlGuard {
  /**
   * For every path except the page of the dashboard.
   * @throws SvcError `forbidden_origin`, `token_required`.
   */
  assertAllowed(event: H3Event): void;
  /**
   * For the page of the dashboard: a link on another site can lead to it. Its caller checks the token.
   * @throws SvcError `forbidden_origin`.
   */
  assertCanOpenPage(event: H3Event): void;
}

/**
 * @param host the `host` option of the emulator
 * @param publicUrl URL of the tunnel or proxy; null without one
 */
export function createControlGuard(host: string, publicUrl: string | null, auth: ControlAuth): ControlGuard {
  const publicOrigin = publicUrl !== null && canServeControlPlane(publicUrl) ? new URL(publicUrl) : null;
  const hosts = new Set([...LOCAL_HOSTS, addBrackets(host.toLowerCase())]);
  if (publicOrigin !== null) hosts.add(publicOrigin.hostname);
  // An address in `Host` is safe: another site can make only a name resolve to this machine.
  const acceptsAddresses = ANY_ADDRESS.includes(host);
  const isOwnHost = (name: string) => hosts.has(name) || (acceptsAddresses && isAddress(name));

  function assertOwnHostAndOrigin(event: H3Event): void {
    const authorities = getRequestAuthorities(event);
    const otherAuthority = authorities.find((authority) => !isOwnHost(removePort(authority)));
    if (otherAuthority !== undefined) throw createHostError(otherAuthority);
    const origin = event.req.headers.get('origin');
    if (origin === null) return;
    const originHost = parseUrl(origin)?.host;
    const isOwnPage = originHost !== undefined && [...authorities, publicOrigin?.host].includes(originHost);
    if (!isOwnPage) throw createOriginError(event.url.pathname);
  }

  return {
    assertCanOpenPage: assertOwnHostAndOrigin,
    assertAllowed(event) {
      assertOwnHostAndOrigin(event);
      if (!TRUSTED_FETCH_SITES.includes(event.req.headers.get('sec-fetch-site') ?? 'none')) {
        throw createOriginError(event.url.pathname);
      }
      auth.assertAuthorized(event);
    },
  };
}

function removePort(authority: string): string {
  return authority.replace(/:\d{1,5}$/, '');
}

function isAddress(host: string): boolean {
  return isIP(stripBrackets(host)) !== 0;
}

function createHostError(authority: string): SvcError {
  return new SvcError(
    'forbidden_origin',
    `The control plane does not accept the host ${JSON.stringify(authority)}.`,
    {
      hint: 'Use the address that the emulator listens on. For a name in your network, start it with --public-url.',
    },
  );
}

function createOriginError(path: string): SvcError {
  return new SvcError('forbidden_origin', `Cross-origin request to ${path} blocked.`);
}
