/** How a request shows the token of the control plane: programs in a header, browsers in a cookie. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { H3Event } from 'h3';
import { isControlToken } from '../domain/control-token.ts';
import { SvcError } from '../errors.ts';
import { isOnThisMachineAlone } from './addresses.ts';
import { authoritiesOf } from './authorities.ts';
import type { ListenOptions } from './listen-options.ts';

const TOKEN_BYTES = 24;

export interface TokenLock {
  /** @throws SvcError `token_required`. */
  assertOpened(event: H3Event): void;
  /** The cookie for a visitor who came with the token in the link; null where that has none, or another. */
  cookieFor(event: H3Event): string | null;
}

/**
 * The token of an emulator that is started with these options; null where none is asked for.
 * @throws SvcError `usage` for a token that is too short, or that a cookie cannot carry.
 */
export function chooseControlToken(options: ListenOptions): string | null {
  const { controlToken } = options;
  if (!controlToken) {
    // Never of the seed of a run: who knows that must not know the token.
    return isOnThisMachineAlone(options) ? null : randomBytes(TOKEN_BYTES).toString('base64url');
  }
  if (isControlToken(controlToken)) return controlToken;
  throw new SvcError(
    'usage',
    'The token of the control plane must be 16 or more of A-Z, a-z, 0-9, -, ., _ and ~.',
  );
}

/** Where no token is asked for. */
export const noLock: TokenLock = { assertOpened: () => {}, cookieFor: () => null };

/** @param publicUrl the address that the emulator was told to be reached at, if any */
export function createTokenLock(token: string, publicUrl: string | null): TokenLock {
  const outer = publicUrl === null ? null : new URL(publicUrl);
  return {
    assertOpened(event) {
      const { headers } = event.req;
      const bearer = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
      const shown = [bearer, findCookie(headers.get('cookie') ?? '', cookieName(event))];
      if (shown.some((each) => each !== undefined && isSameToken(each, token))) return;
      throw new SvcError('token_required', toMessage(shown), {
        headers: { 'WWW-Authenticate': 'Bearer realm="svc control plane"' },
      });
    },
    cookieFor(event) {
      const given = event.url.searchParams.get('token');
      if (given === null || !isSameToken(given, token)) return null;
      const isSecure =
        event.url.protocol === 'https:' ||
        (outer?.protocol === 'https:' && authoritiesOf(event).includes(outer.host));
      // Not `Strict`: the link that somebody was sent would lead to a page that the cookie does not come along to.
      return `${cookieName(event)}=${token}; HttpOnly; SameSite=Lax; Path=/${isSecure ? '; Secure' : ''}`;
    },
  };
}

/** Browsers keep one jar for all ports of a host, and there may be an emulator at several. */
function cookieName({ url }: H3Event): string {
  return `svc_token_${url.port || 'default'}`;
}

function findCookie(cookies: string, name: string): string | undefined {
  const pairs = cookies.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

function toMessage(shown: readonly (string | undefined)[]): string {
  return shown.every((each) => each === undefined)
    ? 'Other machines can reach this emulator: its control plane asks for a token.'
    : 'The token is not the one of this emulator.';
}

/** Takes equally long wherever the two differ. */
function isSameToken(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
