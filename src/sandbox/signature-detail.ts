/** Explains the signature of an attempt: its parts, and the signature computed again with each secret. */
import type { SignatureCheck, SignatureDetail } from '../contract/delivery-schemas.ts';
import { maskSecret } from '../domain/mask-secret.ts';
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
 * @param number of the attempt (default: the last one).
 * @throws SvcError `not_found` if the delivery or the attempt does not exist.
 */
export function describeSignature(
  sandbox: Pick<Sandbox, 'store' | 'rules'>,
  id: string,
  number: number | undefined,
): SignatureDetail {
  const { row, shown, sentBody, scheme, message, digests } = getSignedAttempt(sandbox, id, number);
  const { headers, body } = shown.request;
  const sign = (by: string, signed: SignedMessage) => recomputeSignature(scheme, by, signed, digests);
  const [secret = '', previous] = listSecrets(sandbox, row);
  const toSecret = (name: 'current' | 'previous', text: string) => ({
    name,
    masked: maskSecret(text),
    ...sign(text, message),
  });
  const reserialized = reserialize(body);
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
    reserialised: reserialized && {
      ...reserialized,
      ...sign(secret, { ...message, body: reserialized.body }),
    },
  };
}

/**
 * Verifies an attempt as a receiver does, optionally with other secrets, another body or another time.
 * @throws SvcError `not_found` if the delivery or the attempt does not exist.
 */
export function checkSignature(
  sandbox: Pick<Sandbox, 'store' | 'rules'>,
  input: VerificationInput,
): SignatureCheck {
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

/** Returns an attempt with the message that its signature covers, and the digests. */
function getSignedAttempt(sandbox: Pick<Sandbox, 'store' | 'rules'>, id: string, number: number | undefined) {
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

/** The signature with `secret` as it appears in the header, and whether it is one of `digests`. */
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

/** The headers that belong to the scheme. */
function pickSchemeHeaders({ headers: names }: SignatureScheme, headers: Readonly<Record<string, string>>) {
  const schemeHeaders: readonly (string | null)[] = [names.signature, names.timestamp, names.id];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => schemeHeaders.includes(name)));
}

/** The body after JSON.parse and JSON.stringify; null if it is the same or not JSON. */
function reserialize(body: string): { readonly body: string; readonly differs_at: number } | null {
  let reserialized: string;
  try {
    reserialized = JSON.stringify(JSON.parse(body));
  } catch {
    return null;
  }
  if (reserialized === body) return null;
  let at = 0;
  while (at < reserialized.length && reserialized[at] === body[at]) at++;
  return { body: reserialized, differs_at: at };
}
