/**
 * Decides which requests are allowed. A web page of another site can send requests here, directly or with a host name that
 * resolves to this machine (DNS rebinding). `Host`, `Origin` and `Sec-Fetch-Site` show that. A request that came through a
 * tunnel or a proxy has a public `Host`, or the public host in `X-Forwarded-Host`.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { H3Event, HTTPResponse } from 'h3';
import { SvcError } from '../domain/errors.ts';
import { addBrackets, parseAuthority, parseUrl, stripBrackets } from '../domain/http-url.ts';
import { classifyHost } from '../domain/network-address.ts';
import { canServeControlPlane, isLoopbackOnly, type ListenOptions } from './listen-options.ts';

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const ANY_ADDRESS = ['0.0.0.0', '::'];
/** `none`: a person typed the URL. `same-origin`: a page of the emulator. */
const TRUSTED_FETCH_SITES = ['none', 'same-origin'];
const TOKEN_BYTES = 24;

export interface RequestGuardOptions {
  /** The `host` option of the emulator. */
  readonly host: string;
  /** Further hosts that `/v1` accepts. */
  readonly allowHost?: readonly string[] | undefined;
  /** URL of the tunnel or proxy; null without one. */
  readonly publicUrl: string | null;
  /** Token that everything except `/v1` requires; null for none. */
  readonly controlToken: string | null;
}

export interface RequestGuard {
  /**
   * For `/v1`, which the API key protects. Checks `Host` if only this machine can reach the emulator.
   * @throws SvcError `forbidden_origin`.
   */
  assertApiHost(event: H3Event): void;
  /**
   * For everything that is not `/v1`, except the page of the dashboard.
   * @throws SvcError `forbidden_origin`, `token_required`.
   */
  assertAllowed(event: H3Event): void;
  /**
   * For the page of the dashboard: a link on another site can lead to it, with the token.
   * @returns the cookie to set, if the URL contains the token; otherwise null.
   * @throws SvcError as {@link assertAllowed}.
   */
  openPage(event: H3Event): string | null;
}

/** Responds with the result of `respond` if {@link RequestGuard.assertAllowed} accepts the request, otherwise with its error. */
export type ServeAllowed = (
  event: H3Event,
  respond: (requestId: string) => HTTPResponse | Promise<HTTPResponse>,
) => Promise<HTTPResponse>;

export function createRequestGuard({
  host,
  allowHost = [],
  publicUrl,
  controlToken,
}: RequestGuardOptions): RequestGuard {
  const proxyUrl = publicUrl === null ? null : new URL(publicUrl);
  // With the local hosts, so that their requests need no check of address ranges.
  const assertApiHost = createApiHostCheck(host, [
    ...LOCAL_HOSTS,
    ...allowHost,
    ...toList(proxyUrl?.hostname),
  ]);
  const publicOrigin = publicUrl !== null && canServeControlPlane(publicUrl) ? proxyUrl : null;
  const hosts = new Set([...LOCAL_HOSTS, addBrackets(host.toLowerCase()), ...toList(publicOrigin?.hostname)]);
  // An address in `Host` is safe: another site can make only a name resolve to this machine.
  const acceptsAddresses = ANY_ADDRESS.includes(host);
  const isOwnHost = (name: string) =>
    hosts.has(name) || (acceptsAddresses && isIP(stripBrackets(name)) !== 0);

  function assertOwnHostAndOrigin(event: H3Event): void {
    const authorities = getRequestAuthorities(event);
    const otherAuthority = authorities.find((authority) => !isOwnHost(authority.replace(/:\d{1,5}$/, '')));
    if (otherAuthority !== undefined) throw createControlHostError(otherAuthority);
    const origin = event.req.headers.get('origin');
    if (origin === null) return;
    const originHost = parseUrl(origin)?.host;
    const isOwnPage = originHost !== undefined && [...authorities, publicOrigin?.host].includes(originHost);
    if (!isOwnPage) throw createOriginError(event);
  }

  function assertAuthorized(event: H3Event): void {
    if (controlToken === null) return;
    const { headers } = event.req;
    const bearer = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
    const cookie = findCookie(headers.get('cookie') ?? '', toCookieName(event));
    const candidates = [...toList(bearer), ...toList(cookie)];
    if (candidates.some((candidate) => isSameToken(candidate, controlToken))) return;
    throw new SvcError('token_required', toTokenMessage(event, candidates), {
      hint: 'Use the token in the dashboard link that the emulator printed when it started. For commands, set SVC_CONTROL_TOKEN.',
      headers: { 'WWW-Authenticate': 'Bearer realm="svc control plane"' },
    });
  }

  /** The cookie for a request with the token in its URL; null without the correct one. */
  function createCookie(event: H3Event): string | null {
    const candidate = event.url.searchParams.get('token');
    if (controlToken === null || candidate === null || !isSameToken(candidate, controlToken)) return null;
    const isSecure =
      event.url.protocol === 'https:' ||
      (proxyUrl?.protocol === 'https:' && getRequestAuthorities(event).includes(proxyUrl.host));
    // With `Strict`, the browser would not send the cookie after a link on another site.
    return `${toCookieName(event)}=${controlToken}; HttpOnly; SameSite=Lax; Path=/${isSecure ? '; Secure' : ''}`;
  }

  return {
    assertApiHost,
    assertAllowed(event) {
      assertOwnHostAndOrigin(event);
      if (isFromOtherSite(event)) throw createOriginError(event);
      assertAuthorized(event);
    },
    openPage(event) {
      assertOwnHostAndOrigin(event);
      const cookie = createCookie(event);
      if (cookie === null) assertAuthorized(event);
      return cookie;
    },
  };
}

