/** Judges an attempt: what responded, whether the verification was reached, and which mistake it makes. Only by evidence. */
import { formatDuration } from '../domain/duration.ts';
import type { MistakeReason } from '../domain/signature/refusals.ts';
import { quote } from '../domain/signature/refusals.ts';
import type { Hint } from '../errors.ts';
import {
  type DeliveryCause,
  describeCause,
  findAttemptHints,
  findCause,
  toLayerHint,
} from './attempt-hints.ts';
import { toDeliveryHints } from './delivery-hints.ts';
import { type FoundLayer, findLayer, isVerification } from './find-layer.ts';
import { layers } from './layers.ts';
import type { Exchange } from './read-response.ts';
import { say } from './sentences.ts';

export interface Mistake {
  readonly reason: MistakeReason;
  readonly detail: string;
  readonly remedy: string;
}

/** A mistake, and the fact that shows it. */
export interface ShownMistake {
  readonly mistake: Mistake;
  readonly evidence: string;
}

export interface Verdict {
  readonly cause: DeliveryCause;
  readonly certainty: 'certain' | 'likely';
  readonly detail: string;
  readonly layer?: FoundLayer;
  readonly mistake?: Mistake;
  readonly evidence?: string[];
  /** Instead of those that follow from the attempt. */
  readonly hints?: Hint[];
}

