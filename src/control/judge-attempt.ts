/** The cause of the state that an attempt left a delivery in, and what to do about it. */
import type { AttemptDetail, Delivery } from '../contract/delivery-schemas.ts';
import type { Explanation } from '../contract/explanation-schemas.ts';
import {
  describeCause,
  failedByFault,
  findAttemptHints,
  isInvalidatingFault,
  toDeliveryHints,
} from '../domain/attempt-hints.ts';
import { formatDuration } from '../domain/duration.ts';
import { isAttemptSent } from '../domain/fault.ts';
import type { Hint } from '../errors.ts';
import {
  type ExplainedMistake,
  listAcceptanceEvidence,
  listEvidence,
  type MistakeWithEvidence,
  type RejectionEvidence,
} from './rejection-evidence.ts';

type Verdict = Pick<Explanation, 'cause' | 'certainty' | 'detail'> &
  Partial<Pick<Explanation, 'mistake' | 'evidence'>> & {
    /** Instead of those that follow from the response. */
    readonly hints?: Hint[];
  };

/** The verdict that follows from the outcome; null if the code of the receiver responded with an error. */
export function judgeOutcome(attempt: AttemptDetail): Verdict | null {
  const { outcome, fault, number, response_status: status } = attempt;
  const verdict = { certainty: 'certain', detail: describeCause(attempt) } as const;
  if (outcome === 'succeeded') {
    return isInvalidatingFault(fault)
      ? {
          ...verdict,
          cause: 'accepted_invalid',
          detail: `The receiver accepted an attempt that the injected fault ${fault?.kind} had made invalid.`,
        }
      : { ...verdict, cause: 'delivered', detail: `The receiver returned ${status} to attempt ${number}.` };
  }
  if (failedByFault(attempt)) {
    const isChanged = outcome === 'http_error' && isAttemptSent(fault);
    const effect = isChanged ? 'had changed the request' : 'caused this';
    const detail = `${verdict.detail} The injected fault ${fault?.kind} (${fault?.id}) ${effect}.`;
    return { ...verdict, cause: 'injected_fault', detail };
  }
  if (outcome !== 'http_error') return { ...verdict, cause: outcome };
  if (status === null || status < 400) return { ...verdict, cause: 'redirect' };
  if (status === 429) return { ...verdict, cause: 'rate_limited' };
  if ([404, 405, 410].includes(status)) return { ...verdict, cause: 'wrong_path', certainty: 'likely' };
  return null;
}

/** What is known about an attempt to which the code of the receiver responded with an error. */
export interface RejectionFacts extends RejectionEvidence {
  readonly delivery: Delivery;
  readonly attempt: AttemptDetail;
  /** Such as `the current endpoint secret (whsec_…x1Zk)`. */
  readonly secret: string;
  readonly toleranceMs: number;
  /** The attempt or delivery with the same event that it accepted before. */
  readonly earlierSuccess: string | null;
  /** The mistake that the evidence suggests. */
  readonly suggestion: MistakeWithEvidence | null;
}