/** @param names further hosts to accept */
function createApiHostCheck(listensOn: string, names: readonly string[]): RequestGuard['assertApiHost'] {
  // Other machines can reach the emulator by any name. The API key protects the API then.
  if (classifyHost(listensOn).kind !== 'loopback') return () => {};
  const isAllowed = (authority: string) => {
    const name = parseAuthority(authority);
    return name !== null && (names.includes(name) || classifyHost(name).kind === 'loopback');
  };

  return ({ req, url }) => {
    for (const authority of [req.headers.get('host') ?? url.host, url.host])
      if (!isAllowed(authority)) throw createApiHostError(authority);
  };
}

/** The token of an emulator with these options; null if none is required. */
export function resolveControlToken(options: ListenOptions): string | null {
  const { controlToken } = options;
  if (controlToken) return controlToken;
  // Not derived from the seed of a run: someone who knows the seed must not know the token.
  return isLoopbackOnly(options) ? null : randomBytes(TOKEN_BYTES).toString('base64url');
}

function toList(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

/** The hosts, with ports, that a request was sent to: in `Host`, in its target, and in `X-Forwarded-Host` of a proxy. */
function getRequestAuthorities({ req, url }: H3Event): string[] {
  const { headers } = req;
  const direct = [headers.get('host') ?? url.host, url.host];
  const forwarded = headers.get('x-forwarded-host')?.split(',') ?? [];
  return [...direct, ...forwarded].map((text) => text.trim().toLowerCase());
}

/** Whether a browser says that another site caused the request. */
function isFromOtherSite({ req }: H3Event): boolean {
  return !TRUSTED_FETCH_SITES.includes(req.headers.get('sec-fetch-site') ?? 'none');
}

/** Browsers share cookies between all ports of a host, where several emulators can run. */
function toCookieName({ url }: H3Event): string {
  return `svc_token_${url.port || 'default'}`;
}

function findCookie(cookies: string, name: string): string | undefined {
  const pairs = cookies.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Compares in constant time, so that the time of the response does not show how much of the token is correct. */
function isSameToken(candidate: string, token: string): boolean {
  return timingSafeEqual(hash(candidate), hash(token));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function createApiHostError(authority: string): SvcError {
  return new SvcError(
    'forbidden_origin',
    `Host ${JSON.stringify(authority)} is not allowed: the emulator listens on this machine only. Start it with --allow-host or --public-url to allow the host.`,
  );
}

function createControlHostError(authority: string): SvcError {
  return new SvcError('forbidden_origin', `Only /v1 accepts the host ${JSON.stringify(authority)}.`, {
    hint: 'Use the address that the emulator listens on. For a name in your network, start it with --public-url.',
  });
}

function createOriginError({ url }: H3Event): SvcError {
  return new SvcError('forbidden_origin', `Cross-origin request to ${url.pathname} blocked.`);
}

function toTokenMessage({ url }: H3Event, candidates: readonly string[]): string {
  return candidates.length === 0 ? `${url.pathname} requires a token.` : 'The control token is invalid.';
}
