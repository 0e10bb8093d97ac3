/** Judges an attempt: what responded, whether the verification was reached, and which mistake it makes. Only by evidence. */
import { formatDuration, SECOND_MS } from '../domain/duration.ts';
import { type MistakeReason, quote } from '../domain/signature/refusals.ts';
import type { Hint } from '../errors.ts';
import { describeCause, findAttemptHints, findCause } from './attempt-hints.ts';
import type { DeliveryCause } from './causes.ts';
import { toDeliveryHints } from './delivery-hints.ts';
import { type FoundLayer, findLayer } from './find-layer.ts';
import type { Exchange } from './read-response.ts';
import { say } from './sentences.ts';

export interface Mistake {
  readonly reason: MistakeReason;
  readonly detail: string;
  readonly remedy: string;
}

/** What a response shows about the verification, apart from the words of the table of layers. */
export interface Report {
  /** A digest of a known mistake, a reason of `svc-emulator/signature`, another digest, or the digest that was sent. */
  readonly kind: 'known_digest' | 'reason' | 'unknown_digest' | 'sent_digest';
  readonly mistake: Mistake | null;
  /** What it says; null if it does not show that the verification was reached. */
  readonly detail: string | null;
  readonly evidence: string;
}

export interface AttemptFacts {
  readonly attempt: Exchange &
    Parameters<typeof describeCause>[0] & { readonly sent_at: string; readonly duration_ms: number };
  readonly delivery: { readonly id: string; readonly webhook_id: string; readonly url: string };
  /** Such as `the current endpoint secret (whsec_…x1Zk)`. */
  readonly secret: string;
  readonly signatureHeader: string;
  readonly timestamp: string;
  readonly toleranceMs: number;
  readonly report: Report | null;
  /** The mistake that a probe of the endpoint found. */
  readonly found: Pick<Report, 'mistake' | 'evidence'> | null;
  /** Whether the fault of the attempt can still be applied. */
  readonly isFaultActive: boolean;
}

export interface Verdict {
  readonly cause: DeliveryCause;
  readonly certainty: 'certain' | 'likely';
  readonly detail: string;
  readonly layer: FoundLayer | null;
  readonly mistake: Mistake | null;
  readonly evidence: string[];
  readonly hints: Hint[];
}

const secretReasons: readonly MistakeReason[] = ['wrong_secret', 'api_key_as_secret', 'secret_missing'];
const ageReasons: readonly MistakeReason[] = ['timestamp_too_old', 'timestamp_in_future'];
/** Causes of a response that the code of the receiver, or a layer in front of it, can have sent. */
const responseCauses: readonly DeliveryCause[] = [
  'delivered',
  'redirect',
  'wrong_path',
  'rejected',
  'receiver_error',
];
const COMPARE_DIGEST =
  'Check how the receiver compares the digest with the signature header: both with the prefix, or both without it.';

