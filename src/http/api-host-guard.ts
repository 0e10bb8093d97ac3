/**
 * Which `Host` the API answers to when only this machine can reach it. A web page whose name is made to resolve to this
 * machine (DNS rebinding) may send any request and read the response; only its `Host` tells.
 */
import type { H3Event } from 'h3';
import { classifyHost } from '../domain/address.ts';
import { parseAuthority, parseHostName } from '../domain/host-name.ts';
import { SvcError } from '../errors.ts';

export interface ApiHostGuardOptions {
  /** The host that the emulator listens on. */
  readonly host: string;
  /** More hosts to answer to. */
  readonly allowHost?: readonly string[] | undefined;
  /** The address of a tunnel or proxy; null without one. A tunnel has none before it is open. */
  readonly publicUrl: () => string | null;
}

/** @throws SvcError `forbidden_origin` for a request to another host. */
export type ApiHostGuard = (event: H3Event) => void;

/** @throws SvcError `usage` for an `allowHost` that is not a host. */
export function createApiHostGuard({ host, allowHost = [], publicUrl }: ApiHostGuardOptions): ApiHostGuard {
  const allowed = new Set(allowHost.map(toHostName));
  // Elsewhere other machines use names that the emulator cannot know, and keys are not predictable.
  if (classifyHost(host).kind !== 'loopback') return () => {};

  function isAllowed(name: string): boolean {
    if (allowed.has(name) || classifyHost(name).kind === 'loopback') return true;
    const url = publicUrl();
    return url !== null && new URL(url).hostname === name;
  }

  return ({ req, url }) => {
    const header = req.headers.get('host');
    // A request of this process, which came over no network.
    if (header === null) return;
    for (const authority of [header, url.host]) {
      const name = parseAuthority(authority);
      if (name === null || !isAllowed(name)) throw refuse(authority);
    }
  };
}

function toHostName(text: string): string {
  const name = parseHostName(text);
  if (name !== null) return name;
  throw new SvcError(
    'usage',
    `allowHost must be host names or addresses without a port, not ${JSON.stringify(text)}.`,
  );
}

function refuse(authority: string): SvcError {
  return new SvcError(
    'forbidden_origin',
    `The emulator does not answer to the host ${JSON.stringify(authority)}: it listens on this machine only. Start it with --allow-host or --public-url to allow the host.`,
  );
}
