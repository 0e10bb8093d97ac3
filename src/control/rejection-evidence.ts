/**
 * What the recorded requests and responses show about a rejected signature. The emulator does not know the secret and the code
 * of the receiver, and not whether it was restarted. So a delivery that it accepted earlier is evidence, and excludes nothing.
 */
import type { Attempt, AttemptDetail } from '../contract/delivery-schemas.ts';
import type { Explanation } from '../contract/explanation-schemas.ts';
import { findCause } from '../domain/attempt-hints.ts';
import { formatDuration, formatSpan, SECOND_MS } from '../domain/duration.ts';
import { formatCount } from '../domain/message-parts.ts';
import { describeDifference, reserializeJson } from '../domain/signature/body-changes.ts';
import { readDigest } from '../domain/signature/digest-forms.ts';
import { findRemedy } from '../domain/signature/mistakes.ts';
import { refusalReasons } from '../domain/signature/refusals.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { hasTimestamp } from '../domain/signature/schemes.ts';
import { digestBytes } from '../domain/signature/signature-header.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listAttempts, listSecrets, listSigningSecrets, verifyDelivery } from '../sandbox/verification.ts';
import { readSignature } from '../store/attempts.ts';
import type { DeliveryRow } from '../store/delivery-queries.ts';

/** A mistake in an explanation. */
export type ExplainedMistake = NonNullable<Explanation['mistake']>;

/** The secrets of the endpoint that an attempt is signed with; `other` for secrets that the emulator no longer has. */
type Signing = 'current' | 'previous' | 'both' | 'other';

/** A mistake, and the fact that shows or suggests it. */
export interface MistakeWithEvidence {
  readonly mistake: ExplainedMistake;
  readonly evidence: string;
}

/** The digests in a response, which many receivers return while they are developed. */
interface DigestEvidence {
  /** The mistake that a digest identifies. */
  readonly reported: MistakeWithEvidence | null;
  /** A digest that no known mistake produces; null if there is none. */
  readonly unknownDigest: string | null;
  /** Whether it contains the digest that was sent, and no other one. */
  readonly containsSentDigest: boolean;
}

interface AcceptanceEvidence {
  /** The newest deliveries that the same URL accepted before the attempt, the newest first. */
  readonly accepted: readonly AcceptedDelivery[];
  /** A delivery that the same URL accepted after the attempt. */
  readonly acceptedLater: AcceptedDelivery | null;
  /** Recorded attempts of the endpoint, up to {@link SEARCHED_ATTEMPTS}, and how many of them succeeded. */
  readonly searched: { readonly attempts: number; readonly successes: number };
}

interface AcceptedDelivery {
  readonly id: string;
  /** Real time from it to the attempt, in both directions. */
  readonly distanceMs: number;
  readonly signing: Signing;
  readonly isChangedByReserialization: boolean;
}

/** `reported` can also be a reason of `svc-emulator/signature` in the response. */
export interface RejectionEvidence extends DigestEvidence, AcceptanceEvidence {
  readonly mentionsSignature: boolean;
  readonly mentionsTimestamp: boolean;
  /** As the responses of Django, Laravel and Rails do. */
  readonly mentionsCsrf: boolean;
  /** How far the clock of the receiver is ahead, by its header `Date`; null if it sends none. */
  readonly clockSkewMs: number | null;
  /** How the body changes if its JSON is parsed and serialized again; null if it does not change. */
  readonly reserialization: string | null;
  readonly signing: Signing;
}

export async function collectRejectionEvidence(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempt: AttemptDetail,
  apiKey: string,
): Promise<RejectionEvidence> {
  const text = getResponseText(attempt);
  const { reported, ...digests } = readDigests(sandbox, row, attempt, text, apiKey);
  return {
    ...digests,
    ...(await listAccepted(sandbox, row, attempt)),
    reported: reported ?? findReportedReason(text, sandbox.rules.signature),
    mentionsSignature:
      digests.unknownDigest !== null ||
      digests.containsSentDigest ||
      /signature|hmac|digest|secret/i.test(text),
    mentionsTimestamp: /timestamp|tolerance|too old|expired|stale|in the future/i.test(text),
    mentionsCsrf: /csrf|authenticity ?token/i.test(text),
    clockSkewMs: getClockSkewMs(attempt),
    reserialization: describeReserialization(attempt.request.body),
    signing: getSigning(sandbox, row, attempt),
  };
}

/** The body of the response if it is text. */
export function getResponseText({ response }: Pick<Attempt, 'response'>): string {
  return response === null || response.encoding !== 'utf8' ? '' : response.body;
}

/** Texts that can be a digest of SHA-1, SHA-256 or SHA-512 in hex or base64, with a prefix such as `v1=`. */
const DIGEST = /(?:(?:v\d\w{0,7}|sha\d{1,3})[=,])?[A-Za-z0-9+/_-]{27,128}={0,2}/g;
/** Limits the work: each digest is compared with many mistakes. */
const MAX_DIGESTS = 4;

