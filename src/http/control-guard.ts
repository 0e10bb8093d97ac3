/**
 * Who may talk to the control plane and see the dashboard: programs on this machine, pages that the emulator itself
 * served, and from elsewhere whoever has its token. A web page of another site can make the browser send requests
 * here, directly or by a host name that it points at this machine; that shows in `Host`, `Origin` and `Sec-Fetch-Site`.
 * What came in from outside by a tunnel or a proxy shows in the host too, or in `X-Forwarded-Host` where that rewrote it.
 */
import { isIP } from 'node:net';
import type { H3Event } from 'h3';
import { stripBrackets } from '../domain/host-name.ts';
import { SvcError } from '../errors.ts';
import type { ControlAuth } from './control-auth.ts';
import { canServeControlPlane } from './emulator-urls.ts';
import { getRequestAuthorities } from './request-authorities.ts';

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const ANY_ADDRESS = ['0.0.0.0', '::'];
/** By an address that somebody typed, or from a page of the emulator. */
const TRUSTED_FETCH_SITES = ['none', 'same-origin'];

export interface ControlGuard {
  /**
   * For all but the entrance of the dashboard.
   * @throws SvcError `forbidden_origin`, `token_required`.
   */
  assertAllowed(event: H3Event): void;
  /**
   * For the entrance, where a link from anywhere may lead, and the token is asked for later.
   * @throws SvcError `forbidden_origin`.
   */
  assertCanOpenPage(event: H3Event): void;
}

/**
 * @param host the host that the emulator was told to listen on
 * @param publicUrl the address that it was told to be reached at, if any
 */
export function createControlGuard(host: string, publicUrl: string | null, lock: ControlAuth): ControlGuard {
  const own = publicUrl !== null && canServeControlPlane(publicUrl) ? new URL(publicUrl) : null;
  const hosts = new Set([...LOCAL_HOSTS, host.includes(':') ? `[${host}]` : host.toLowerCase()]);
  if (own !== null) hosts.add(own.hostname);
  // Only a name can be pointed at this machine by somebody else.
  const takesAddresses = ANY_ADDRESS.includes(host);
  const isOwnHost = (name: string) => hosts.has(name) || (takesAddresses && isAddress(name));

  function assertMayVisit(event: H3Event): void {
    const authorities = getRequestAuthorities(event);
    const foreign = authorities.find((authority) => !isOwnHost(removePort(authority)));
    if (foreign !== undefined) throw hostNotAllowed(foreign);
    const origin = event.req.headers.get('origin');
    if (origin === null) return;
    const isOwnPage = URL.canParse(origin) && [...authorities, own?.host].includes(new URL(origin).host);
    if (!isOwnPage) throw crossOriginBlocked(event.url.pathname);
  }

  return {
    assertCanOpenPage: assertMayVisit,
    assertAllowed(event) {
      assertMayVisit(event);
      if (!TRUSTED_FETCH_SITES.includes(event.req.headers.get('sec-fetch-site') ?? 'none')) {
        throw crossOriginBlocked(event.url.pathname);
      }
      lock.assertAuthorized(event);
    },
  };
}

/** The host of `host:port`, without the port. */
function removePort(authority: string): string {
  return authority.replace(/:\d{1,5}$/, '');
}

function isAddress(host: string): boolean {
  return isIP(stripBrackets(host)) !== 0;
}

function hostNotAllowed(authority: string): SvcError {
  return new SvcError(
    'forbidden_origin',
    `The control plane does not answer to the host ${JSON.stringify(authority)}.`,
    {
      hint: 'Ask the address that the emulator listens on. For a name of your own network, start it with --public-url.',
    },
  );
}

function crossOriginBlocked(path: string): SvcError {
  return new SvcError('forbidden_origin', `Pages of other origins get nothing of ${path}.`);
}
