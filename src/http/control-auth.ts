/** Checks the token of the control plane, which programs send in a header and browsers in a cookie. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { H3Event } from 'h3';
import type { WallClock } from '../domain/clock.ts';
import { isControlToken } from '../domain/credentials.ts';
import { toClientKey } from '../domain/network-address.ts';
import { TokenBuckets } from '../domain/token-buckets.ts';
import { SvcError } from '../errors.ts';
import { isLoopbackOnly, type ListenOptions } from './listen-options.ts';

const TOKEN_BYTES = 24;

/** Limit of wrong tokens for each client. The burst covers an open dashboard, which sends its old cookie every few seconds. */
const WRONG_TOKEN_LIMIT = { perSecond: 1, burst: 20 };
/** Number of clients for which wrong tokens are counted. */
const MAX_CLIENTS = 10_000;

export interface ControlAuth {
  /** @throws SvcError `token_required`; `rate_limited` after too many wrong tokens, even with the correct one. */
  assertAuthorized(event: H3Event): void;
  /**
   * The cookie for a request with the token in its URL; null without the correct one.
   * @throws SvcError `rate_limited` after too many wrong tokens.
   */
  createCookie(event: H3Event): string | null;
}

/**
 * The token of an emulator with these options; null if none is required.
 * @throws SvcError `usage` for a token that is too short or has characters that a cookie cannot contain.
 */
export function resolveControlToken(options: ListenOptions): string | null {
  const { controlToken } = options;
  if (!controlToken) {
    // Not derived from the seed of a run: someone who knows the seed must not know the token.
    return isLoopbackOnly(options) ? null : randomBytes(TOKEN_BYTES).toString('base64url');
  }
  if (isControlToken(controlToken)) return controlToken;
  throw new SvcError(
    'usage',
    'The control token must be at least 16 characters long and contain only A-Z, a-z, 0-9, -, ., _ and ~.',
    { hint: { text: 'Create one', command: 'openssl rand -hex 16' } },
  );
}

/** Requires no token. */
export const noControlAuth: ControlAuth = { assertAuthorized: () => {}, createCookie: () => null };

/**
 * @param publicUrl URL of the tunnel or proxy; null without one
 * @param wall measures the rate of wrong tokens
 */
export function createControlAuth(token: string, publicUrl: string | null, wall: WallClock): ControlAuth {
  const proxyUrl = publicUrl === null ? null : new URL(publicUrl);
  const wrongTokens = new TokenBuckets<string>(WRONG_TOKEN_LIMIT, wall.monotonic, MAX_CLIENTS);

  /** Whether one of the tokens is correct. Throws instead of comparing them if the client sent too many wrong ones. */
  function hasToken(candidates: readonly string[], event: H3Event): boolean {
    if (candidates.length === 0) return false;
    const client = toClientKey(event.runtime?.node?.req.socket.remoteAddress ?? '');
    const remaining = wrongTokens.getTokens(client);
    if (remaining < 1) throw createRateError(wrongTokens.secondsUntilNext(remaining));
    if (candidates.some((candidate) => isSameToken(candidate, token))) return true;
    wrongTokens.take(client);
    return false;
  }

  return {
    assertAuthorized(event) {
      const { headers } = event.req;
      const bearer = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
      const cookie = findCookie(headers.get('cookie') ?? '', toCookieName(event));
      const candidates = [bearer, cookie].filter((candidate) => candidate !== undefined);
      if (hasToken(candidates, event)) return;
      throw new SvcError('token_required', toMessage(candidates), {
        hint: 'Use the token in the dashboard link that the emulator printed when it started. For commands, set SVC_CONTROL_TOKEN.',
        headers: { 'WWW-Authenticate': 'Bearer realm="svc control plane"' },
      });
    },
    createCookie(event) {
      const candidate = event.url.searchParams.get('token');
      if (candidate === null || !hasToken([candidate], event)) return null;
      const isSecure =
        event.url.protocol === 'https:' ||
        (proxyUrl?.protocol === 'https:' && getRequestAuthorities(event).includes(proxyUrl.host));
      // With `Strict`, the browser would not send the cookie after a link on another site.
      return `${toCookieName(event)}=${token}; HttpOnly; SameSite=Lax; Path=/${isSecure ? '; Secure' : ''}`;
    },
  };
}

/** Browsers share cookies between all ports of a host, where several emulators can run. */
function toCookieName({ url }: H3Event): string {
  return `svc_token_${url.port || 'default'}`;
}

function findCookie(cookies: string, name: string): string | undefined {
  const pairs = cookies.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

function createRateError(retryAfterSeconds: number): SvcError {
  return new SvcError('rate_limited', 'Too many requests with an invalid control token.', {
    hint: `Wait ${retryAfterSeconds} s, then send the token that the emulator printed when it started.`,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

function toMessage(candidates: readonly string[]): string {
  return candidates.length === 0
    ? 'Other machines can reach this emulator, so its control plane requires a token.'
    : 'The control token is invalid.';
}

/** Compares in constant time, so that the time of the response does not show how much of the token is correct. */
function isSameToken(candidate: string, token: string): boolean {
  return timingSafeEqual(hash(candidate), hash(token));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The hosts, with ports, that a request was sent to: in `Host`, in its target, and in `X-Forwarded-Host` of a proxy. */
export function getRequestAuthorities({ req, url }: H3Event): string[] {
  const { headers } = req;
  const direct = [headers.get('host') ?? url.host, url.host];
  const forwarded = headers.get('x-forwarded-host')?.split(',') ?? [];
  return [...direct, ...forwarded].map((text) => text.trim().toLowerCase());
}
