/** Verifies and explains the signatures of recorded attempts, and diagnoses why a receiver rejects one. */

import { maskSecret } from '../../domain/credentials.ts';
import { SvcError } from '../../domain/errors.ts';
import { getDeliveryFault } from '../../domain/fault.ts';
import type { ControlOperations } from '../../operations/control-operations.ts';
import type { ValidatedInput } from '../../operations/operation.ts';
import type { SignatureDetail } from '../../operations/signature-schemas.ts';
import type { Attempt } from '../../resources/attempt.ts';
import type { Verification } from '../../resources/verification.ts';
import { diagnoseDigest } from '../../signature/diagnose-digest.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';
import { computeDigest, isSignedWithAny, listSignedParts, matchesAnyDigest } from '../../signature/sign.ts';
import { verifyMessage } from '../../signature/verify.ts';
import type { NamedSecret } from '../../signature/verify-input.ts';
import { readSignature, toAttempt } from '../../store/attempts.ts';
import type { DeliveryRow } from '../../store/delivery-queries.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import { getDeliveryRow } from './access.ts';
import type { Sandbox } from './sandbox.ts';

export function listAttempts({ store, rules }: Sandbox, row: DeliveryRow): Attempt[] {
  const sent = { id: row.id, body: store.deliveryQueries.getBody(row.seq), scheme: rules.signature };
  return store.attempts.listByDelivery(row.seq).map((attemptRow) => toAttempt(attemptRow, sent));
}

type VerificationInput = ValidatedInput<ControlOperations['verifyDelivery']>;

/** Verifies an attempt as a receiver does. @throws SvcError `not_found` if the delivery or the attempt does not exist */
export function verifyDelivery(sandbox: Sandbox, input: VerificationInput): Verification {
  const { computed, now, tolerance_ms: toleranceMs, payload_base64: base64 } = input;
  const payload = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  const signed = getSignedAttempt(sandbox, input.id, input.attempt);
  const { row, attempt, sentBody } = signed;
  const secret = input.secrets ?? listSecrets(sandbox, row);
  const verification =
    computed === undefined
      ? verifyAttempt(sandbox, row, attempt, {
          secret,
          sentBody,
          now: now === undefined ? undefined : Date.parse(now),
          toleranceMs,
          payload,
        })
      : diagnose(sandbox, signed, computed, input, payload);
  const { deleted_at: deletedAt } = sandbox.store.webhooks.getBySeq(row.webhook_seq);
  const note = deletedAt === null ? '' : ` The endpoint ${row.webhook_id} was deleted.`;
  return { ...verification, detail: verification.detail + note };
}

/** The attempt with a number (default: the last one). @throws SvcError `not_found` if the delivery has none */
export function pickAttempt<Numbered extends { readonly number: number }>(
  attempts: readonly Numbered[],
  number: number | undefined,
  { id }: DeliveryRow,
): Numbered {
  const last = attempts.at(-1);
  if (last === undefined) {
    throw new SvcError('not_found', `${id} has no attempts yet.`, {
      hint: { text: 'Send the next due delivery', command: 'svc clock next' },
    });
  }
  const attempt = number === undefined ? last : attempts.find((candidate) => candidate.number === number);
  if (attempt !== undefined) return attempt;
  throw new SvcError('not_found', `${id} has no attempt ${number}; its last attempt is ${last.number}.`);
}

/** The secrets of the delivery's endpoint: the current one, and the previous one even after its overlap. */
export function listSecrets(
  { store }: Sandbox,
  { webhook_seq: webhookSeq }: Pick<DeliveryRow, 'webhook_seq'>,
): string[] {
  const { secret, previous_secret: previous } = store.webhooks.getBySeq(webhookSeq);
  return previous === null ? [secret] : [secret, previous];
}

/**
 * The secrets of the endpoint that an attempt is signed with: after a rotation with an overlap both, the current one first. None
 * if a fault replaced the signature, or if the secret or the scheme has changed since.
 */
export function listSigningSecrets(
  sandbox: Sandbox,
  row: DeliveryRow,
  { request: { headers } }: Pick<Attempt, 'request'>,
): string[] {
  const { signature: scheme } = sandbox.rules;
  const sent = { id: row.id, body: sandbox.store.deliveryQueries.getBody(row.seq), scheme };
  const { message, digests } = readSignature(headers, sent);
  return listSecrets(sandbox, row).filter((secret) => isSignedWithAny(scheme, [secret], message, digests));
}

