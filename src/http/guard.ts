/**
 * Who may talk to the control plane: programs on this machine, and pages that the emulator itself served. A web page
 * from elsewhere can make the browser send requests here, directly or by a host name that it points at this machine;
 * both show in the `Host` and `Origin` headers.
 */
import type { H3Event } from 'h3';
import { SvcError } from '../errors.ts';

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const SAFE_METHODS = new Set(['GET', 'HEAD']);

export interface Guard {
  /** @throws SvcError `forbidden_origin`. */
  assertAllowed(event: H3Event): void;
}

/** @param host the host that the emulator was told to listen on. */
export function createGuard(host: string): Guard {
  const hosts = new Set([...LOCAL_HOSTS, host.includes(':') ? `[${host}]` : host.toLowerCase()]);
  return {
    assertAllowed(event) {
      const authority = event.req.headers.get('host') ?? event.url.host;
      if (!hosts.has(hostOf(authority))) {
        throw new SvcError(
          'forbidden_origin',
          `The control plane does not answer to the host ${JSON.stringify(authority)}.`,
        );
      }
      const origin = event.req.headers.get('origin');
      if (origin === null || (SAFE_METHODS.has(event.req.method) && origin === 'null')) return;
      if (!URL.canParse(origin) || new URL(origin).host !== authority.toLowerCase()) {
        throw new SvcError(
          'forbidden_origin',
          'The control plane takes no requests from pages of other origins.',
        );
      }
    },
  };
}

/** The host of `host:port`, without the port. */
function hostOf(authority: string): string {
  return authority.toLowerCase().replace(/:\d{1,5}$/, '');
}
