/** The signature of an attempt, taken apart and made again before the eyes of who asks. */
import type { SignatureCheck, SignatureDetail } from '../contract/delivery-schemas.ts';
import { maskSecret } from '../domain/secret.ts';
import {
  computeDigest,
  isUsableSecret,
  listSignedParts,
  matchesAnyDigest,
  type SignedMessage,
} from '../domain/signature/digest.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { readSignature, toAttempt } from '../store/attempts.ts';
import { notFound } from './access.ts';
import type { Sandbox } from './sandbox.ts';
import {
  findVerification,
  listSecrets,
  pickAttempt,
  type VerificationInput,
  verifyDelivery,
} from './verification.ts';

/**
 * @param number of the attempt; the last one when left out.
 * @throws SvcError `not_found` when there is no such delivery, or no such attempt of it.
 */
export function describeSignature(sandbox: Sandbox, id: string, number: number | undefined): SignatureDetail {
  const { row, shown, sentBody, scheme, message, digests } = getSignedAttempt(sandbox, id, number);
  const { headers, body } = shown.request;
  const sign = (by: string, signed: SignedMessage) => recomputeSignature(scheme, by, signed, digests);
  const [secret = '', previous] = listSecrets(sandbox, row);
  const toSecret = (name: 'current' | 'previous', text: string) => ({
    ...{ name, masked: maskSecret(text) },
    ...sign(text, message),
  });
  const again = reserialize(body);
  return {
    scheme: scheme.name,
    attempt: shown.number,
    headers: pickSchemeHeaders(scheme, headers),
    signed_parts: listSignedParts(scheme, message),
    secrets: [
      toSecret('current', secret),
      ...(previous === undefined ? [] : [toSecret('previous', previous)]),
    ],
    verification: findVerification(sandbox, row, shown, sentBody),
    reserialised: again && { ...again, ...sign(secret, { ...message, body: again.body }) },
  };
}

/**
 * What a receiver does that verifies an attempt, with its own secrets, body and time where they are given.
 * @throws SvcError `not_found` as {@link describeSignature} does.
 */
export function checkSignature(sandbox: Sandbox, input: VerificationInput): SignatureCheck {
  const { row, shown, scheme, message, digests } = getSignedAttempt(sandbox, input.id, input.attempt);
  const received = { ...message, body: input.payload ?? shown.request.body };
  const secrets = input.secrets ?? listSecrets(sandbox, row);
  return {
    signed_parts: listSignedParts(scheme, { ...received, body: Buffer.from(received.body).toString() }),
    signatures: secrets
      .filter((secret) => isUsableSecret(scheme, secret))
      .map((secret) => recomputeSignature(scheme, secret, received, digests)),
    verification: verifyDelivery(sandbox, input),
  };
}

/** An attempt, what its signature covers, and its digests. */
function getSignedAttempt(sandbox: Sandbox, id: string, number: number | undefined) {
  const { store, rules } = sandbox;
  const row = store.deliveryQueries.find(id);
  if (row === undefined) throw notFound('delivery', id);
  const attempt = pickAttempt(store.attempts.listByDelivery(row.seq), number, row);
  const scheme = rules.signature;
  const sentBody = store.deliveryQueries.getBody(row.seq);
  const sent = { id: row.id, body: sentBody, scheme };
  const shown = toAttempt(attempt, sent);
  return { row, shown, sentBody, scheme, ...readSignature(shown.request.headers, sent) };
}

/** The signature that `secret` gives, as it stands in a header, and whether it is one of `digests`. */
function recomputeSignature(
  scheme: SignatureScheme,
  secret: string,
  message: SignedMessage,
  digests: readonly string[],
) {
  return {
    signature: scheme.header.prefix + computeDigest(scheme, secret, message),
    matches: matchesAnyDigest(scheme, secret, message, digests),
  };
}

/** The headers of the scheme. */
function pickSchemeHeaders({ headers: names }: SignatureScheme, headers: Readonly<Record<string, string>>) {
  const own: readonly (string | null)[] = [names.signature, names.timestamp, names.id];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => own.includes(name)));
}

/** The body as a receiver writes it that has parsed it first; null where that changes nothing, or it is no JSON. */
function reserialize(body: string): { readonly body: string; readonly differs_at: number } | null {
  let again: string;
  try {
    again = JSON.stringify(JSON.parse(body));
  } catch {
    return null;
  }
  if (again === body) return null;
  let at = 0;
  while (at < again.length && again[at] === body[at]) at++;
  return { body: again, differs_at: at };
}