/** Finds the mistake with which the receiver computed its digest. */
function diagnose(
  sandbox: Sandbox,
  { row, attempt, scheme, message, digests }: ReturnType<typeof getSignedAttempt>,
  computed: string,
  { secrets = [] }: VerificationInput,
  payload: Uint8Array | undefined,
): Verification {
  const signingSecrets = listSigningSecrets(sandbox, row, attempt);
  // Tried after those of the endpoint.
  const secretsOfReceiver = secrets.map((secret) => ({
    name: 'the given secret, which is not the secret of the endpoint',
    secret,
  }));
  const diagnosis = diagnoseDigest({
    scheme,
    computedDigest: computed,
    message: { ...message, body: attempt.request.body },
    sentDigests: digests,
    otherBody: payload,
    receivedAt: {
      fromMs: Date.parse(attempt.sent_at),
      toMs: Date.parse(attempt.sent_at) + Math.ceil(attempt.duration_ms),
    },
    // A previous secret that no longer signs is a mistake.
    secrets: signingSecrets.length > 0 ? signingSecrets : listSecrets(sandbox, row),
    otherSecrets: [...secretsOfReceiver, ...listWorkspaceSecrets(sandbox.store, row.workspace_seq)],
  });
  return { ...diagnosis, scheme: scheme.name };
}

/** The input of {@link verifyAttempt} that can differ from the recorded attempt. */
interface VerifierInput {
  readonly secret: readonly string[];
  readonly sentBody: string;
  readonly now?: number | undefined;
  readonly toleranceMs?: number | undefined;
  readonly payload?: Uint8Array | undefined;
}

function verifyAttempt(
  { rules, store }: Sandbox,
  row: DeliveryRow,
  { request, sent_at: sentAt }: Attempt,
  { secret, sentBody, now, toleranceMs, payload }: VerifierInput,
): Verification {
  return verifyMessage({
    scheme: rules.signature,
    secret,
    // The endpoint of the delivery first: endpoints with the same URL have the same secret.
    otherSecrets: [
      ...nameSecrets(store.webhooks.getBySeq(row.webhook_seq)),
      ...listWorkspaceSecrets(store, row.workspace_seq),
    ],
    headers: new Headers(request.headers),
    payload: payload ?? request.body,
    sentBody,
    now: now ?? Date.parse(sentAt),
    toleranceMs: toleranceMs ?? rules.signatureToleranceMs,
  });
}

/**
 * The secrets of all endpoints of a workspace, each with its name for messages, those of deleted endpoints last.
 * @param isDeleted only those of deleted endpoints, or of the others (default: all)
 */
export function listWorkspaceSecrets(
  store: Sandbox['store'],
  workspaceSeq: number,
  isDeleted?: boolean,
): NamedSecret[] {
  const rows = store.webhooks.listSecrets(workspaceSeq);
  const selected = rows.filter((row) => (isDeleted ?? row.deleted_at !== null) === (row.deleted_at !== null));
  return selected.flatMap(nameSecrets);
}

function nameSecrets({
  id,
  secret,
  previous_secret: previous,
}: Pick<WebhookRow, 'id' | 'secret' | 'previous_secret'>): NamedSecret[] {
  return [
    { name: `the secret of ${id}`, secret },
    ...(previous === null ? [] : [{ name: `the previous secret of ${id}`, secret: previous }]),
  ];
}

/** The parts of a signature, and the signature computed again with each secret. @throws as {@link verifyDelivery} */
export function describeSignature(sandbox: Sandbox, id: string, number: number | undefined): SignatureDetail {
  const { row, attempt, sentBody, scheme, message, digests } = getSignedAttempt(sandbox, id, number);
  const secrets = listSecrets(sandbox, row);
  const [currentSecret = '', previousSecret] = secrets;
  // This fault signs with the previous secret only. A receiver that knows only the current one rejects the attempt.
  const isOldSecret = getDeliveryFault(attempt.fault?.kind).usesPreviousSecret;
  const secret = isOldSecret ? [currentSecret] : secrets;
  const verification = verifyAttempt(sandbox, row, attempt, { secret, sentBody });
  const describeSecret = (name: 'current' | 'previous', secret: string) => ({
    name,
    masked: maskSecret(secret),
    signature: scheme.header.prefix + computeDigest(scheme, secret, message),
    matches: matchesAnyDigest(scheme, secret, message, digests),
  });
  return {
    scheme: scheme.name,
    attempt: attempt.number,
    headers: pickSchemeHeaders(scheme, attempt.request.headers),
    signed_parts: listSignedParts(scheme, message),
    secrets: [
      describeSecret('current', currentSecret),
      ...(previousSecret === undefined ? [] : [describeSecret('previous', previousSecret)]),
    ],
    // Without a fault, it fails because the secret or the scheme has changed since the attempt.
    verification: verification.ok || attempt.fault !== undefined ? verification : null,
  };
}

function getSignedAttempt(sandbox: Sandbox, id: string, number: number | undefined) {
  const { store, rules } = sandbox;
  const row = getDeliveryRow(sandbox, id);
  const attemptRow = pickAttempt(store.attempts.listByDelivery(row.seq), number, row);
  const scheme = rules.signature;
  const sentBody = store.deliveryQueries.getBody(row.seq);
  const sent = { id: row.id, body: sentBody, scheme };
  const attempt = toAttempt(attemptRow, sent);
  return { row, attempt, sentBody, scheme, ...readSignature(attempt.request.headers, sent) };
}

function pickSchemeHeaders({ headers: names }: SignatureScheme, headers: Readonly<Record<string, string>>) {
  const schemeHeaders: readonly (string | null)[] = [names.signature, names.timestamp, names.id];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => schemeHeaders.includes(name)));
}
