/**
 * What the recorded requests and responses show about a rejected signature. The emulator does not know the secret and the code
 * of the receiver, and not whether it was restarted. So a delivery that it accepted earlier is evidence, and excludes nothing.
 */
import type { Attempt, AttemptDetail } from '../contract/delivery-schemas.ts';
import type { Explanation } from '../contract/explanation-schemas.ts';
import { isInvalidatingFault } from '../domain/attempt-hints.ts';
import { formatDuration, formatSpan, SECOND_MS } from '../domain/duration.ts';
import { formatCount } from '../domain/message-parts.ts';
import { describeDifference } from '../domain/signature/body-changes.ts';
import { findRemedy } from '../domain/signature/mistakes.ts';
import { refusalReasons } from '../domain/signature/refusals.ts';
import { hasTimestamp } from '../domain/signature/schemes.ts';
import { digestBytes } from '../domain/signature/signature-header.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listAttempts, listSecrets, listSigningSecrets, verifyDelivery } from '../sandbox/verification.ts';
import { readSignature } from '../store/attempts.ts';
import type { DeliveryRow } from '../store/delivery-queries.ts';

type Mistake = NonNullable<Explanation['mistake']>;

/** The secrets of the endpoint that an attempt is signed with; `other` for secrets that the emulator no longer has. */
type Signing = 'current' | 'previous' | 'both' | 'other';

