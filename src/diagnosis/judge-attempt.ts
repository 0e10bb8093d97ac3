/** Judges an attempt: what responded, whether the verification was reached, which mistake it makes, and what to do. Only by evidence. */

import type { AttemptCause, DeliveryCause } from '../domain/causes.ts';
import { describeOutcome, noResponseOutcomes } from '../domain/delivery.ts';
import { formatDuration, SECOND_MS } from '../domain/duration.ts';
import { getDeliveryFault, isAttemptSent } from '../domain/fault.ts';
import { toSentence } from '../domain/message-parts.ts';
import type { Attempt } from '../resources/attempt.ts';
import type { Delivery } from '../resources/delivery.ts';
import { type MistakeReason, quote } from '../signature/refusals.ts';
import { toDeliveryHints } from './delivery-hints.ts';
import { describeUrl, findLayer, readRedirect } from './find-layer.ts';
import { findFramework } from './frameworks.ts';
import type { Exchange } from './read-response.ts';
import { causeFixes, type Judgment, say, sayFix, toHint } from './sentences.ts';
import { findTransportProblem } from './transport-problems.ts';

type AttemptResult = Pick<Attempt, 'outcome' | 'response_status'> & Partial<Pick<Attempt, 'error' | 'fault'>>;
type AttemptedDelivery = Pick<Delivery, 'id' | 'webhook_id' | 'url'>;

/** What a response reports about the verification, apart from the words of the table of layers. */
export interface Report extends Pick<Judgment, 'mistake' | 'evidence'> {
  /** What it says; null if it does not show that the verification was reached. */
  readonly detail: string | null;
}

export interface AttemptFacts {
  readonly attempt: AttemptResult & Exchange & Pick<Attempt, 'sent_at' | 'duration_ms'>;
  readonly delivery: AttemptedDelivery;
  /** Of the texts: `secret`, such as `the current endpoint secret (whsec_…x1Zk)`, `signature_header` and `timestamp`. */
  readonly values: Readonly<Record<string, string>>;
  readonly toleranceMs: number;
  readonly report: Report | null;
  /** The mistake that a probe of the endpoint found. */
  readonly found: Pick<Report, 'mistake' | 'evidence'> | null;
  /** Whether the fault of the attempt can still be applied. */
  readonly isFaultActive: boolean;
}

const secretReasons: readonly MistakeReason[] = ['wrong_secret', 'api_key_as_secret', 'secret_missing'];
const bodyReasons: readonly MistakeReason[] = ['body_changed', 'payload_unreadable'];
/** Causes that the response does not explain further. */
const finalCauses: readonly DeliveryCause[] = ['accepted_invalid', 'injected_fault', ...noResponseOutcomes];

/**
 * What the outcome, the status and the fault of an attempt show, without its response.
 * @param location where a redirect leads
 */
export function judgeResult(
  attempt: AttemptResult,
  delivery: AttemptedDelivery,
  isFaultActive = true,
  location = 'URL',
): Judgment {
  const { error, fault } = attempt;
  const cause = findCause(attempt);
  const isFault = cause === 'injected_fault';
  const fix =
    (isFault ? undefined : findTransportProblem(error ?? '')) ??
    causeFixes[isFault && !isFaultActive ? 'ended_fault' : cause];
  const values = {
    ...describeUrl(delivery.url),
    webhook: delivery.webhook_id,
    delivery: delivery.id,
    fault: fault?.id ?? '',
    kind: fault?.kind ?? '',
    location,
  };
  return {
    cause,
    certainty: 'certain',
    layer: null,
    detail: describeResult(attempt, cause),
    mistake: null,
    evidence: [],
    hints: fix === undefined ? [] : [toHint(fix, values)],
  };
}

function findCause({ outcome, response_status: status, fault }: AttemptResult): AttemptCause {
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
function describeResult(
  { outcome, response_status, error = null, fault }: AttemptResult,
  cause: AttemptCause,
): string {
  if (cause === 'accepted_invalid')
    return `The receiver accepted an attempt that the injected fault ${fault?.kind} had made invalid.`;
  // The error of a redirect also says where to.
  const isStatus = outcome === 'succeeded' || (outcome === 'http_error' && cause !== 'redirect');
  const isSent = isAttemptSent(fault);
  const status = isSent
    ? `Your receiver returned ${response_status}.`
    : `An injected fault returned ${response_status}. Your receiver was not called.`;
  const result = isStatus
    ? status
    : toSentence(error ?? describeOutcome({ outcome, response_status, error }));
  if (cause !== 'injected_fault') return result;
  const effect = isStatus && isSent ? 'had changed the request' : 'caused this';
  return `${result} The injected fault ${fault?.kind} (${fault?.id}) ${effect}.`;
}

/** The strongest evidence decides: what responded, the clock, a mistake, a rejection by the verification, the status. */
export function judgeAttempt(facts: AttemptFacts): Judgment {
  const { attempt, delivery, report, found } = facts;
  const values = { ...facts.values, webhook: delivery.webhook_id };
  const basic = judgeResult(attempt, delivery, facts.isFaultActive, readRedirect(attempt)?.target);
  const { cause } = basic;
  if (finalCauses.includes(cause)) return basic;
  const { found: layer, says } = findLayer(attempt, values);
  if (cause === 'delivered') return layer ?? basic;
  const isReported = (report?.detail ?? null) !== null;
  const verification = layer?.cause === 'signature_rejected' ? layer : null;
  if (layer !== null && verification === null && !isReported) return layer;

  const detail = (text: string) => `${basic.detail} ${text}`.trim();
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

  const own = toDeliveryHints(delivery);
  const rejected: Judgment = { ...basic, cause: 'signature_rejected', layer: verification?.layer ?? null };
  const shown = [report, verification, found].find((one) => one?.mistake);
  if (shown?.mistake) {
    const { reason } = shown.mistake;
    const { rawBody } = (bodyReasons.includes(reason) && findFramework(attempt.response?.headers)) || {};
    const remedy = [shown.mistake.remedy, rawBody].filter(Boolean).join(' ');
    const next = secretReasons.includes(reason) ? own.secret : own.steps;
    return {
      ...rejected,
      detail: detail(shown.mistake.detail),
      mistake: { ...shown.mistake, remedy },
      evidence: shown.evidence,
      hints: [{ text: remedy }, next],
    };
  }
  if (verification !== null || isReported) {
    // A probe tries the mistakes with which the digest was compared.
    const next =
      report === null ? [...(verification?.hints ?? []), own.probe] : [sayFix('digest_unknown', values)];
    return {
      ...rejected,
      detail: detail(verification?.detail ?? report?.detail ?? ''),
      evidence: report?.evidence ?? [],
      hints: [...next, own.secret],
    };
  }
  const said = says === null ? null : say('says', { says: quote(says) });
  const hints = isUndecided ? [sayFix('unclear', values)] : basic.hints;
  return {
    ...basic,
    detail: detail(said ?? (isUndecided ? say('unclear') : '')),
    hints: cause === 'rejected' ? [...hints, own.probe] : hints,
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
