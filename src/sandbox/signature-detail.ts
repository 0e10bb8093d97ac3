/** The signature of an attempt, taken apart and made again before the eyes of who asks. */
import type { SignatureDetail } from '../contract/deliveries.ts';
import { maskSecret } from '../domain/secret.ts';
import { fits, type SignedMessage, toDigest, toSignedParts } from '../domain/signature/digest.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { SvcError } from '../errors.ts';
import { type AttemptRow, toAttempt, toSigned } from '../store/attempts.ts';
import type { DeliveryRow } from '../store/delivery-view.ts';
import { notFound } from './access.ts';
import type { Sandbox } from './sandbox.ts';
import { findVerification, notAttempted } from './verification.ts';

/**
 * @param number of the attempt; the last one when left out.
 * @throws SvcError `not_found` when there is no such delivery, or no such attempt of it.
 */
export function describeSignature(sandbox: Sandbox, id: string, number: number | undefined): SignatureDetail {
  const { store, rules } = sandbox;
  const row = store.deliveryView.find(id);
  if (row === undefined) throw notFound('delivery', id);
  const attempt = getAttempt(sandbox, row, number);
  const scheme = rules.signature;
  const sent = { id: row.id, body: store.deliveryView.getBody(row.seq), scheme };
  const shown = toAttempt(attempt, sent);
  const { headers, body } = shown.request;
  const { message, digests } = toSigned(headers, sent);
  const { secret, previous_secret: previous } = store.webhooks.getBySeq(row.webhook_seq);
  const sign = (by: string, signed: SignedMessage) => ({
    signature: scheme.header.prefix + toDigest(scheme, by, signed),
    matches: fits(scheme, by, signed, digests),
  });
  const toSecret = (name: 'current' | 'previous', text: string) => ({
    ...{ name, masked: maskSecret(text) },
    ...sign(text, message),
  });
  const again = reserialise(body);
  return {
    scheme: scheme.name,
    attempt: attempt.number,
    headers: pickOwn(scheme, headers),
    signed_parts: toSignedParts(scheme, message),
    secrets: [toSecret('current', secret), ...(previous === null ? [] : [toSecret('previous', previous)])],
    verification: findVerification(sandbox, row, shown, sent.body),
    reserialised: again && { ...again, ...sign(secret, { ...message, body: again.body }) },
  };
}

function getAttempt({ store }: Sandbox, row: DeliveryRow, number: number | undefined): AttemptRow {
  const attempts = store.attempts.listOfDelivery(row.seq);
  const last = attempts.at(-1);
  if (last === undefined) throw notAttempted(row);
  if (number === undefined) return last;
  const attempt = attempts.find((each) => each.number === number);
  if (attempt !== undefined) return attempt;
  throw new SvcError('not_found', `${row.id} has no attempt ${number}; its last one is ${last.number}.`);
}

/** The headers of the scheme. */
function pickOwn({ headers: names }: SignatureScheme, headers: Readonly<Record<string, string>>) {
  const own: readonly (string | null)[] = [names.signature, names.timestamp, names.id];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => own.includes(name)));
}

/** The body as a receiver writes it that has parsed it first; null where that changes nothing, or it is no JSON. */
function reserialise(body: string): { readonly body: string; readonly differs_at: number } | null {
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