function readDigests(
  sandbox: Sandbox,
  row: DeliveryRow,
  { number, request }: Attempt,
  text: string,
  apiKey: string,
): DigestEvidence {
  const scheme = sandbox.rules.signature;
  const { digests } = readSignature(request.headers, { id: row.id, body: request.body, scheme });
  const isSent = (candidate: string) => digests.some((digest) => candidate.includes(digest));
  const candidates = [...new Set(text.match(DIGEST))];
  const diagnoses = candidates
    .filter((candidate) => !isSent(candidate))
    .slice(0, MAX_DIGESTS)
    .map((computed) => {
      const input = { id: row.id, attempt: number, computed, secrets: [apiKey] };
      return { computed, ...verifyDelivery(sandbox, input) };
    });
  for (const { computed, reason, detail, remedy } of diagnoses) {
    if (
      reason === null ||
      remedy === null ||
      reason === 'signature_mismatch' ||
      reason === 'digest_malformed'
    )
      continue;
    const evidence = `The response contains the digest that this mistake produces: ${computed}`;
    const reported = { mistake: { reason, detail, remedy }, evidence };
    return { reported, unknownDigest: null, containsSentDigest: false };
  }
  const unknown = diagnoses.find(
    ({ reason, computed }) => reason === 'signature_mismatch' && isDigestOfScheme(computed, scheme),
  );
  return {
    reported: null,
    unknownDigest: unknown?.computed ?? null,
    containsSentDigest: unknown === undefined && candidates.some(isSent),
  };
}

/** Whether it has the length of a digest, so that an ID or the hash of a commit is not one. */
function isDigestOfScheme(text: string, { algorithm }: SignatureScheme): boolean {
  const withoutPrefix = text.replace(/^\w+[=,](?=.)/, '');
  return readDigest(withoutPrefix).some(({ digest }) => digest.length === digestBytes[algorithm]);
}

/** Finds a reason of `svc-emulator/signature` in the response. */
function findReportedReason(text: string, scheme: SignatureScheme): MistakeWithEvidence | null {
  for (const word of text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []) {
    const reason = refusalReasons.find((candidate) => candidate === word);
    const remedy = reason && findRemedy(reason, scheme);
    if (reason && remedy) {
      return {
        mistake: { reason, detail: `The receiver reported ${reason}.`, remedy },
        evidence: `The response contains ${reason}, a reason of svc-emulator/signature.`,
      };
    }
  }
  return null;
}

function getClockSkewMs({ sent_at: sentAt, duration_ms: durationMs, response }: Attempt): number | null {
  const date = Date.parse(response?.headers.date ?? '');
  // `Date` has whole seconds.
  return Number.isNaN(date)
    ? null
    : Math.round((date - Date.parse(sentAt) - durationMs) / SECOND_MS) * SECOND_MS;
}

function describeReserialization(body: string): string | null {
  const changed = reserializeJson(body);
  return changed === null ? null : describeDifference(body, changed).replace(/^its JSON .*?: /, '');
}

function getSigning(sandbox: Sandbox, row: DeliveryRow, attempt: Attempt): Signing {
  const [current] = listSecrets(sandbox, row);
  const [first, second] = listSigningSecrets(sandbox, row, attempt);
  if (first === undefined) return 'other';
  if (second !== undefined) return 'both';
  return first === current ? 'current' : 'previous';
}

/** Newest attempts of the endpoint that are searched, and accepted deliveries that are compared. */
const SEARCHED_ATTEMPTS = 100;
const MAX_ACCEPTED = 5;

/** The acceptances of the endpoint's URL. Those of attempts that a fault made invalid show nothing. */
async function listAccepted(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempt: Attempt,
): Promise<AcceptanceEvidence> {
  const { store } = sandbox;
  const filter = { webhook_id: row.webhook_id };
  const { rows } = store.attempts.list(filter, { limit: SEARCHED_ATTEMPTS, beforeSeq: null });
  const successes = rows.filter(({ outcome }) => outcome === 'succeeded');
  const accepted: AcceptedDelivery[] = [];
  let acceptedLater: AcceptedDelivery | null = null;
  // By the order of recording, because the wall clock can stand still.
  const seq = rows.find((other) => other.delivery_id === row.id && other.number === attempt.number)?.seq ?? 0;
  for (const { delivery_id: id, number, seq: successSeq } of successes) {
    const other = store.deliveryQueries.find(id);
    const success = other && listAttempts(sandbox, other).find((candidate) => candidate.number === number);
    if (other === undefined || success === undefined) continue;
    if (success.request.url !== attempt.request.url || findCause(success) !== 'delivered') continue;
    const delivery = {
      id,
      distanceMs: Math.abs(Date.parse(attempt.sent_at) - Date.parse(success.sent_at)),
      signing: getSigning(sandbox, other, success),
      isChangedByReserialization: reserializeJson(success.request.body) !== null,
    };
    if (successSeq > seq) acceptedLater ??= delivery;
    else accepted.push(delivery);
    if (accepted.length === MAX_ACCEPTED) break;
  }
  return { accepted, acceptedLater, searched: { attempts: rows.length, successes: successes.length } };
}

