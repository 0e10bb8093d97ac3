/**
 * Who may talk to the control plane: programs on this machine, and pages that the emulator itself served. A web page
 * from elsewhere can make the browser send requests here, directly or by a host name that it points at this machine;
 * both show in the `Host` and `Origin` headers. What came in from outside by a tunnel or a proxy shows in the host too,
 * or in `X-Forwarded-Host` where that rewrote it.
 */
import type { H3Event } from 'h3';
import { SvcError } from '../errors.ts';
import { mayCarryControl } from './addresses.ts';

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const SAFE_METHODS = new Set(['GET', 'HEAD']);

export interface Guard {
  /** @throws SvcError `forbidden_origin`. */
  assertAllowed(event: H3Event): void;
}

/**
 * @param host the host that the emulator was told to listen on
 * @param publicUrl the address that it was told to be reached at, if any
 */
export function createGuard(host: string, publicUrl: string | null): Guard {
  const own = publicUrl !== null && mayCarryControl(publicUrl) ? new URL(publicUrl) : null;
  const hosts = new Set([...LOCAL_HOSTS, host.includes(':') ? `[${host}]` : host.toLowerCase()]);
  if (own !== null) hosts.add(own.hostname);
  return {
    assertAllowed(event) {
      const authorities = authoritiesOf(event);
      for (const authority of authorities) {
        if (!hosts.has(hostOf(authority))) throw refusedHost(authority);
      }
      const origin = event.req.headers.get('origin');
      if (origin === null || (SAFE_METHODS.has(event.req.method) && origin === 'null')) return;
      const isOwnPage = URL.canParse(origin) && [...authorities, own?.host].includes(new URL(origin).host);
      if (!isOwnPage) {
        throw new SvcError(
          'forbidden_origin',
          'The control plane takes no requests from pages of other origins.',
        );
      }
    },
  };
}

/** The hosts, with their ports, that a request was sent to on its way here. */
function authoritiesOf({ req, url }: H3Event): string[] {
  const forwarded = req.headers.get('x-forwarded-host')?.split(',') ?? [];
  return [req.headers.get('host') ?? url.host, ...forwarded].map((text) => text.trim().toLowerCase());
}

/** The host of `host:port`, without the port. */
function hostOf(authority: string): string {
  return authority.replace(/:\d{1,5}$/, '');
}

function refusedHost(authority: string): SvcError {
  return new SvcError(
    'forbidden_origin',
    `The control plane does not answer to the host ${JSON.stringify(authority)}.`,
    {
      hint: 'Ask the address that the emulator listens on. For a name of your own network, start it with --public-url.',
    },
  );
}
