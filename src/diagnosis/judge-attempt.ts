/** Judges an attempt: what responded, whether the verification was reached, which mistake it makes, and what to do. Only by evidence. */

import type { AttemptCause, DeliveryCause } from '../domain/causes.ts';
import { describeOutcome, noResponseOutcomes } from '../domain/delivery.ts';
import { formatDuration, SECOND_MS } from '../domain/duration.ts';
import { getDeliveryFault } from '../domain/fault.ts';
import { toSentence } from '../domain/message-parts.ts';
import type { Attempt } from '../resources/attempt.ts';
import { type MistakeReason, quote } from '../signature/refusals.ts';
import { findLayer } from './find-layer.ts';
import { frameworks } from './frameworks.ts';
import { emptyJudgment, type Judgment, say, sayFix, toNextSteps, type Values } from './sentences.ts';
import { listFixes } from './transport-problems.ts';

/** What a response reports about the verification, apart from the words of the table of layers. */
export interface Report extends Pick<Judgment, 'mistake' | 'evidence'> {
  /** What it says; null if it does not show that the verification was reached. */
  readonly detail: string | null;
}

export interface AttemptFacts {
  readonly attempt: Attempt;
  /** The attempts of the delivery. */
  readonly attempts: readonly Attempt[];
  /** Those of `describeAttempt`, and `secret`, such as `the current endpoint secret (whsec_…x1Zk)`, `signature_header` and `timestamp`. */
  readonly values: Values;
  readonly toleranceMs: number;
  readonly report: Report | null;
  /** The mistake that a probe of the endpoint found. */
  readonly found: Report | null;
  /** Whether the fault of the attempt can still be applied. */
  readonly isFaultActive: boolean;
}

const secretReasons: readonly MistakeReason[] = ['wrong_secret', 'api_key_as_secret', 'secret_missing'];
const bodyReasons: readonly MistakeReason[] = ['body_changed', 'payload_unreadable'];
/** Causes that the response does not explain further. */
const finalCauses: readonly DeliveryCause[] = ['accepted_invalid', 'injected_fault', ...noResponseOutcomes];

/** What the outcome, the status and the fault of an attempt show, without its response. */
export function judgeResult(attempt: Attempt, values: Values, isFaultActive: boolean): Judgment {
  const cause = findCause(attempt);
  const isEnded = cause === 'injected_fault' && !isFaultActive;
  return {
    ...emptyJudgment,
    cause,
    detail: describeResult(attempt, cause, values),
    hints: listFixes(isEnded ? 'ended_fault' : cause, attempt.error, values),
  };
}

function findCause({ outcome, response_status: status, fault }: Attempt): AttemptCause {
  const { isInvalid, usesPreviousSecret, end } = getDeliveryFault(fault?.kind);
  if (outcome === 'succeeded') return isInvalid ? 'accepted_invalid' : 'delivered';
  if (end !== undefined) return 'injected_fault';
  if (outcome !== 'http_error') return outcome;
  if (status === null || status < 400) return 'redirect';
  if (status === 429) return 'rate_limited';
  if ([404, 405, 410].includes(status)) return 'wrong_path';
  if (isInvalid || usesPreviousSecret) return 'injected_fault';
  return status < 500 ? 'rejected' : 'receiver_error';
}

/** What happened, in one or two sentences. */
function describeResult({ outcome, error, fault }: Attempt, cause: AttemptCause, values: Values): string {
  if (cause === 'accepted_invalid') return say('accepted_invalid', values);
  // The error of a redirect also says where to, and that of a fault which one.
  const isEnd = getDeliveryFault(fault?.kind).end !== undefined;
  const isStatus = outcome === 'succeeded' || (outcome === 'http_error' && cause !== 'redirect' && !isEnd);
  if (!isStatus) return toSentence(error ?? '');
  const returned = say('returned', values);
  return cause === 'injected_fault' ? `${returned} ${say('changed_request', values)}` : returned;
}

