/**
 * `svc-emulator/signature`: signs and verifies deliveries. Receivers import it in production, so it depends only on
 * `node:crypto`.
 */

import { systemClock } from './platform/wall-clock.ts';
import type { SignatureScheme } from './signature/scheme.ts';
import { getScheme, type SchemeName, schemeNames, schemes } from './signature/schemes.ts';
import {
  requireId,
  requireSecrets,
  type SignedDelivery as SignedDeliveryParts,
  signDelivery,
} from './signature/sign.ts';
import {
  refuseUnreadable,
  type VerifyResult,
  verify as verifyAt,
  verifyMessage,
} from './signature/verify.ts';
import type {
  VerifyInput as InputWithNow,
  VerifyOptions as OptionsWithNow,
} from './signature/verify-input.ts';

export { type RefusalReason, refusalReasons } from './signature/refusals.ts';
export type { HeaderValue, NamedSecret } from './signature/verify-input.ts';
export { type SchemeName, type SignatureScheme, schemeNames, schemes, type VerifyResult };

export interface SignInput<Scheme extends SchemeName | SignatureScheme = SchemeName | SignatureScheme> {
  /** The body as it will be sent. */
  readonly payload: string | Uint8Array;
  /** The endpoint secret; during a rotation several, the current one first. */
  readonly secret: string | readonly string[];
  /** The ID of the delivery (`del_…`). */
  readonly id: string;
  /** Wall time of sending in milliseconds since 1970 (default: now). */
  readonly timestampMs?: number | undefined;
  /** The name of a built-in scheme, or your own scheme (default: `svc`). */
  readonly scheme?: Scheme | undefined;
}

type HeaderNames<Scheme extends SchemeName> = Extract<
  (typeof schemes)[Scheme]['headers'][keyof (typeof schemes)[Scheme]['headers']],
  string
>;

/** The header names of a built-in scheme; any names for other schemes. */
export type SignedHeaders<Scheme> = SchemeName extends Scheme
  ? Record<string, string>
  : Scheme extends SchemeName
    ? { [Name in HeaderNames<Scheme>]: string }
    : Record<string, string>;

export type SignedDelivery<Scheme = SchemeName> = Omit<SignedDeliveryParts, 'headers'> & {
  /** The headers that the scheme adds to the request. */
  readonly headers: SignedHeaders<Scheme>;
};

type NowOptional<Input extends { readonly now: number }> = Omit<Input, 'now'> & {
  /** Wall time in milliseconds since 1970 (default: now). */
  readonly now?: number | undefined;
};
export type VerifyOptions = NowOptional<OptionsWithNow>;
export type VerifyInput = NowOptional<InputWithNow>;

/** The result and the body as text, which is empty if it could not be read. Do not trust the body unless `ok`. */
export type VerifiedRequest = VerifyResult & { readonly body: string };

/**
 * Signs a payload as the service does and returns the headers to send with it.
 * @throws SvcError `validation_failed` for an invalid scheme, a secret without a key, or a missing ID if the scheme sends one.
 */
export function sign<Scheme extends SchemeName | SignatureScheme = 'svc'>(
  input: SignInput<Scheme>,
): SignedDelivery<Scheme>;
export function sign(input: SignInput): SignedDelivery;
export function sign(input: SignInput): SignedDelivery {
  const { payload, secret, id, timestampMs = systemClock.now() } = input;
  const scheme = getScheme(input.scheme ?? 'svc');
  requireId(scheme, id);
  return signDelivery({ scheme, secrets: requireSecrets(scheme, secret), id, timestampMs, body: payload });
}

/** Whether a delivery is genuine, and if not, why and what to do. Never throws. */
export function verify(input: VerifyInput): VerifyResult {
  return catchErrors(() => verifyAt(withNow(input)));
}

/**
 * {@link verify} for handlers of the Fetch API. It reads the body, so pass a request with an unread body.
 * Return 400 unless `ok`, and parse `body` only if `ok` (§6 of the service description). Never rejects.
 */
export async function verifyRequest(request: Request, options: VerifyOptions): Promise<VerifiedRequest> {
  const payload = await readBody(request);
  const result = catchErrors(() => {
    // Plain JavaScript can pass other values than a `Request`; they count as a request without headers.
    const headers = typeof request?.headers?.get === 'function' ? request.headers : new Headers();
    return verifyMessage({ ...withNow(options), payload, headers });
  });
  return { ...result, body: payload?.toString() ?? '' };
}

async function readBody(request: Request): Promise<Buffer | null> {
  try {
    return Buffer.from(await request.arrayBuffer());
  } catch {
    return null;
  }
}

/** The result of `run`, or a refusal if it throws, for example in a getter of the input. */
function catchErrors(run: () => VerifyResult): VerifyResult {
  try {
    return run();
  } catch (error) {
    return refuseUnreadable(error);
  }
}

function withNow<Input extends { readonly now?: number | undefined }>(input: Input): Input & { now: number } {
  return { ...input, now: input?.now ?? systemClock.now() };
}
