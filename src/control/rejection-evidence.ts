/**
 * What the recorded requests and responses show about a rejected signature. The emulator does not know the secret and the code
 * of the receiver, so it draws conclusions from the response and from deliveries that the receiver accepted.
 */
import type { Attempt, AttemptDetail } from '../contract/delivery-schemas.ts';
import type { Explanation } from '../contract/explanation-schemas.ts';
import { timestampNames } from '../delivery/probe-signature.ts';
import { formatDuration, SECOND_MS } from '../domain/duration.ts';
import { formatCount } from '../domain/message-parts.ts';
import { describeDifference } from '../domain/signature/body-variants.ts';
import { PASS_RAW_BODY, type RefusalReason, receiverRemedies } from '../domain/signature/refusals.ts';
import { hasTimestamp } from '../domain/signature/schemes.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listAttempts, verifyDelivery } from '../sandbox/verification.ts';
import { readSignature } from '../store/attempts.ts';
import type { DeliveryRow } from '../store/delivery-queries.ts';

type Mistake = NonNullable<Explanation['mistake']>;

export interface RejectionEvidence {
  /** The response contains a digest or a reason that identifies the mistake. */
  readonly reportedMistake: Mistake | null;
  readonly mentionsSignature: boolean;
  readonly mentionsTimestamp: boolean;
  /** As the responses of Django, Laravel and Rails do. */
  readonly mentionsCsrf: boolean;
  /** How far the clock of the receiver is ahead, by its header `Date`; null if it sends none. */
  readonly clockSkewMs: number | null;
  /** How the body changes if its JSON is parsed and serialized again; null if it does not change. */
  readonly reserialization: string | null;
  /** The newest deliveries that the same URL accepted with the same secret. */
  readonly accepted: readonly AcceptedDelivery[];
}

interface AcceptedDelivery {
  readonly id: string;
  readonly isChangedByReserialization: boolean;
}

export async function collectRejectionEvidence(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempt: AttemptDetail,
): Promise<RejectionEvidence> {
  const text = getResponseText(attempt);
  return {
    reportedMistake: findReportedDigest(sandbox, row, attempt, text) ?? findReportedReason(text),
    mentionsSignature: /signature|hmac|digest|secret/i.test(text),
    mentionsTimestamp: /timestamp|tolerance|too old|expired|stale|in the future/i.test(text),
    mentionsCsrf: /csrf|authenticity ?token/i.test(text),
    clockSkewMs: getClockSkewMs(attempt),
    reserialization: describeReserialization(attempt.request.body),
    accepted: await listAccepted(sandbox, row, attempt),
  };
}

/** The body of the response if it is text. */
export function getResponseText({ response }: Pick<Attempt, 'response'>): string {
  return response === null || response.encoding !== 'utf8' ? '' : response.body;
}

/** The mistake that the evidence suggests; null if it does not suggest one. */
export function suggestMistake(
  evidence: RejectionEvidence,
  { request }: Attempt,
  sandbox: Sandbox,
): Mistake | null {
  const { reserialization, accepted, mentionsTimestamp, clockSkewMs } = evidence;
  const { signature: scheme, signatureToleranceMs: toleranceMs } = sandbox.rules;
  if (
    mentionsTimestamp &&
    hasTimestamp(scheme) &&
    clockSkewMs !== null &&
    Math.abs(clockSkewMs) <= toleranceMs
  ) {
    const { timestamp } = readSignature(request.headers, { id: '', body: '', scheme }).message;
    return {
      reason: 'timestamp_unreadable',
      detail: `The response mentions the timestamp, but the clock of the receiver is correct. It probably reads ${timestamp} in another unit or format.`,
      remedy: `Parse the timestamp as ${timestampNames[scheme.timestampFormat]}, and compare it with the current time in the same unit.`,
    };
  }
  const acceptsOnlyUnchanged =
    accepted.length > 0 && accepted.every(({ isChangedByReserialization }) => !isChangedByReserialization);
  if (reserialization === null || !acceptsOnlyUnchanged) return null;
  return {
    reason: 'body_changed',
    detail: `The receiver probably parses the body and serializes it again before it verifies: it accepted ${formatCount(accepted.length, 'delivery', 'deliveries')} whose bodies stay the same, but the body of this one does not (${reserialization}).`,
    remedy: PASS_RAW_BODY,
  };
}

/** What the evidence excludes, as sentences. */
export function listRuledOut(
  evidence: RejectionEvidence,
  { verification }: AttemptDetail,
  toleranceMs: number,
): string[] {
  const { clockSkewMs, reserialization, accepted } = evidence;
  return [
    ...(verification?.ok ? ['The emulator signed the attempt with the current endpoint secret.'] : []),
    ...(clockSkewMs !== null && Math.abs(clockSkewMs) <= toleranceMs
      ? [
          `The clock of the receiver is correct to within ${formatDuration(Math.max(Math.abs(clockSkewMs), SECOND_MS))}.`,
        ]
      : []),
    ...(accepted[0] === undefined
      ? []
      : [
          `The receiver accepted ${accepted[0].id} with the same secret. If it verifies signatures, its secret is correct.`,
        ]),
    ...(reserialization === null ? ['JSON.parse and JSON.stringify do not change the body.'] : []),
  ];
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
): Mistake | null {
  const scheme = sandbox.rules.signature;
  const { digests } = readSignature(request.headers, { id: row.id, body: request.body, scheme });
  const candidates = [...new Set(text.match(DIGEST))].filter(
    (candidate) => !digests.some((digest) => candidate.includes(digest)),
  );
  for (const computed of candidates.slice(0, MAX_DIGESTS)) {
    const { reason, detail, remedy } = verifyDelivery(sandbox, { id: row.id, attempt: number, computed });
    if (reason === null || reason === 'signature_mismatch' || reason === 'digest_malformed') continue;
    return {
      reason,
      detail: `The response contains the digest that the receiver computed. ${detail}`,
      remedy: remedy ?? '',
    };
  }
  return null;
}

/** Finds a reason of `svc-emulator/signature` in the response. */
function findReportedReason(text: string): Mistake | null {
  for (const word of text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []) {
    const remedy = receiverRemedies[word as RefusalReason];
    if (remedy !== undefined) {
      return { reason: word as RefusalReason, detail: `The receiver reported ${word}.`, remedy };
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

async function listAccepted(
  sandbox: Sandbox,
  row: DeliveryRow,
  { request }: Attempt,
): Promise<AcceptedDelivery[]> {
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
  const ids = new Set(rows.filter(({ outcome }) => outcome === 'succeeded').map(({ delivery_id: id }) => id));
  const accepted: AcceptedDelivery[] = [];
  for (const id of ids) {
    const other = id === row.id ? undefined : store.deliveryQueries.find(id);
    const attempts = other === undefined ? [] : listAttempts(sandbox, other);
    const success = attempts.find(({ outcome, verification }) => outcome === 'succeeded' && verification?.ok);
    if (success?.request.url !== request.url) continue;
    accepted.push({ id, isChangedByReserialization: describeReserialization(success.request.body) !== null });
    if (accepted.length === MAX_ACCEPTED) break;
  }
  return accepted;
}
