/** Verification of what was sent, with all that the emulator knows about it: the secrets, and the bytes. */
import type { Attempt, AttemptDetail, Verification } from '../contract/delivery-schemas.ts';
import { diagnoseDigest } from '../domain/signature/diagnose-digest.ts';
import { verifyMessage } from '../domain/signature/verify.ts';
import type { NamedSecret } from '../domain/signature/verify-input.ts';
import { SvcError } from '../errors.ts';
import { readSignature, toAttempt } from '../store/attempts.ts';
import type { DeliveryRow } from '../store/delivery-queries.ts';
import { notFound } from './access.ts';
import type { Sandbox } from './sandbox.ts';

/** The attempts of a delivery, each with what verification says of it. */
export function listAttempts(sandbox: Sandbox, row: DeliveryRow): AttemptDetail[] {
  const { store, rules } = sandbox;
  const sent = { id: row.id, body: store.deliveryQueries.getBody(row.seq), scheme: rules.signature };
  return store.attempts.listByDelivery(row.seq).map((attempt) => {
    const shown = toAttempt(attempt, sent);
    return { ...shown, verification: findVerification(sandbox, row, shown, sent.body) };
  });
}

/**
 * What a receiver with the right secret found. Only faults make it refuse; where none did, a refusal tells that what
 * signed is no longer known, the secret or the scheme, and is no news of the attempt: null then.
 */
export function findVerification(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempt: Attempt,
  sentBody: string,
): Verification | null {
  const secrets = listSecrets(sandbox, row);
  const result = verifyAttempt(sandbox, row, attempt, {
    secret: attempt.fault?.kind === 'old-secret' ? secrets.slice(0, 1) : secrets,
    sentBody,
  });
  return result.ok || attempt.fault !== undefined ? result : null;
}

export interface VerificationInput {
  readonly id: string;
  /** Number of the attempt; the last one when left out. */
  readonly attempt?: number | undefined;
  /** What the receiver verifies with; the secrets of the endpoint when left out. */
  readonly secrets?: readonly string[] | undefined;
  /** The body as the receiver has it; as it was sent when left out. */
  readonly payload?: Uint8Array | undefined;
  /** Wall time in milliseconds since 1970; that of the attempt when left out. */
  readonly now?: number | undefined;
  readonly toleranceMs?: number | undefined;
  /** The digest that the receiver computed: then what led to it, instead of what the receiver finds. */
  readonly computed?: string | undefined;
}

/**
 * What a receiver finds that verifies an attempt of a delivery.
 * @throws SvcError `not_found` when there is no such delivery, or no such attempt of it.
 */
export function verifyDelivery(sandbox: Sandbox, input: VerificationInput): Verification {
  const { store } = sandbox;
  const row = store.deliveryQueries.find(input.id);
  if (row === undefined) throw notFound('delivery', input.id);
  const attempt = pickAttempt(listAttempts(sandbox, row), input.attempt, row);
  if (input.computed !== undefined)
    return diagnose(sandbox, row, attempt, { ...input, computed: input.computed });
  const { now, toleranceMs, payload } = input;
  return verifyAttempt(sandbox, row, attempt, {
    secret: input.secrets ?? listSecrets(sandbox, row),
    sentBody: store.deliveryQueries.getBody(row.seq),
    ...{ now, toleranceMs, payload },
  });
}

/**
 * The attempt of that number; the last one where `number` is left out.
 * @throws SvcError `not_found` when the delivery has no such attempt.
 */
export function pickAttempt<One extends { readonly number: number }>(
  attempts: readonly One[],
  number: number | undefined,
  { id }: DeliveryRow,
): One {
  const last = attempts.at(-1);
  if (last === undefined) {
    throw new SvcError('not_found', `${id} has not been attempted yet.`, {
      hint: '`svc deliveries wait` waits until it is, `svc clock next` sends what is due next.',
    });
  }
  const attempt = number === undefined ? last : attempts.find((each) => each.number === number);
  if (attempt !== undefined) return attempt;
  throw new SvcError('not_found', `${id} has no attempt ${number}; its last one is ${last.number}.`);
}

/** The secrets of the endpoint, the current one first. */
export function listSecrets({ store }: Sandbox, { webhook_seq: webhookSeq }: DeliveryRow): string[] {
  const { secret, previous_secret: previous } = store.webhooks.getBySeq(webhookSeq);
  return previous === null ? [secret] : [secret, previous];
}

function diagnose(
  sandbox: Sandbox,
  row: DeliveryRow,
  { request }: Attempt,
  { computed, secrets = [], payload }: VerificationInput & { readonly computed: string },
): Verification {
  const { signature: scheme } = sandbox.rules;
  const { message, digests } = readSignature(request.headers, { id: row.id, body: request.body, scheme });
  const given = secrets.map((secret) => ({
    name: 'the one given, which is not that of the endpoint',
    secret,
  }));
  const diagnosis = diagnoseDigest({
    ...{ scheme, computed, message, sentDigests: digests, payload },
    secrets: listSecrets(sandbox, row),
    otherSecrets: [...given, ...listKnownSecrets(sandbox.store, row.workspace_seq)],
  });
  return { ...diagnosis, scheme: scheme.name };
}

interface VerifierInput {
  readonly secret: readonly string[];
  readonly sentBody: string;
  readonly now?: number | undefined;
  readonly toleranceMs?: number | undefined;
  readonly payload?: Uint8Array | undefined;
}

function verifyAttempt(
  { rules, store }: Sandbox,
  { workspace_seq: workspaceSeq }: DeliveryRow,
  { request, sent_at: sentAt }: Attempt,
  { secret, sentBody, now, toleranceMs, payload }: VerifierInput,
): Verification {
  return verifyMessage({
    scheme: rules.signature,
    secret,
    otherSecrets: listKnownSecrets(store, workspaceSeq),
    headers: new Headers(request.headers),
    payload: payload ?? request.body,
    sentBody,
    now: now ?? Date.parse(sentAt),
    toleranceMs: toleranceMs ?? rules.signatureToleranceMs,
  });
}

/** The secrets of the endpoints of a workspace, with the words that they are called by. */
function listKnownSecrets(store: Sandbox['store'], workspaceSeq: number): NamedSecret[] {
  return store.webhooks
    .listSecrets(workspaceSeq)
    .flatMap(({ id, secret, previous_secret: previous }) => [
      { name: `the secret of ${id}`, secret },
      ...(previous === null ? [] : [{ name: `the secret that ${id} had before`, secret: previous }]),
    ]);
}