/** The strongest evidence decides: what responded, the clock, a mistake, a rejection by the verification, the status. */
export function judgeAttempt(facts: AttemptFacts): Judgment {
  const { attempt, values, report, found } = facts;
  const basic = judgeResult(attempt, values, facts.isFaultActive);
  const { cause } = basic;
  if (finalCauses.includes(cause)) return basic;
  const { found: layer, says } = findLayer(attempt, values);
  if (cause === 'delivered') return layer ?? basic;
  const isReported = (report?.detail ?? null) !== null;
  const verification = layer?.cause === 'signature_rejected' ? layer : null;
  const next = toNextSteps(values);
  if (layer !== null && verification === null && !isReported)
    return layer.cause === 'rejected' ? { ...layer, hints: [...layer.hints, next.probe] } : layer;

  const detail = (...texts: string[]) => [basic.detail, ...texts].join(' ');
  const isUndecided = cause === 'rejected' && [400, 401, 403].includes(attempt.response_status ?? 0);
  const clock = describeClock(facts);
  const isAge = verification?.layer?.kind === 'signature_time';
  if (clock !== null && (isAge || (isUndecided && !isReported && verification === null && found === null))) {
    return {
      ...basic,
      cause: 'receiver_clock',
      certainty: isAge ? 'certain' : 'likely',
      detail: detail(clock),
      hints: [sayFix('clock_differs', values)],
    };
  }

  const rejected: Judgment = { ...basic, cause: 'signature_rejected', layer: verification?.layer ?? null };
  const shown = [report, verification, found].find((one) => one?.mistake);
  if (shown?.mistake) {
    const { reason } = shown.mistake;
    const { headers = {} } = attempt.response ?? {};
    const framework = frameworks.find(({ header: [name, value] }) => value.test(headers[name] ?? ''));
    const { rawBody } = (bodyReasons.includes(reason) && framework) || {};
    const remedy = [shown.mistake.remedy, rawBody].filter(Boolean).join(' ');
    return {
      ...rejected,
      detail: detail(shown.mistake.detail),
      mistake: { ...shown.mistake, remedy },
      evidence: shown.evidence,
      hints: [{ text: remedy }, secretReasons.includes(reason) ? next.secret : next.steps],
    };
  }
  if (verification !== null || isReported) {
    // A probe tries the mistakes with which the digest was compared.
    const hints =
      report === null ? [...(verification?.hints ?? []), next.probe] : [sayFix('digest_unknown', values)];
    return {
      ...rejected,
      detail: detail(verification?.detail ?? report?.detail ?? ''),
      evidence: report?.evidence ?? [],
      hints: [...hints, next.secret],
    };
  }
  const said = says === null ? [] : [say('says', { says: quote(says) })];
  const recording = attempt.response_status === 409 ? findRecording(facts) : undefined;
  if (recording !== undefined) {
    const earlier = { earlier: String(recording.number), result: describeOutcome(recording) };
    return {
      ...basic,
      certainty: 'likely',
      detail: detail(...said, say('already_recorded', earlier)),
      hints: [sayFix('already_recorded', values)],
    };
  }
  const hints = isUndecided ? [sayFix('unclear', values)] : basic.hints;
  const unclear = isUndecided && says === null ? [say('unclear')] : [];
  return {
    ...basic,
    detail: detail(...said, ...unclear),
    hints: cause === 'rejected' ? [...hints, next.probe] : hints,
  };
}

/** How the clock of the receiver differs by more than the tolerance, according to its Date header; null if it does not. */
function describeClock({ attempt, toleranceMs }: AttemptFacts): string | null {
  const sentAt = Date.parse(attempt.sent_at) + attempt.duration_ms;
  const skewMs = Date.parse(attempt.response?.headers.date ?? '') - sentAt;
  // In whole seconds, as those of `Date`.
  const distanceMs = Math.round(Math.abs(skewMs) / SECOND_MS) * SECOND_MS;
  if (!(distanceMs > toleranceMs)) return null;
  const distance = `${formatDuration(distanceMs)} ${skewMs > 0 ? 'ahead of' : 'behind'}`;
  return say('clock_differs', { distance, tolerance: formatDuration(toleranceMs) });
}

/** The last earlier attempt at which your code can have recorded the event: it was sent as a valid one, and not rejected. */
function findRecording({ attempt, attempts, values }: AttemptFacts): Attempt | undefined {
  return attempts.findLast((earlier) => {
    const { number, phases, response_status: status, fault } = earlier;
    const isSent = (phases?.send_ms ?? null) !== null && !getDeliveryFault(fault?.kind).isInvalid;
    const isRejected = status !== null && status >= 300 && status < 500;
    // Any other layer responded instead of the code that records.
    const { found } = findLayer(earlier, values);
    const isReached = found === null || found.cause === 'delivered';
    return number < attempt.number && isSent && !isRejected && isReached;
  });
}