export function judgeAttempt(facts: AttemptFacts): Verdict {
  const { attempt, delivery, secret, report, found } = facts;
  const cause = findCause(attempt);
  const basic: Verdict = {
    ...{ cause, certainty: 'certain', detail: describeCause(attempt), layer: null, mistake: null },
    ...{ evidence: [], hints: findAttemptHints(attempt, delivery, facts.isFaultActive) },
  };
  if (!responseCauses.includes(cause)) return basic;
  const { layer: responding, says } = findLayer(attempt, toValues(facts));
  const isReported = (report?.detail ?? null) !== null;
  if (cause === 'delivered') return responding?.kind === 'index_page' ? toLayerVerdict(responding) : basic;
  if (responding !== null && !responding.isVerification && !isReported) return toLayerVerdict(responding);
  const layer = responding?.isVerification ? responding : null;
  const detail = (text: string) => `${basic.detail} ${text}`.trim();
  const isUndecided = cause === 'rejected' && [400, 401, 403].includes(attempt.response_status ?? 0);

  const clock = describeClock(facts);
  const isAge = report?.mistake
    ? ageReasons.includes(report.mistake.reason)
    : layer?.kind === 'signature_time';
  if (clock?.isWrong && (isAge || (isUndecided && !isReported && layer === null && found === null))) {
    return {
      ...{ ...basic, cause: 'receiver_clock', certainty: isAge ? 'certain' : 'likely' },
      detail: detail(clock.text),
      evidence: isReported && report ? [report.evidence] : [],
      hints: [{ text: 'Synchronize the clock of the receiver with the clock of the emulator.' }],
    };
  }

  const own = toDeliveryHints(delivery);
  const rejected: Verdict = { ...basic, cause: 'signature_rejected', layer };
  const shown = [report, toReport(layer), found].find((one) => one?.mistake);
  if (shown?.mistake) {
    const isSecret = secretReasons.includes(shown.mistake.reason);
    const remedy = isSecret
      ? `Set the secret of the receiver to ${secret}, and restart the receiver.`
      : shown.mistake.remedy;
    return {
      ...{ ...rejected, detail: detail(shown.mistake.detail), mistake: { ...shown.mistake, remedy } },
      evidence: [shown.evidence],
      hints: [{ text: remedy }, isSecret ? own.secret : own.steps],
    };
  }
  const isSent = report?.kind === 'sent_digest';
  if (layer !== null || isReported) {
    // A probe tries the mistakes with which the digest was compared.
    const isProbed = report?.kind === 'unknown_digest';
    const check = `Check that the receiver uses ${secret}.${isProbed ? '' : ' If it does, probe it to find the mistake.'}`;
    const text = isSent ? COMPARE_DIGEST : isProbed ? check : (layer?.hint.text ?? check);
    return {
      ...{ ...rejected, detail: detail(layer?.sentence ?? report?.detail ?? '') },
      evidence: [
        ...(report === null ? [] : [report.evidence]),
        ...(isAge && clock !== null ? [clock.text] : []),
      ],
      hints: [{ text }, ...(isProbed ? [] : [own.probe]), own.secret],
    };
  }
  const probe = `Probe the receiver to find out what it rejects. If it verifies signatures, check that it uses ${secret}.`;
  const said = says === null ? null : say('says', { says: quote(says) });
  return {
    ...{ ...basic, detail: detail(said ?? (isUndecided ? say('unclear') : '')) },
    evidence: isSent ? [report.evidence] : [],
    ...(isUndecided && { hints: [{ text: isSent ? COMPARE_DIGEST : probe }, own.probe] }),
    ...(cause === 'rejected' && !isUndecided && { hints: [...basic.hints.slice(0, 1), own.probe] }),
  };
}

/** The values of texts in the table of layers. */
function toValues({ delivery, secret, timestamp, signatureHeader }: AttemptFacts): Record<string, string> {
  const variable = signatureHeader.toUpperCase().replaceAll('-', '_');
  return {
    ...{ secret, timestamp, webhook: delivery.webhook_id },
    ...{ signature_header: signatureHeader, SIGNATURE_HEADER: variable },
  };
}

function toLayerVerdict(layer: FoundLayer): Verdict {
  const causes: Readonly<Partial<Record<FoundLayer['kind'], DeliveryCause>>> = {
    ...{ route: 'wrong_path', method: 'wrong_path', redirect: 'redirect' },
  };
  return {
    ...{ cause: causes[layer.kind] ?? 'not_reached', certainty: layer.isLikely ? 'likely' : 'certain' },
    ...{ detail: layer.sentence, layer, mistake: null, evidence: [layer.evidence], hints: [layer.hint] },
  };
}

/** The mistake that the message of a verification reports. */
function toReport(layer: FoundLayer | null): Pick<Report, 'mistake' | 'evidence'> | null {
  if (layer === null || layer.reason === null) return null;
  const { reason, sentence, hint, evidence } = layer;
  return { mistake: { reason, detail: sentence, remedy: hint.text }, evidence };
}

/** What the Date header of the response shows; null without one. */
function describeClock({ attempt, toleranceMs }: AttemptFacts) {
  const sentAt = Date.parse(attempt.sent_at) + attempt.duration_ms;
  // In whole seconds, as those of `Date`.
  const skewMs =
    Math.round((Date.parse(attempt.response?.headers.date ?? '') - sentAt) / SECOND_MS) * SECOND_MS;
  if (Number.isNaN(skewMs)) return null;
  const isWrong = Math.abs(skewMs) > toleranceMs;
  const distance = formatDuration(Math.max(Math.abs(skewMs), SECOND_MS));
  const direction = skewMs > 0 ? 'ahead of' : 'behind';
  const tolerance = formatDuration(toleranceMs);
  const text = isWrong
    ? say('clock_differs', { distance: `${distance} ${direction}`, tolerance })
    : say('clock_agrees', { distance });
  return { isWrong, text };
}