export interface RejectionEvidence {
  /** The response contains a digest or a reason that identifies the mistake. */
  readonly reported: { readonly mistake: Mistake; readonly evidence: string } | null;
  /** A digest in the response that no known mistake leads to; null if there is none. */
  readonly unknownDigest: string | null;
  /** Whether the response contains the digest that was sent, and no other one. */
  readonly containsSentDigest: boolean;
  readonly mentionsSignature: boolean;
  readonly mentionsTimestamp: boolean;
  /** As the responses of Django, Laravel and Rails do. */
  readonly mentionsCsrf: boolean;
  /** How far the clock of the receiver is ahead, by its header `Date`; null if it sends none. */
  readonly clockSkewMs: number | null;
  /** How the body changes if its JSON is parsed and serialized again; null if it does not change. */
  readonly reserialization: string | null;
  readonly signing: Signing;
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

export async function collectRejectionEvidence(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempt: AttemptDetail,
  apiKey: string,
): Promise<RejectionEvidence> {
  const text = getResponseText(attempt);
  const { mistake, ...digests } = findReportedDigest(sandbox, row, attempt, text, apiKey);
  const reported = mistake ?? findReportedReason(text, sandbox.rules.signature);
  return {
    ...digests,
    ...(await listAccepted(sandbox, row, attempt)),
    reported,
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

function getSigning(sandbox: Sandbox, row: DeliveryRow, attempt: Attempt): Signing {
  const [current] = listSecrets(sandbox, row);
  const [first, second] = listSigningSecrets(sandbox, row, attempt);
  if (first === undefined) return 'other';
  if (second !== undefined) return 'both';
  return first === current ? 'current' : 'previous';
}

/** The body of the response if it is text. */
export function getResponseText({ response }: Pick<Attempt, 'response'>): string {
  return response === null || response.encoding !== 'utf8' ? '' : response.body;
}

/** The mistake that the evidence suggests, with the fact that suggests it; null if it does not suggest one. */
export function suggestMistake(
  evidence: RejectionEvidence,
  { request }: Attempt,
  sandbox: Sandbox,
): RejectionEvidence['reported'] {
  const { reserialization, mentionsTimestamp, clockSkewMs, signing, unknownDigest } = evidence;
  // The digest was compared with those of all known mistakes.
  if (unknownDigest !== null) return null;
  const { signature: scheme, signatureToleranceMs: toleranceMs } = sandbox.rules;
  if (
    mentionsTimestamp &&
    hasTimestamp(scheme) &&
    clockSkewMs !== null &&
    Math.abs(clockSkewMs) <= toleranceMs
  ) {
    const { timestamp } = readSignature(request.headers, { id: '', body: '', scheme }).message;
    return {
      mistake: {
        reason: 'timestamp_unreadable',
        detail: `It probably reads the timestamp ${timestamp} in another unit or format.`,
        remedy: findRemedy('timestamp_unreadable', scheme) ?? '',
      },
      evidence: 'The response mentions the timestamp.',
    };
  }
  const accepted = evidence.accepted.filter((delivery) => delivery.signing === signing);
  if (signing === 'both' && accepted.length === 0 && evidence.accepted.length > 0) {
    return {
      mistake: {
        reason: 'header_not_split',
        detail: `It probably compares the whole ${scheme.headers.signature}, which has two signatures during a rotation.`,
        remedy: findRemedy('header_not_split', scheme) ?? '',
      },
      evidence: 'The deliveries that it accepted had one signature.',
    };
  }
  const acceptsOnlyUnchanged =
    accepted.length > 0 && accepted.every(({ isChangedByReserialization }) => !isChangedByReserialization);
  if (reserialization === null || !acceptsOnlyUnchanged) return null;
  return {
    mistake: {
      reason: 'body_changed',
      detail: 'It probably parses the body and serializes it again before it verifies.',
      remedy: findRemedy('body_changed', scheme) ?? '',
    },
    evidence: `That changes this body (${reserialization}), but not those of ${formatCount(accepted.length, 'delivery', 'deliveries')} that it accepted.`,
  };
}

/** Facts that help to find the mistake, the most useful first. They exclude nothing about the receiver of today. */
export function listEvidence(evidence: RejectionEvidence, toleranceMs: number): string[] {
  const { clockSkewMs, reserialization, unknownDigest, containsSentDigest, signing } = evidence;
  return [
    ...(unknownDigest === null
      ? []
      : [`The response contains the digest ${unknownDigest}, which no known mistake leads to.`]),
    ...(containsSentDigest
      ? ['The response contains the correct digest. If the receiver computed it, check how it compares it.']
      : []),
    ...listAcceptanceEvidence(evidence),
    ...(signing === 'both'
      ? ['The attempt has two signatures, of the current and the previous secret.']
      : []),
    ...(clockSkewMs !== null && Math.abs(clockSkewMs) <= toleranceMs
      ? [
          `Its Date header agrees with the clock of the emulator to within ${formatDuration(Math.max(Math.abs(clockSkewMs), SECOND_MS))}.`,
        ]
      : []),
    ...(reserialization === null ? ['JSON.parse and JSON.stringify do not change the body.'] : []),
  ];
}

export function listAcceptanceEvidence({
  accepted: [last],
  acceptedLater,
  signing,
  searched,
}: Pick<RejectionEvidence, 'accepted' | 'acceptedLater' | 'signing' | 'searched'>): string[] {
  if (acceptedLater !== null) {
    return [`It accepted ${acceptedLater.id} ${describeDistance(acceptedLater)} later.`];
  }
  if (last !== undefined) {
    const fact = `It accepted ${last.id} ${describeDistance(last)} earlier`;
    switch (last.signing) {
      case 'current':
        return [
          signing === 'both'
            ? `${fact}, with one signature. If it was restarted since, check its secret.`
            : `${fact}, with the same secret. If it was restarted since, check its secret.`,
        ];
      case 'both':
        return [
          `${fact}, with the signatures of two secrets. Which one it uses is unknown: check its secret.`,
        ];
      case 'previous':
        return [
          signing === 'both'
            ? `${fact}, before the secret was rotated. If it was restarted since, check its secret.`
            : `${fact}, before the secret was rotated. Check that it has the current one.`,
        ];
      case 'other':
        return [`${fact}, before the secret or the scheme was changed. Check that it has the current ones.`];
    }
  }
  if (searched.successes > 0) return [];
  return searched.attempts === 1
    ? ['No other attempt to this endpoint is recorded.']
    : [`None of the last ${searched.attempts} attempts to this endpoint was accepted.`];
}

/** `2m`, `less than 1s` */
function describeDistance({ distanceMs }: AcceptedDelivery): string {
  return distanceMs < SECOND_MS ? 'less than 1s' : formatSpan(distanceMs, 1);
}

/** Texts that can be a digest of SHA-1, SHA-256 or SHA-512 in hex or base64, with a prefix such as `v1=`. */
const DIGEST = /(?:(?:v\d\w{0,7}|sha\d{1,3})[=,])?[A-Za-z0-9+/_-]{27,128}={0,2}/g;
/** Limits the work: each digest is compared with many mistakes. */
const MAX_DIGESTS = 4;

/** Finds the mistake behind a digest in the response, which many receivers return or log while they are developed. */
function findReportedDigest(
  sandbox: Sandbox,
  row: DeliveryRow,
  { number, request }: Attempt,
  text: string,
  apiKey: string,
): Pick<RejectionEvidence, 'unknownDigest' | 'containsSentDigest'> & {
  readonly mistake: RejectionEvidence['reported'];
} {
  const scheme = sandbox.rules.signature;
  const { digests } = readSignature(request.headers, { id: row.id, body: request.body, scheme });
  const isSent = (candidate: string) => digests.some((digest) => candidate.includes(digest));
  const candidates = [...new Set(text.match(DIGEST))];
  let unknownDigest: string | null = null;
  for (const computed of candidates.filter((candidate) => !isSent(candidate)).slice(0, MAX_DIGESTS)) {
    const { reason, detail, remedy } = verifyDelivery(sandbox, {
      id: row.id,
      attempt: number,
      computed,
      secrets: [apiKey],
    });
    if (reason === 'signature_mismatch' && isDigestOfScheme(computed, scheme)) unknownDigest ??= computed;
    if (reason === null || reason === 'signature_mismatch' || reason === 'digest_malformed') continue;
    return {
      mistake: {
        mistake: { reason, detail, remedy: remedy ?? '' },
        evidence: `The response contains the digest that this leads to: ${computed}`,
      },
      unknownDigest: null,
      containsSentDigest: false,
    };
  }
  const containsSentDigest = unknownDigest === null && candidates.some(isSent);
  return { mistake: null, unknownDigest, containsSentDigest };
}

/** Whether it has the length of a digest, so that an ID or the hash of a commit is not one. */
function isDigestOfScheme(text: string, { algorithm }: Sandbox['rules']['signature']): boolean {
  const digest = text.replace(/^\w+[=,](?=.)/, '');
  const bytes = digestBytes[algorithm];
  return /^[\da-f]+$/i.test(digest)
    ? digest.length === bytes * 2
    : Buffer.from(digest, 'base64').length === bytes;
}

/** Finds a reason of `svc-emulator/signature` in the response. */
function findReportedReason(
  text: string,
  scheme: Sandbox['rules']['signature'],
): RejectionEvidence['reported'] {
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
  try {
    const changed = JSON.stringify(JSON.parse(body));
    return changed === body ? null : describeDifference(body, changed).replace(/^its JSON .*?: /, '');
  } catch {
    return null;
  }
}

/** Newest attempts of the endpoint that are searched, and accepted deliveries that are compared. */
const SEARCHED_ATTEMPTS = 100;
const MAX_ACCEPTED = 5;

/** The acceptances of the endpoint's URL. Those of attempts that a fault made invalid show nothing. */
export async function listAccepted(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempt: Attempt,
): Promise<Pick<RejectionEvidence, 'accepted' | 'acceptedLater' | 'searched'>> {
  const { store } = sandbox;
  const filter = {
    workspaceSeq: null,
    webhookId: row.webhook_id,
    deliveryId: null,
    eventId: null,
    isUnresolved: null,
    since: null,
  };
  const { rows } = await store.attempts.list(filter, { limit: SEARCHED_ATTEMPTS, beforeSeq: null });
  const successes = rows.filter(({ outcome }) => outcome === 'succeeded');
  const accepted: AcceptedDelivery[] = [];
  let acceptedLater: AcceptedDelivery | null = null;
  // By the order of recording, because the wall clock can stand still.
  const seq = rows.find((other) => other.delivery_id === row.id && other.number === attempt.number)?.seq ?? 0;
  for (const { delivery_id: id, number, seq: successSeq } of successes) {
    const other = store.deliveryQueries.find(id);
    const success = other && listAttempts(sandbox, other).find((candidate) => candidate.number === number);
    if (other === undefined || success === undefined) continue;
    if (success.request.url !== attempt.request.url || isInvalidatingFault(success.fault)) continue;
    const distanceMs = Date.parse(attempt.sent_at) - Date.parse(success.sent_at);
    const delivery = {
      id,
      distanceMs: Math.abs(distanceMs),
      signing: getSigning(sandbox, other, success),
      isChangedByReserialization: describeReserialization(success.request.body) !== null,
    };
    if (successSeq > seq) acceptedLater ??= delivery;
    else accepted.push(delivery);
    if (accepted.length === MAX_ACCEPTED) break;
  }
  return { accepted, acceptedLater, searched: { attempts: rows.length, successes: successes.length } };
}
