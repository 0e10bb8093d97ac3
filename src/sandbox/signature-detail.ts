/** Explains the signature of an attempt: its parts, and the signature computed again with each secret. */
import type { SignatureCheck, SignatureDetail } from '../contract/delivery-schemas.ts';
import { maskSecret } from '../domain/credentials.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import {
  computeDigest,
  isUsableSecret,
  listSignedParts,
  matchesAnyDigest,
  type SignedMessage,
} from '../domain/signature/sign.ts';
import { readSignature, toAttempt } from '../store/attempts.ts';
import { createNotFoundError } from './access.ts';
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
  const { row, attempt, sentBody, scheme, message, digests } = getSignedAttempt(sandbox, id, number);
  const { headers, body } = attempt.request;
  const sign = (secret: string, signedMessage: SignedMessage) =>
    recomputeSignature(scheme, secret, signedMessage, digests);
  const [currentSecret = '', previousSecret] = listSecrets(sandbox, row);
  const describeSecret = (name: 'current' | 'previous', secret: string) => ({
    name,
    masked: maskSecret(secret),
    ...sign(secret, message),
  });
  const reserializedBody = reserialize(body);
  return {
    scheme: scheme.name,
    attempt: attempt.number,
    headers: pickSchemeHeaders(scheme, headers),
    signed_parts: listSignedParts(scheme, message),
    secrets: [
      describeSecret('current', currentSecret),
      ...(previousSecret === undefined ? [] : [describeSecret('previous', previousSecret)]),
    ],
    verification: findVerification(sandbox, row, attempt, sentBody),
    reserialised: reserializedBody && {
      ...reserializedBody,
      ...sign(currentSecret, { ...message, body: reserializedBody.body }),
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
  const { row, attempt, scheme, message, digests } = getSignedAttempt(sandbox, input.id, input.attempt);
  const receivedMessage = { ...message, body: input.payload ?? attempt.request.body };
  const secrets = input.secrets ?? listSecrets(sandbox, row);
  return {
    signed_parts: listSignedParts(scheme, {
      ...receivedMessage,
      body: Buffer.from(receivedMessage.body).toString(),
    }),
    signatures: secrets
      .filter((secret) => isUsableSecret(scheme, secret))
      .map((secret) => recomputeSignature(scheme, secret, receivedMessage, digests)),
    verification: verifyDelivery(sandbox, input),
  };
}

/** Returns an attempt with the message that its signature covers, and the digests. */
function getSignedAttempt(sandbox: Pick<Sandbox, 'store' | 'rules'>, id: string, number: number | undefined) {
  const { store, rules } = sandbox;
  const row = store.deliveryQueries.find(id);
  if (row === undefined) throw createNotFoundError('delivery', id);
  const attemptRow = pickAttempt(store.attempts.listByDelivery(row.seq), number, row);
  const scheme = rules.signature;
  const sentBody = store.deliveryQueries.getBody(row.seq);
  const sent = { id: row.id, body: sentBody, scheme };
  const attempt = toAttempt(attemptRow, sent);
  return { row, attempt, sentBody, scheme, ...readSignature(attempt.request.headers, sent) };
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

/** The body after JSON.parse and JSON.stringify, with the index of the first difference; null if it is the same or not JSON. */
function reserialize(body: string): { readonly body: string; readonly differs_at: number } | null {
  let newBody: string;
  try {
    newBody = JSON.stringify(JSON.parse(body));
  } catch {
    return null;
  }
  if (newBody === body) return null;
  let index = 0;
  while (index < newBody.length && newBody[index] === body[index]) index++;
  return { body: newBody, differs_at: index };
}