export interface AttemptFacts {
  readonly attempt: Exchange & Parameters<typeof describeCause>[0];
  readonly delivery: { readonly id: string; readonly webhook_id: string; readonly url: string };
  /** Such as `the current endpoint secret (whsec_…x1Zk)`. */
  readonly secret: string;
  readonly signatureHeader: string;
  readonly timestamp: string;
  readonly toleranceMs: number;
  /** How far the clock of the receiver is ahead, by its Date header; null if it sends none. */
  readonly clockSkewMs: number | null;
  /** The mistake that a digest or a reason in the response shows. */
  readonly reported: ShownMistake | null;
  /** A digest in the response that no known mistake produces. */
  readonly unknownDigest: string | null;
  /** Whether the response contains the digest that was sent, and no other one. */
  readonly containsSentDigest: boolean;
  /** The mistake that a probe of the endpoint found. */
  readonly found: ShownMistake | null;
  /** The attempt or delivery with the same event that succeeded before. */
  readonly earlierSuccess: string | null;
  readonly isSecretChanged: boolean;
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

export function judgeAttempt(facts: AttemptFacts): Verdict {
  const { attempt, delivery, secret, signatureHeader, timestamp, reported, found, clockSkewMs, toleranceMs } =
    facts;
  const cause = findCause(attempt);
  const basic = { cause, certainty: 'certain', detail: describeCause(attempt) } as const;
  if (!responseCauses.includes(cause)) return basic;
  const values = {
    ...{ secret, timestamp, signature_header: signatureHeader, webhook: delivery.webhook_id },
    SIGNATURE_HEADER: signatureHeader.toUpperCase().replaceAll('-', '_'),
  };
  const { layer, says } = findLayer(attempt, values);
  if (cause === 'delivered') return layer?.kind === 'index_page' ? toLayerVerdict(layer, facts) : basic;
  if (layer !== null && !isVerification(layer.kind) && reported === null) return toLayerVerdict(layer, facts);
  const evidence = listFacts(facts, layer);
  const isClockWrong = clockSkewMs !== null && Math.abs(clockSkewMs) > toleranceMs;
  const isAge =
    reported !== null ? ageReasons.includes(reported.mistake.reason) : layer?.kind === 'signature_time';
  const isUndecided = cause === 'rejected' && [400, 401, 403].includes(attempt.response_status ?? 0);
  if (isClockWrong && (isAge || (reported === null && layer === null && found === null && isUndecided))) {
    const distance = `${formatDuration(Math.abs(clockSkewMs))} ${clockSkewMs > 0 ? 'ahead of' : 'behind'}`;
    return {
      cause: 'receiver_clock',
      certainty: isAge ? 'certain' : 'likely',
      detail: `${basic.detail} ${say('clock_differs', { distance, tolerance: formatDuration(toleranceMs) })}`,
      evidence: [...(reported === null ? [] : [reported.evidence]), ...evidence],
      hints: [{ text: 'Synchronize the clock of the receiver with the clock of the emulator.' }],
    };
  }
  const fromLayer = layer === null ? null : toReported(layer);
  const shown = [reported, fromLayer, found].find(
    (one) => one !== null && one.mistake.reason !== 'signature_mismatch',
  );
  const detail = (text: string) => `${basic.detail} ${text}`.trim();
  if (shown) {
    const { mistake, hints } = correctMistake(shown.mistake, facts);
    const cited = {
      mistake,
      evidence: [shown.evidence, ...(facts.isSecretChanged ? [say('secret_changed')] : [])],
      hints,
    };
    return {
      cause: 'signature_rejected',
      certainty: 'certain',
      detail: detail(mistake.detail),
      ...cited,
      ...(layer && { layer }),
    };
  }
  const isDigestReturned = facts.unknownDigest !== null && /^\w+[=,]/.test(facts.unknownDigest);
  if (layer !== null || reported !== null || isDigestReturned) {
    return {
      cause: 'signature_rejected',
      certainty: 'certain',
      detail: detail(layer?.sentence ?? reported?.mistake.detail ?? say('digest_returned')),
      ...(layer && { layer }),
      evidence: [...(reported === null ? [] : [reported.evidence]), ...listDigestFacts(facts), ...evidence],
      hints: listSignatureHints(layer, facts),
    };
  }
  const quoted = says === null ? '' : say('says', { says: quote(says) });
  const probe = `Probe the receiver to find out what it rejects. If it verifies signatures, check that it uses ${secret}.`;
  const own = toDeliveryHints(delivery);
  const hints = [{ text: facts.containsSentDigest ? COMPARE_DIGEST : probe }, own.probe];
  return {
    ...basic,
    detail: detail(quoted === '' && isUndecided ? say('unclear') : quoted),
    evidence: [...(facts.containsSentDigest ? [say('digest_sent')] : []), ...evidence],
    ...(isUndecided && { hints }),
    ...(cause === 'rejected' &&
      !isUndecided && { hints: [...findAttemptHints(attempt, delivery).slice(0, 1), own.probe] }),
    ...(facts.earlierSuccess !== null && !isUndecided && { hints: [{ text: STORE_IDS }, SHOW_EXAMPLE] }),
  };
}

const STORE_IDS =
  'If the duplicate is the reason: store the ID of each event (data.id) that you process. If it comes again, return a 2xx response and do nothing else.';
const SHOW_EXAMPLE = { text: 'Show a correct receiver', command: 'svc receiver example' };
const COMPARE_DIGEST =
  'Check how the receiver compares the digest with the signature header: both with the prefix, or both without it.';

function toLayerVerdict(layer: FoundLayer, { delivery, attempt }: AttemptFacts): Verdict {
  const cause = { route: 'wrong_path', method: 'wrong_path', redirect: 'redirect' } as const;
  return {
    cause: layer.kind in cause ? cause[layer.kind as keyof typeof cause] : 'not_reached',
    certainty: layer.isLikely ? 'likely' : 'certain',
    detail: layer.sentence,
    layer,
    evidence: [layer.evidence],
    hints: [toLayerHint(layer, { ...delivery, url: attempt.request.url })],
  };
}

/** The mistake that the message of a verification reports; null if it does not report one. */
function toReported({ kind, sentence, fix, evidence }: FoundLayer): ShownMistake | null {
  const { reason } = layers[kind];
  return reason ? { mistake: { reason, detail: sentence, remedy: fix }, evidence } : null;
}

/** The hints after a message that the verification rejected the signature, without more. */
function listSignatureHints(
  layer: FoundLayer | null,
  { delivery, secret, unknownDigest, containsSentDigest }: AttemptFacts,
): Hint[] {
  const own = toDeliveryHints(delivery);
  // A probe tries the mistakes with which the digest was compared.
  if (unknownDigest !== null) return [{ text: `Check that the receiver uses ${secret}.` }, own.secret];
  const check = `Check that the receiver uses ${secret}. If it does, probe it to find the mistake.`;
  return [{ text: containsSentDigest ? COMPARE_DIGEST : (layer?.fix ?? check) }, own.probe, own.secret];
}

function listDigestFacts({ unknownDigest, containsSentDigest }: AttemptFacts): string[] {
  if (unknownDigest !== null) return [say('digest_unknown', { digest: unknownDigest })];
  return containsSentDigest ? [say('digest_sent')] : [];
}

/** Facts that exclude nothing. */
function listFacts(
  { earlierSuccess, isSecretChanged, clockSkewMs, toleranceMs }: AttemptFacts,
  layer: FoundLayer | null,
): string[] {
  const distanceMs = Math.abs(clockSkewMs ?? Number.POSITIVE_INFINITY);
  return [
    ...(earlierSuccess === null ? [] : [say('accepted_before', { where: earlierSuccess })]),
    ...(isSecretChanged ? [say('secret_changed')] : []),
    ...(layer?.kind === 'signature_time' && distanceMs <= toleranceMs
      ? [say('clock_agrees', { distance: formatDuration(Math.max(distanceMs, 1_000)) })]
      : []),
  ];
}

/** A mistake with the secret that corrects it, and the hints to correct it. */
export function correctMistake(
  mistake: Mistake,
  { delivery, secret }: Pick<AttemptFacts, 'delivery' | 'secret'>,
): { readonly mistake: Mistake; readonly hints: Hint[] } {
  const own = toDeliveryHints(delivery);
  const isSecret = secretReasons.includes(mistake.reason);
  const text = isSecret
    ? `Set the secret of the receiver to ${secret}, and restart the receiver.`
    : mistake.remedy;
  return { mistake: { ...mistake, remedy: text }, hints: [{ text }, isSecret ? own.secret : own.steps] };
}