/** The mistake that the evidence suggests, with the fact that suggests it; null if it does not suggest one. */
export function suggestMistake(
  evidence: RejectionEvidence,
  { request }: Attempt,
  { signature: scheme, signatureToleranceMs: toleranceMs }: Sandbox['rules'],
): MistakeWithEvidence | null {
  const { reserialization, mentionsTimestamp, clockSkewMs, signing, unknownDigest } = evidence;
  // The digest was compared with those of all known mistakes.
  if (unknownDigest !== null) return null;
  const suggest = (
    reason: ExplainedMistake['reason'],
    detail: string,
    fact: string,
  ): MistakeWithEvidence => ({
    mistake: { reason, detail, remedy: findRemedy(reason, scheme) ?? '' },
    evidence: fact,
  });
  const isClockCorrect = clockSkewMs !== null && Math.abs(clockSkewMs) <= toleranceMs;
  if (mentionsTimestamp && hasTimestamp(scheme) && isClockCorrect) {
    const { timestamp } = readSignature(request.headers, { id: '', body: '', scheme }).message;
    const detail = `It probably reads the timestamp ${timestamp} in another unit or format.`;
    return suggest('timestamp_unreadable', detail, 'The response mentions the timestamp.');
  }
  const accepted = evidence.accepted.filter((delivery) => delivery.signing === signing);
  if (signing === 'both' && accepted.length === 0 && evidence.accepted.length > 0) {
    return suggest(
      'header_not_split',
      `It probably compares the whole ${scheme.headers.signature}, which has two signatures during a rotation.`,
      'The deliveries that it accepted had one signature.',
    );
  }
  const acceptsOnlyUnchanged = accepted.every(({ isChangedByReserialization: isChanged }) => !isChanged);
  if (reserialization === null || accepted.length === 0 || !acceptsOnlyUnchanged) return null;
  const count = formatCount(accepted.length, 'delivery', 'deliveries');
  return suggest(
    'body_changed',
    'It probably parses the body and serializes it again before it verifies.',
    `That changes this body (${reserialization}), but not those of ${count} that it accepted.`,
  );
}

/** Facts that help to find the mistake, the most useful first. They exclude nothing about the receiver of today. */
export function listEvidence(evidence: RejectionEvidence, toleranceMs: number): string[] {
  const { clockSkewMs, reserialization, unknownDigest, containsSentDigest, signing } = evidence;
  const distanceMs = Math.abs(clockSkewMs ?? Number.POSITIVE_INFINITY);
  const facts: readonly (string | false)[] = [
    unknownDigest !== null &&
      `The response contains the digest ${unknownDigest}, which no known mistake produces.`,
    containsSentDigest &&
      'The response contains the correct digest. If the receiver computed it, check how it compares it.',
    ...listAcceptanceEvidence(evidence),
    signing === 'both' && 'The attempt has two signatures, of the current and the previous secret.',
    distanceMs <= toleranceMs &&
      `Its Date header agrees with the clock of the emulator to within ${formatDuration(Math.max(distanceMs, SECOND_MS))}.`,
    reserialization === null && 'JSON.parse and JSON.stringify do not change the body.',
  ];
  return facts.filter((fact) => fact !== false);
}

const CHECK_SECRET = 'If it was restarted since, check its secret.';

/** What a delivery shows that the receiver accepted, for an attempt that it rejected: by the secrets of their signatures. */
function describeAcceptance(accepted: Signing, rejected: Signing): string {
  switch (accepted) {
    case 'current':
      return `${rejected === 'both' ? 'with one signature' : 'with the same secret'}. ${CHECK_SECRET}`;
    case 'previous':
      return `before the secret was rotated. ${rejected === 'both' ? CHECK_SECRET : 'Check that it has the current one.'}`;
    case 'both':
      return 'with the signatures of two secrets. Which one it uses is unknown: check its secret.';
    case 'other':
      return 'before the secret or the scheme was changed. Check that it has the current ones.';
  }
}

export function listAcceptanceEvidence({
  accepted: [last],
  acceptedLater,
  signing,
  searched,
}: AcceptanceEvidence & Pick<RejectionEvidence, 'signing'>): string[] {
  if (acceptedLater !== null)
    return [`It accepted ${acceptedLater.id} ${formatDistance(acceptedLater)} later.`];
  if (last !== undefined) {
    const meaning = describeAcceptance(last.signing, signing);
    return [`It accepted ${last.id} ${formatDistance(last)} earlier, ${meaning}`];
  }
  if (searched.successes > 0) return [];
  return searched.attempts === 1
    ? ['No other attempt to this endpoint is recorded.']
    : [`None of the last ${searched.attempts} attempts to this endpoint was accepted.`];
}

/** `2m`, `less than 1s` */
function formatDistance({ distanceMs }: AcceptedDelivery): string {
  return distanceMs < SECOND_MS ? 'less than 1s' : formatSpan(distanceMs, 1);
}
