/** Judges an error that the code of a receiver returned: whether it rejected the signature, and which mistake it makes. */
import type { AttemptDetail, Delivery } from '../contract/delivery-schemas.ts';
import type { Explanation } from '../contract/explanation-schemas.ts';
import { describeCause, findAttemptHints, toDeliveryHints } from '../domain/attempt-hints.ts';
import { formatDuration } from '../domain/duration.ts';
import type { Hint } from '../errors.ts';
import {
  type ExplainedMistake,
  listAcceptanceEvidence,
  listEvidence,
  type MistakeWithEvidence,
  type RejectionEvidence,
} from './rejection-evidence.ts';

export type Verdict = Pick<Explanation, 'cause' | 'certainty' | 'detail'> &
  Partial<Pick<Explanation, 'mistake' | 'evidence'>> & {
    /** Instead of those that follow from the response. */
    readonly hints?: Hint[];
  };

/** What is known about an attempt to which the code of the receiver responded with an error. */
interface RejectionFacts extends RejectionEvidence {
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

/** The facts, and what follows from them. */
type Rejection = ReturnType<typeof interpret>;

function interpret(facts: RejectionFacts) {
  const { attempt, reported, clockSkewMs, toleranceMs, signing } = facts;
  const status = attempt.response_status ?? 0;
  return {
    ...facts,
    status,
    isUnauthorized: status === 401 || status === 403,
    isAboutSignature: reported !== null || facts.mentionsSignature,
    isClockWrong: clockSkewMs !== null && Math.abs(clockSkewMs) > toleranceMs,
    isAgeReported: reported !== null && ageReasons.includes(reported.mistake.reason),
    /** Whether the secret or the scheme was changed after the attempt. */
    isOldSignature: signing === 'previous' || signing === 'other',
  };
}

/** A judgment, with a `detail` that follows the status; null if it does not apply. */
type Judge = (rejection: Rejection) => Verdict | null;

/** The first judgment that applies. */
export function judgeRejection(facts: RejectionFacts): Verdict {
  const rejection = interpret(facts);
  const verdict =
    judgeDuplicate(rejection) ??
    judgeServerError(rejection) ??
    judgeReportedMistake(rejection) ??
    judgeCsrf(rejection) ??
    judgeOther(rejection) ??
    judgeOldSignature(rejection) ??
    judgeClock(rejection) ??
    judgeUnclear(rejection) ??
    judgeSignature(rejection);
  return { ...verdict, detail: `${describeCause(facts.attempt)} ${verdict.detail}`.trim() };
}

const judgeDuplicate: Judge = (rejection) => {
  const { earlierSuccess, isAboutSignature, isUnauthorized } = rejection;
  if (earlierSuccess === null || isAboutSignature || isUnauthorized) return null;
  const store =
    'Store the ID of each event (data.id) that you process. If it comes again, return a 2xx response and do nothing else.';
  return {
    cause: 'duplicate_rejected',
    certainty: 'likely',
    detail: `It had accepted the same event before, in ${earlierSuccess}, so it probably does not recognize duplicates.`,
    evidence: listAcceptanceEvidence(rejection),
    hints: [{ text: store }, { text: 'Show a correct receiver', command: 'svc receiver example' }],
  };
};

/** Many receivers throw an error if the signature is wrong. */
const judgeServerError: Judge = ({ status, isAboutSignature }) =>
  status >= 500 && !isAboutSignature ? { cause: 'receiver_error', certainty: 'certain', detail: '' } : null;

const judgeReportedMistake: Judge = (rejection) => {
  const { reported, isOldSignature, isAgeReported, isClockWrong } = rejection;
  if (reported === null || reported.mistake.reason === 'signature_mismatch') return null;
  // A digest of the current secret is wrong for an attempt that was signed before a rotation, but correct today.
  const isOutdated = isOldSignature && secretReasons.includes(reported.mistake.reason);
  if (isOutdated || (isAgeReported && isClockWrong)) return null;
  const { mistake, hints } = correctMistake(reported.mistake, rejection);
  return {
    cause: 'signature_rejected',
    certainty: 'certain',
    detail: mistake.detail,
    mistake,
    evidence: [reported.evidence],
    hints,
  };
};

const judgeCsrf: Judge = ({ mentionsCsrf }) => {
  if (!mentionsCsrf) return null;
  const exclude =
    'Exclude the path of the endpoint URL from the CSRF protection of the framework, because the signature replaces it.';
  return {
    cause: 'rejected',
    certainty: 'likely',
    detail:
      'The response mentions CSRF protection, which rejects the request before your code verifies the signature.',
    hints: [{ text: exclude }],
  };
};

/** A response that is not about the signature. A 400 can be. */
const judgeOther: Judge = (rejection) => {
  const { status, attempt, delivery, toleranceMs } = rejection;
  if (isSignatureLikely(rejection) || status === 400) return null;
  return {
    cause: 'rejected',
    certainty: 'certain',
    detail: '',
    evidence: listEvidence(rejection, toleranceMs),
    hints: [...findAttemptHints(attempt, delivery).slice(0, 1), toDeliveryHints(delivery).probe],
  };
};

const judgeOldSignature: Judge = ({ isOldSignature }) =>
  isOldSignature
    ? {
        cause: 'secret_changed',
        certainty: 'likely',
        detail:
          'The endpoint secret or the signature scheme was changed after this attempt, so it does not show what the receiver does now.',
        hints: [{ text: 'Replay the delivery, which is then signed with the current secret.' }],
      }
    : null;

const judgeClock: Judge = ({ clockSkewMs, isClockWrong, isAgeReported, reported, toleranceMs }) => {
  if (clockSkewMs === null || !isClockWrong) return null;
  const distance = `${formatDuration(Math.abs(clockSkewMs))} ${clockSkewMs > 0 ? 'ahead of' : 'behind'}`;
  return {
    cause: 'receiver_clock',
    certainty: isAgeReported ? 'certain' : 'likely',
    detail: `Its clock is ${distance} the clock of the emulator, according to its Date header. The tolerance is ${formatDuration(toleranceMs)}.`,
    evidence: reported === null ? [] : [reported.evidence],
    hints: [{ text: 'Synchronize the clock of the receiver with the clock of the emulator.' }],
  };
};

/** A 400 that says nothing else. */
const judgeUnclear: Judge = (rejection) => {
  const { suggestion, secret, delivery, toleranceMs } = rejection;
  if (suggestion !== null || isSignatureLikely(rejection)) return null;
  const probe = `Probe the receiver to find out. If it verifies signatures, check that it uses ${secret}.`;
  return {
    cause: 'rejected',
    certainty: 'certain',
    detail: 'The response does not say whether the signature or the data was rejected.',
    evidence: listEvidence(rejection, toleranceMs),
    hints: [{ text: probe }, toDeliveryHints(delivery).probe],
  };
};

function judgeSignature(rejection: Rejection): Verdict {
  const { reported, suggestion, secret, delivery, toleranceMs } = rejection;
  const own = toDeliveryHints(delivery);
  const known = [reported, suggestion].flatMap((found) => (found === null ? [] : [found.evidence]));
  const verdict: Omit<Verdict, 'detail'> = {
    cause: 'signature_rejected',
    certainty: reported === null ? 'likely' : 'certain',
    evidence: [...known, ...listEvidence(rejection, toleranceMs)],
    mistake: suggestion?.mistake ?? null,
  };
  if (suggestion !== null) {
    const { detail, remedy } = suggestion.mistake;
    return { ...verdict, detail, hints: [{ text: remedy }, own.probe, own.steps] };
  }
  // A probe tries the mistakes with which the digest was compared.
  if (rejection.unknownDigest !== null) {
    return {
      ...verdict,
      detail: 'It rejected the signature. The most likely cause is a secret that svc does not know.',
      hints: [{ text: `Check that the receiver uses ${secret}.` }, own.secret],
    };
  }
  const text = rejection.containsSentDigest
    ? 'Check how the receiver compares the digest with the signature header: both with the prefix, or both without it.'
    : `Check that the receiver uses ${secret}. If it does, probe it to find the mistake.`;
  return {
    ...verdict,
    detail: `It ${reported === null ? 'probably ' : ''}rejected the signature.`,
    hints: [{ text }, own.probe, own.secret],
  };
}

function isSignatureLikely({ isUnauthorized, isAboutSignature, mentionsTimestamp }: Rejection): boolean {
  return isUnauthorized || isAboutSignature || mentionsTimestamp;
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
