/** Verifies deliveries. */
import { formatDuration } from '../domain/duration.ts';
import { recognizeMismatch } from './recognize-mismatch.ts';
import * as explain from './refusals.ts';
import { findScheme, hasTimestamp, schemes } from './schemes.ts';
import { isSignedWithAny } from './sign.ts';
import {
  parseTimestamp,
  readSignatureHeaders,
  readSignedMessage,
  type SignatureHeader,
} from './signature-header.ts';
import {
  type ParsedVerifyInput,
  parseVerifyInput,
  type VerifyInput,
  type VerifyOptions,
} from './verify-input.ts';

/**
 * The result of a verification, in TypeScript and in JSON. The texts are for the operator of the receiver: a rejected sender
 * gets only status 400 (§6.4).
 */
export type VerifyResult =
  | {
      readonly ok: true;
      readonly reason: null;
      readonly detail: string;
      readonly remedy: null;
      readonly scheme: string;
    }
  | ({ readonly ok: false; readonly scheme: string } & explain.Refusal);

/** A request with all its headers. */
interface VerifyMessageInput extends VerifyOptions {
  readonly payload: VerifyInput['payload'];
  readonly headers: Pick<Headers, 'get'>;
}

/**
 * Whether a delivery is genuine (§6 of the service description), and if not, why. Never throws for plain values.
 *
 * The signature is checked before the age, so "too old" means that everything else is correct, and an old timestamp does
 * not hide a wrong secret.
 */
export function verify(input: VerifyInput): VerifyResult {
  const parsed = parseVerifyInput(input);
  return 'reason' in parsed ? refuse(getRequestedSchemeName(input), parsed) : verifyParsed(parsed);
}

/** The result when reading the input threw an error, for example in a getter. */
export function refuseUnreadable(error: unknown): VerifyResult {
  return refuse('unknown', explain.inputUnreadable(error));
}

/** {@link verify} for a request: reads the headers of the scheme. */
export function verifyMessage({ headers, ...options }: VerifyMessageInput): VerifyResult {
  const scheme = findScheme(options.scheme) ?? schemes.svc;
  const signatureHeaders = readSignatureHeaders(scheme, headers);
  const allSchemes = [...Object.values(schemes), ...(options.otherSchemes ?? [])];
  const other = allSchemes.find((candidate) => headers.get(candidate.headers.signature) !== null);
  if (signatureHeaders.signature === null && other !== undefined) {
    return refuse(scheme.name, explain.otherScheme(scheme, other, other.headers.signature));
  }
  return verify({ ...options, ...signatureHeaders, contentEncoding: headers.get('content-encoding') });
}

function verifyParsed(input: ParsedVerifyInput): VerifyResult {
  const { scheme, secrets, payload: body, now, toleranceMs } = input;
  const { header, message } = readSignedMessage(scheme, { ...input, body });
  const { timestamp } = message;
  const headerRefusal = findHeaderRefusal(input, header, timestamp);
  if (headerRefusal !== null) return refuse(scheme.name, findOtherScheme(input) ?? headerRefusal);
  if (!isSignedWithAny(scheme, secrets, message, header.digests)) {
    return refuse(scheme.name, findOtherScheme(input) ?? recognizeMismatch(input, message, header.digests));
  }
  if (!hasTimestamp(scheme)) return accept(scheme.name, 'The signature is valid.');
  const ageMs = now - (parseTimestamp(timestamp) ?? Number.NaN);
  if (Math.abs(ageMs) > toleranceMs)
    return refuse(scheme.name, explain.timestampOutOfTolerance(ageMs, now, toleranceMs));
  const age = ageMs < 0 ? `${formatDuration(-ageMs)} in the future` : `${formatDuration(ageMs)} old`;
  return accept(
    scheme.name,
    `The signature is valid, and its timestamp was ${age} at ${explain.toIso(now)}.`,
  );
}

function findHeaderRefusal(
  input: ParsedVerifyInput,
  header: SignatureHeader,
  timestamp: string,
): explain.Refusal | null {
  const { scheme, signature, id } = input;
  if (signature === '') return explain.headerMissing(scheme, scheme.headers.signature);
  if (header.digests.length === 0 && header.otherVersions.length > 0) {
    return explain.versionUnknown(scheme, header.otherVersions);
  }
  if (header.digests.length === 0) return explain.headerMalformed(scheme, signature);
  if (id === '' && scheme.content.includes('{id}')) {
    return explain.headerMissing(scheme, scheme.headers.id ?? 'id');
  }
  if (!hasTimestamp(scheme)) return null;
  if (timestamp === '') {
    return scheme.header.timestampField === null
      ? explain.headerMissing(scheme, scheme.headers.timestamp ?? 'timestamp')
      : explain.headerMalformed(scheme, signature);
  }
  return parseTimestamp(timestamp) === null ? explain.timestampUnreadable(timestamp) : null;
}

/** Whether the signature is valid in another scheme: a built-in one, or one that the caller passed. */
function findOtherScheme({
  scheme,
  otherSchemes,
  secrets,
  ...received
}: ParsedVerifyInput): explain.Refusal | null {
  for (const other of [...Object.values(schemes), ...otherSchemes]) {
    if (other === scheme) continue;
    const { header, message } = readSignedMessage(other, { ...received, body: received.payload });
    if (isSignedWithAny(other, secrets, message, header.digests)) return explain.otherScheme(scheme, other);
  }
  return null;
}

/** The name of the requested scheme; `unknown` for an invalid one. */
function getRequestedSchemeName(input: unknown): string {
  const { scheme = 'svc' }: { readonly scheme?: unknown } = Object(input);
  return typeof scheme === 'string' ? scheme : (findScheme(scheme)?.name ?? 'unknown');
}

function accept(scheme: string, detail: string): VerifyResult {
  return { ok: true, reason: null, detail, remedy: null, scheme };
}

function refuse(scheme: string, refusal: explain.Refusal): VerifyResult {
  return { ok: false, ...refusal, scheme };
}
