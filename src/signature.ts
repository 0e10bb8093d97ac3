/**
 * `svc-emulator/signature`: signs and verifies deliveries. Receivers in production import this, so it loads nothing but
 * `node:crypto`.
 */
import { systemClock } from './clock/wall-clock.ts';
import { requireId, requireSecrets } from './domain/signature/digest.ts';
import type { SignatureScheme } from './domain/signature/scheme.ts';
import { getScheme, type SchemeName, schemeNames, schemes } from './domain/signature/schemes.ts';
import { type SignedDelivery as SignedParts, signDelivery } from './domain/signature/sign.ts';
import {
  refuseUnreadable,
  type VerifyResult,
  verify as verifyAt,
  verifyMessage,
} from './domain/signature/verify.ts';
import type {
  VerifyInput as DatedInput,
  VerifyOptions as DatedOptions,
} from './domain/signature/verify-input.ts';

export { type RefusalReason, refusalReasons } from './domain/signature/refusals.ts';
export type { NamedSecret } from './domain/signature/verify-input.ts';
export { type SchemeName, type SignatureScheme, schemeNames, schemes, type VerifyResult };

export interface SignInput<Scheme extends SchemeName | SignatureScheme = SchemeName | SignatureScheme> {
  /** The body as it will be sent. */
  readonly payload: string | Uint8Array;
  /** The secret of the endpoint; the current one first while it is being rotated. */
  readonly secret: string | readonly string[];
  /** The id of the delivery (`del_…`). */
  readonly id: string;
  /** Wall time of sending in milliseconds since 1970; now when left out. */
  readonly timestampMs?: number | undefined;
  /** The name of a built-in scheme, or a scheme of your own; `svc` when left out. */
  readonly scheme?: Scheme | undefined;
}

type NamesIn<Scheme extends SchemeName> = Extract<
  (typeof schemes)[Scheme]['headers'][keyof (typeof schemes)[Scheme]['headers']],
  string
>;

/** The headers of a built-in scheme by their names; of any other scheme, or of one that is not known yet, any. */
export type SignedHeaders<Scheme> = SchemeName extends Scheme
  ? Record<string, string>
  : Scheme extends SchemeName
    ? { [Name in NamesIn<Scheme>]: string }
    : Record<string, string>;

export type SignedDelivery<Scheme = SchemeName> = Omit<SignedParts, 'headers'> & {
  /** The headers that the scheme adds to the request. */
  readonly headers: SignedHeaders<Scheme>;
};

type NowOptional<Input extends { readonly now: number }> = Omit<Input, 'now'> & {
  /** Wall time in milliseconds since 1970; the clock of the machine when left out. */
  readonly now?: number | undefined;
};
export type VerifyOptions = NowOptional<DatedOptions>;
export type VerifyInput = NowOptional<DatedInput>;

/** The result, and the body as text: empty when it could not be read, not to be trusted unless `ok`. */
export type VerifiedRequest = VerifyResult & { readonly body: string };

/**
 * Signs a payload as the service does: the headers to send with it.
 * @throws SvcError `validation_failed` for a scheme that is none, a secret without a key in it, or no id where the scheme
 *   sends one.
 */
export function sign<Scheme extends SchemeName | SignatureScheme = 'svc'>(
  input: SignInput<Scheme>,
): SignedDelivery<Scheme>;
export function sign(input: SignInput): SignedDelivery;
export function sign(input: SignInput): SignedDelivery {
  const { payload, secret, id, timestampMs = systemClock.now() } = input;
  const scheme = getScheme(input.scheme ?? 'svc');
  requireId(scheme, id);
  return signDelivery({
    scheme,
    secrets: requireSecrets(scheme, secret),
    id,
    timestampMs,
    body: payload,
  });
}

/** Whether a delivery is genuine, and if not, why and what to do about it. Throws on no input. */
export function verify(input: VerifyInput): VerifyResult {
  return withoutThrowing(() => verifyAt(dated(input)));
}

/**
 * {@link verify} for handlers of the Fetch API. Reads the body, so hand it a request that nothing has read from.
 * Answer 400 unless `ok`, and parse `body` only then (§6 of the service description). Never rejects.
 */
export async function verifyRequest(request: Request, options: VerifyOptions): Promise<VerifiedRequest> {
  const payload = await readBody(request);
  const result = withoutThrowing(() => {
    // In plain JavaScript other things than a `Request` arrive here; they count as a request without headers.
    const headers = typeof request?.headers?.get === 'function' ? request.headers : new Headers();
    return verifyMessage({ ...dated(options), payload, headers });
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

function withoutThrowing(verification: () => VerifyResult): VerifyResult {
  try {
    return verification();
  } catch (fault) {
    return refuseUnreadable(fault);
  }
}

function dated<Input extends { readonly now?: number | undefined }>(input: Input): Input & { now: number } {
  return { ...input, now: input?.now ?? systemClock.now() };
}
