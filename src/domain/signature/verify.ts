import { formatDuration } from '../duration.ts';
import { diagnoseMismatch, findOtherScheme } from './diagnose-mismatch.ts';
import { matchesAnyDigest } from './digest.ts';
import { otherSchemeHeader } from './mismatch-refusals.ts';
import * as explain from './refusals.ts';
import { findScheme, hasTimestamp, schemes } from './schemes.ts';
import {
  getSignedTimestamp,
  parseSignatureHeader,
  readSignatureHeaders,
  type SignatureHeader,
} from './signature-header.ts';
import { parseTimestamp } from './timestamp.ts';
import {
  type ParsedVerifyInput,
  parseVerifyInput,
  type VerifyInput,
  type VerifyOptions,
} from './verify-input.ts';

/**
 * The result of a verification, also as JSON. The texts are for the operator of the receiver: a rejected sender gets only
 * status 400 (§6.4).
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
export interface VerifyMessageInput extends VerifyOptions {
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
  const claim = parseVerifyInput(input);
  return 'reason' in claim ? refuse(wantedScheme(input), claim) : checkSignature(claim);
}

/** The result when reading the input threw an error, for example in a getter. */
export function refuseUnreadable(error: unknown): VerifyResult {
  return refuse('unknown', explain.inputUnreadable(error));
}

/** {@link verify} for a request: reads the headers of the scheme. */
export function verifyMessage({ headers, ...options }: VerifyMessageInput): VerifyResult {
  const scheme = findScheme(options.scheme ?? 'svc') ?? schemes.svc;
  const given = readSignatureHeaders(scheme, headers);
  const known = [...Object.values(schemes), ...(options.otherSchemes ?? [])];
  const other = known.find((each) => headers.get(each.headers.signature) !== null);
  if (given.signature === null && other !== undefined) {
    return refuse(scheme.name, otherSchemeHeader(scheme, other));
  }
  return verify({ ...options, ...given, contentEncoding: headers.get('content-encoding') });
}

function checkSignature(parsedVerifyInput: ParsedVerifyInput): VerifyResult {
  const { scheme, secrets, signature, id, payload: body, now, toleranceMs } = parsedVerifyInput;
  const header = parseSignatureHeader(scheme, signature);
  const timestamp = getSignedTimestamp(scheme, header, parsedVerifyInput.timestamp);
  const unreadable = findUnreadable(parsedVerifyInput, header, timestamp);
  if (unreadable !== null) return refuse(scheme.name, findOtherScheme(parsedVerifyInput) ?? unreadable);
  const message = { id, timestamp, body };
  if (!secrets.some((secret) => matchesAnyDigest(scheme, secret, message, header.digests))) {
    return refuse(scheme.name, diagnoseMismatch(parsedVerifyInput, message, header.digests));
  }
  if (!hasTimestamp(scheme)) return accept(scheme.name, 'The signature is valid.');
  const at = parseTimestamp(timestamp) ?? Number.NaN;
  if (now - at > toleranceMs) return refuse(scheme.name, explain.timestampTooOld(at, now, toleranceMs));
  if (at - now > toleranceMs) return refuse(scheme.name, explain.timestampInFuture(at, now, toleranceMs));
  const age = at > now ? `${formatDuration(at - now)} ahead` : `${formatDuration(now - at)} old`;
  return accept(scheme.name, `The signature is valid, and its timestamp is ${age}.`);
}

function findUnreadable(
  parsedVerifyInput: ParsedVerifyInput,
  header: SignatureHeader,
  timestamp: string,
): explain.Refusal | null {
  const { scheme, signature, id } = parsedVerifyInput;
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

/** The name of the requested scheme, if it has one. */
function wantedScheme(input: unknown): string {
  const { scheme = 'svc' }: { readonly scheme?: unknown } = Object(input);
  return typeof scheme === 'string' ? scheme : (findScheme(scheme)?.name ?? 'unknown');
}

function accept(scheme: string, detail: string): VerifyResult {
  return { ok: true, reason: null, detail, remedy: null, scheme };
}

function refuse(scheme: string, refusal: explain.Refusal): VerifyResult {
  return { ok: false, ...refusal, scheme };
}