export function judgeRejection(facts: RejectionFacts): Verdict {
  const { delivery, attempt, secret, toleranceMs, reported, suggestion, clockSkewMs, signing } = facts;
  const status = attempt.response_status ?? 0;
  const own = toDeliveryHints(delivery);
  const judge = (
    cause: Verdict['cause'],
    certainty: Verdict['certainty'],
    reason: string,
    more: Partial<Verdict>,
  ): Verdict => ({ cause, certainty, detail: `${describeCause(attempt)} ${reason}`.trim(), ...more });

  const isUnauthorized = status === 401 || status === 403;
  const isAboutSignature = reported !== null || facts.mentionsSignature;
  if (facts.earlierSuccess !== null && !isAboutSignature && !isUnauthorized) {
    const reason = `It had accepted the same event before, in ${facts.earlierSuccess}, so it probably does not recognize duplicates.`;
    const store =
      'Store the ID of each event (data.id) that you process. If it comes again, return a 2xx response and do nothing else.';
    return judge('duplicate_rejected', 'likely', reason, {
      evidence: listAcceptanceEvidence(facts),
      hints: [{ text: store }, { text: 'Show a correct receiver', command: 'svc receiver example' }],
    });
  }
  // Many receivers throw an error if the signature is wrong.
  if (status >= 500 && !isAboutSignature) return judge('receiver_error', 'certain', '', {});

  const isClockWrong = clockSkewMs !== null && Math.abs(clockSkewMs) > toleranceMs;
  const isAgeReported = reported !== null && ageReasons.includes(reported.mistake.reason);
  // A digest of the current secret is wrong for an attempt that was signed before a rotation, but correct today.
  const isOldSignature = signing === 'previous' || signing === 'other';
  const isOutdated = isOldSignature && reported !== null && secretReasons.includes(reported.mistake.reason);
  const isUnknown = reported?.mistake.reason === 'signature_mismatch';
  if (reported !== null && !isUnknown && !isOutdated && !(isAgeReported && isClockWrong)) {
    const { mistake, hints } = correctMistake(reported.mistake, facts);
    return judge('signature_rejected', 'certain', mistake.detail, {
      mistake,
      evidence: [reported.evidence],
      hints,
    });
  }
  if (facts.mentionsCsrf) {
    const reason =
      'The response mentions CSRF protection, which rejects the request before your code verifies the signature.';
    const exclude =
      'Exclude the path of the endpoint URL from the CSRF protection of the framework, because the signature replaces it.';
    return judge('rejected', 'likely', reason, { hints: [{ text: exclude }] });
  }
  const isSignature = isUnauthorized || isAboutSignature || facts.mentionsTimestamp;
  const evidence = listEvidence(facts, toleranceMs);
  if (!isSignature && status !== 400) {
    const hints = [...findAttemptHints(attempt, delivery).slice(0, 1), own.probe];
    return judge('rejected', 'certain', '', { evidence, hints });
  }
  if (isOldSignature) {
    const reason =
      'The endpoint secret or the signature scheme was changed after this attempt, so it does not show what the receiver does now.';
    return judge('secret_changed', 'likely', reason, {
      hints: [{ text: 'Replay the delivery, which is then signed with the current secret.' }],
    });
  }
  if (isClockWrong) {
    const distance = `${formatDuration(Math.abs(clockSkewMs))} ${clockSkewMs > 0 ? 'ahead of' : 'behind'}`;
    const reason = `Its clock is ${distance} the clock of the emulator, according to its Date header. The tolerance is ${formatDuration(toleranceMs)}.`;
    return judge('receiver_clock', isAgeReported ? 'certain' : 'likely', reason, {
      evidence: reported === null ? [] : [reported.evidence],
      hints: [{ text: 'Synchronize the clock of the receiver with the clock of the emulator.' }],
    });
  }
  if (suggestion === null && !isSignature) {
    const probe = `Probe the receiver to find out. If it verifies signatures, check that it uses ${secret}.`;
    const reason = 'The response does not say whether the signature or the data was rejected.';
    return judge('rejected', 'certain', reason, { evidence, hints: [{ text: probe }, own.probe] });
  }
  const certainty = reported === null ? 'likely' : 'certain';
  const known = [reported, suggestion].flatMap((found) => (found === null ? [] : [found.evidence]));
  const rejected = { evidence: [...known, ...evidence], mistake: suggestion?.mistake ?? null };
  if (suggestion !== null) {
    const { detail, remedy } = suggestion.mistake;
    return judge('signature_rejected', certainty, detail, {
      ...rejected,
      hints: [{ text: remedy }, own.probe, own.steps],
    });
  }
  // A probe tries the mistakes with which the digest was compared.
  if (facts.unknownDigest !== null) {
    const reason = 'It rejected the signature. The most likely cause is a secret that svc does not know.';
    return judge('signature_rejected', certainty, reason, {
      ...rejected,
      hints: [{ text: `Check that the receiver uses ${secret}.` }, own.secret],
    });
  }
  const reason = `It ${reported === null ? 'probably ' : ''}rejected the signature.`;
  const text = facts.containsSentDigest
    ? 'Check how the receiver compares the digest with the signature header: both with the prefix, or both without it.'
    : `Check that the receiver uses ${secret}. If it does, probe it to find the mistake.`;
  return judge('signature_rejected', certainty, reason, {
    ...rejected,
    hints: [{ text }, own.probe, own.secret],
  });
}

const ageReasons: readonly ExplainedMistake['reason'][] = ['timestamp_too_old', 'timestamp_in_future'];
const secretReasons: readonly ExplainedMistake['reason'][] = [
  'wrong_secret',
  'api_key_as_secret',
  'secret_missing',
];

/** A mistake with the secret that corrects it, and the hints to correct it. */
export function correctMistake(
  mistake: ExplainedMistake,
  { delivery, secret }: Pick<RejectionFacts, 'delivery' | 'secret'>,
): { readonly mistake: ExplainedMistake; readonly hints: Hint[] } {
  const own = toDeliveryHints(delivery);
  const isSecret = secretReasons.includes(mistake.reason);
  const text = isSecret
    ? `Set the secret of the receiver to ${secret}, and restart the receiver.`
    : mistake.remedy;
  return { mistake: { ...mistake, remedy: text }, hints: [{ text }, isSecret ? own.secret : own.steps] };
}
