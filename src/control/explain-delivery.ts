/** The verdict on a delivery: what happened, the cause, the evidence for it, and what to do. */

import { describeState } from '../client/texts/describe-delivery.ts';
import type { AttemptDetail, Delivery } from '../contract/delivery-schemas.ts';
import type { DeliveryCause, Explanation } from '../contract/explanation-schemas.ts';
import { type ProbeOptions, probeSignature } from '../delivery/probe-signature.ts';
import type { Sender } from '../delivery/sender.ts';
import {
  describeCause,
  failedByFault,
  findAttemptHints,
  isInvalidatingFault,
  toDeliveryHints,
} from '../domain/attempt-hints.ts';
import { maskSecret } from '../domain/credentials.ts';
import { formatDuration } from '../domain/duration.ts';
import { isAttemptSent, isFaultActive } from '../domain/fault.ts';
import { idPrefixes } from '../domain/ids.ts';
import { formatCount } from '../domain/message-parts.ts';
import { listSignatureSteps } from '../domain/signature/signature-steps.ts';
import { type Hint, SvcError } from '../errors.ts';
import { createNotFoundError } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listAttempts, listSecrets, listSigningSecrets, pickAttempt } from '../sandbox/verification.ts';
import { readSignature } from '../store/attempts.ts';
import { type DeliveryRow, toDelivery } from '../store/delivery-queries.ts';
import { toFault } from '../store/faults.ts';
import {
  collectRejectionEvidence,
  getResponseText,
  listAcceptanceEvidence,
  listEvidence,
  type RejectionEvidence,
  suggestMistake,
} from './rejection-evidence.ts';
import { toDeliveryFilter } from './store-filters.ts';

/** Instead of an ID: the delivery that failed last. */
const LATEST = 'latest';

interface ExplainInput {
  /** ID of a delivery, an event, an endpoint or a request, or {@link LATEST}. */
  readonly id: string;
  readonly attempt?: number | undefined;
  readonly workspace_id?: string | undefined;
}

type Mistake = NonNullable<Explanation['mistake']>;

type Judgment = Pick<Explanation, 'cause' | 'certainty' | 'detail'> &
  Partial<Pick<Explanation, 'mistake' | 'evidence'>> & {
    /** Instead of those that follow from the response. */
    readonly hints?: readonly Hint[];
  };

/**
 * @param apiKey the key of the default workspace, which receivers confuse with the endpoint secret
 * @throws SvcError `not_found`
 */
export async function explainDelivery(
  sandbox: Sandbox,
  input: ExplainInput,
  apiKey: string,
): Promise<Explanation> {
  const row = await findDelivery(sandbox, input);
  const delivery = toDelivery(row);
  const attempts = listAttempts(sandbox, row);
  const attempt = input.attempt === undefined ? attempts.at(-1) : pickAttempt(attempts, input.attempt, row);
  const judgment = await judge(sandbox, row, delivery, attempts, attempt, apiKey);
  const { cause, certainty, detail, mistake = null, evidence = [] } = judgment;
  return {
    delivery,
    attempt: attempt === undefined ? null : toExplainedAttempt(attempt),
    summary: describeState(delivery, attempts),
    cause,
    certainty,
    detail,
    mistake,
    evidence,
    signature:
      attempt === undefined || !isAboutSignature(cause) ? null : explainSignature(sandbox, row, attempt),
    hints:
      attempt === undefined
        ? listStateHints(delivery)
        : completeHints(
            delivery,
            attempt,
            judgment.hints ?? findAttemptHints(attempt, delivery, isStillActive(sandbox, attempt)),
          ),
  };
}

/** The hint for a delivery without an attempt. */
function listStateHints(delivery: Delivery): Hint[] {
  if (delivery.paused) return [toDeliveryHints(delivery).enable];
  const isWaiting = delivery.status === 'pending';
  return isWaiting ? [{ text: 'Send the next due delivery', command: 'svc clock next' }] : [];
}

/** The hints of a judgment with those that the state of the delivery requires: at most three commands. */
function completeHints(
  delivery: Delivery,
  attempt: Pick<AttemptDetail, 'outcome' | 'response_status'>,
  hints: readonly Hint[],
): Hint[] {
  const { enable, show, replay } = toDeliveryHints(delivery);
  const needed = [...hints, ...(delivery.paused ? [enable] : [])];
  if (attempt.outcome === 'succeeded') return needed;
  const others = [...needed, ...(attempt.response_status === null ? [] : [show])];
  if (others[0]?.command === replay.command) return others;
  return [...others.slice(0, others[0]?.command === undefined ? 3 : 2), replay];
}

/** Such as `the current endpoint secret (whsec_…x1Zk)`. */
function describeSecret(sandbox: Sandbox, row: DeliveryRow): string {
  const [secret = ''] = listSecrets(sandbox, row);
  return `the current endpoint secret (${maskSecret(secret)})`;
}

const secretReasons: readonly Mistake['reason'][] = ['wrong_secret', 'api_key_as_secret', 'secret_missing'];

/** A mistake with the secret that corrects it, and the hints to correct it. */
function toMistake(sandbox: Sandbox, row: DeliveryRow, { remedy, ...mistake }: Mistake) {
  const isSecret = secretReasons.includes(mistake.reason);
  const text = isSecret
    ? `Set the secret of the receiver to ${describeSecret(sandbox, row)}, and restart the receiver.`
    : remedy;
  const { secret, steps } = toDeliveryHints(row);
  return { mistake: { ...mistake, remedy: text }, hints: [{ text }, isSecret ? secret : steps] };
}

/** Causes that a probe can explain further. */
const PROBED_CAUSES: readonly DeliveryCause[] = [
  'signature_rejected',
  'rejected',
  'receiver_error',
  'duplicate_rejected',
];

/**
 * Explains a delivery, and if the receiver rejected it, sends it with the signatures that known mistakes lead to.
 * @throws SvcError `not_found`
 */
export async function probeDelivery(
  sandbox: Sandbox,
  sender: Sender,
  input: ExplainInput,
  { apiKey, signal }: ProbeOptions,
): Promise<Explanation> {
  const row = await findDelivery(sandbox, input);
  const explanation = await explainDelivery(sandbox, { id: row.id }, apiKey);
  const { attempt, cause, delivery, evidence, mistake: suggestion, certainty } = explanation;
  const isKnown = suggestion !== null && certainty === 'certain';
  if (attempt === null || !PROBED_CAUSES.includes(cause) || isKnown) return explanation;
  const probe = await probeSignature(sandbox, sender, row, { apiKey, signal });
  const response = `Your receiver returned ${attempt.response_status}.`;
  const complete = (...hints: readonly Hint[]) => completeHints(delivery, attempt, hints);
  const { replay, secret, probe: repeat } = toDeliveryHints(delivery);
  switch (probe.result) {
    case 'accepted':
      return {
        ...explanation,
        detail: `${response} It accepts the delivery now.`,
        mistake: null,
        evidence: [],
        hints: [replay],
      };
    case 'mistake': {
      const { description, ...rest } = probe.mistake;
      const detail = `The receiver makes one mistake: ${description}.`;
      const { mistake, hints } = toMistake(sandbox, row, { ...rest, detail });
      return {
        ...explanation,
        cause: 'signature_rejected',
        certainty: 'certain',
        detail: `${response} ${detail}`,
        mistake,
        evidence: ['It rejected the correct signature, and accepted the one that this mistake leads to.'],
        hints: complete(...hints),
      };
    }
    case 'random_accepted':
      return {
        ...explanation,
        cause: 'signature_rejected',
        certainty: 'certain',
        detail: `${response} It rejects the correct signature and accepts a random one, so its condition is wrong.`,
        mistake: null,
        evidence: ['Sent twice, each of the two signatures got the same response.'],
        hints: complete({
          text: 'Correct the condition: accept the delivery only if the signature matches.',
        }),
      };
    case 'signature_accepted':
      return {
        ...explanation,
        mistake: null,
        evidence: ['It accepts the signature: its response to a random one differs, each time.'],
        ...(cause !== 'duplicate_rejected' && {
          cause: cause === 'signature_rejected' ? 'rejected' : cause,
          certainty: 'certain',
          detail: `${response} It accepts the signature, and fails after that.`,
          hints: complete({
            text: 'Read the response and the log of the receiver to find out what it does after the verification.',
          }),
        }),
      };
    case 'inconsistent':
      return {
        ...explanation,
        evidence: ['The probe shows nothing: the same signature got different responses.', ...evidence],
        hints: complete(...explanation.hints.slice(0, 1), repeat),
      };
    case 'rejected': {
      const signatures = formatCount(probe.tried, 'known mistake');
      if (!probe.isComplete) {
        return {
          ...explanation,
          evidence: [
            `The probe sent the signatures of ${signatures}. Then the receiver stopped responding, or the time was over.`,
            ...evidence,
          ],
        };
      }
      // The response did not say what was rejected, but it is the same for a random signature.
      const isSignature =
        cause === 'signature_rejected' || (cause === 'rejected' && attempt.response_status === 400);
      const compare = {
        text: `Compare the secret of the receiver with ${describeSecret(sandbox, row)}. If they are the same, print the digest that it computes.`,
      };
      const verify = {
        text: 'Check the digest that the receiver computes',
        command: `svc verify --delivery ${row.id} --computed DIGEST`,
      };
      return {
        ...explanation,
        ...(isSignature && {
          cause: 'signature_rejected' as const,
          certainty: 'likely' as const,
          detail: `${response} It probably uses a secret that svc does not know.`,
        }),
        // The probe has tried what was suggested.
        mistake: null,
        evidence: [
          `It rejected the correct signature, a random one, and those of ${signatures}.`,
          ...evidence,
        ],
        hints: isSignature ? complete(compare, secret, verify) : complete(...explanation.hints.slice(0, 1)),
      };
    }
  }
}

async function findDelivery(
  sandbox: Sandbox,
  { id, workspace_id: workspaceId }: ExplainInput,
): Promise<DeliveryRow> {
  const { store } = sandbox;
  if (id.startsWith(idPrefixes.request)) {
    // The request log is written with a delay.
    store.flush();
    const request = store.apiRequests.find(id);
    if (request === undefined) throw createNotFoundError('request', id);
    const { resource_id: resourceId } = request;
    if (resourceId === null || !/^(?:evt|wh)_/.test(resourceId)) {
      throw new SvcError(
        'not_found',
        `${id} is not a request for an event or an endpoint, so it has no delivery.`,
        {
          hint: { text: 'Show the request', command: `svc logs get ${id}` },
        },
      );
    }
    return findDelivery(sandbox, { id: resourceId });
  }
  const isFilter = id === LATEST || id.startsWith(idPrefixes.event) || id.startsWith(idPrefixes.webhook);
  const row = isFilter ? await findLatest(sandbox, id, workspaceId) : store.deliveryQueries.find(id);
  if (row === undefined) throw createNotFoundError('delivery', id);
  return row;
}

/** The delivery whose last attempt failed last; for an event or an endpoint without one, the newest delivery. */
async function findLatest(
  sandbox: Sandbox,
  id: string,
  workspaceId: string | undefined,
): Promise<DeliveryRow> {
  const { store } = sandbox;
  const filter = toDeliveryFilter(sandbox, {
    workspace_id: workspaceId,
    event_id: id.startsWith(idPrefixes.event) ? id : undefined,
    webhook_id: id.startsWith(idPrefixes.webhook) ? id : undefined,
  });
  const { workspaceSeq, eventId, webhookId } = filter;
  const first = { limit: 1, beforeSeq: null };
  const failures = await store.attempts.list(
    { workspaceSeq, webhookId, eventId, deliveryId: null, since: null, isUnresolved: 1 },
    first,
  );
  const failure = failures.rows[0] && store.deliveryQueries.find(failures.rows[0].delivery_id);
  if (failure !== undefined) return failure;
  if (id === LATEST) {
    throw new SvcError('not_found', 'No delivery has failed.', {
      hint: { text: 'List the deliveries', command: 'svc deliveries list' },
    });
  }
  const newest = await store.deliveryQueries.list(filter, first);
  const row = newest.rows[0];
  if (row !== undefined) return row;
  throw new SvcError('not_found', `${id} has no deliveries.`, {
    hint: { text: 'List the endpoints and their event types', command: 'svc webhooks list' },
  });
}

/** Characters of the response that the explanation contains. */
const MAX_RESPONSE_CHARS = 1_000;

function toExplainedAttempt(attempt: AttemptDetail): NonNullable<Explanation['attempt']> {
  const { number, trigger, sent_at, duration_ms, outcome, response_status, error, fault } = attempt;
  const text = getResponseText(attempt).trim();
  const body = text.length > MAX_RESPONSE_CHARS ? `${text.slice(0, MAX_RESPONSE_CHARS)}…` : text;
  return {
    number,
    trigger,
    sent_at,
    duration_ms,
    outcome,
    response_status,
    error,
    ...(fault && { fault }),
    response_body: body === '' ? null : body,
  };
}

async function judge(
  sandbox: Sandbox,
  row: DeliveryRow,
  delivery: Delivery,
  attempts: readonly AttemptDetail[],
  attempt: AttemptDetail | undefined,
  apiKey: string,
): Promise<Judgment> {
  const state = { certainty: 'certain', detail: describeState(delivery, attempts) } as const;
  if (attempt === undefined) {
    if (delivery.paused) return { ...state, cause: 'paused' };
    return { ...state, cause: delivery.status === 'canceled' ? 'canceled' : 'not_sent' };
  }
  const { outcome, fault } = attempt;
  const detail = describeCause(attempt);
  if (outcome === 'succeeded') {
    return isInvalidatingFault(fault)
      ? {
          ...state,
          cause: 'accepted_invalid',
          detail: `The receiver accepted an attempt that the injected fault ${fault?.kind} had made invalid.`,
        }
      : {
          ...state,
          cause: 'delivered',
          detail: `The receiver returned ${attempt.response_status} to attempt ${attempt.number}.`,
        };
  }
  if (failedByFault(attempt)) {
    return {
      cause: 'injected_fault',
      certainty: 'certain',
      detail:
        outcome === 'http_error' && isAttemptSent(fault)
          ? `${detail} The injected fault ${fault?.kind} (${fault?.id}) had changed the request.`
          : `${detail} The injected fault ${fault?.kind} (${fault?.id}) caused this.`,
    };
  }
  if (outcome !== 'http_error') return { cause: outcome, certainty: 'certain', detail };
  return judgeResponse(sandbox, row, attempts, attempt, detail, apiKey);
}

async function judgeResponse(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempts: readonly AttemptDetail[],
  attempt: AttemptDetail,
  detail: string,
  apiKey: string,
): Promise<Judgment> {
  const status = attempt.response_status ?? 0;
  if (status < 400) return { cause: 'redirect', certainty: 'certain', detail };
  if ([404, 405, 410].includes(status)) return { cause: 'wrong_path', certainty: 'likely', detail };
  if (status === 429) return { cause: 'rate_limited', certainty: 'certain', detail };
  const evidence = await collectRejectionEvidence(sandbox, row, attempt, apiKey);
  const isAboutSignature = evidence.reported !== null || evidence.mentionsSignature;
  const accepted =
    isAboutSignature || status === 401 || status === 403
      ? null
      : findEarlierSuccess(sandbox, row, attempts, attempt);
  if (accepted !== null) {
    return {
      cause: 'duplicate_rejected',
      certainty: 'likely',
      detail: `${detail} It had accepted the same event before, in ${accepted}, so it probably does not recognize duplicates.`,
      evidence: listAcceptanceEvidence(evidence),
      hints: [
        {
          text: 'Store the ID of each event (data.id) that you process. If it comes again, return a 2xx response and do nothing else.',
        },
        { text: 'Show a correct receiver', command: 'svc receiver example' },
      ],
    };
  }
  // Many receivers throw an error if the signature is wrong.
  if (status >= 500 && !isAboutSignature) return { cause: 'receiver_error', certainty: 'certain', detail };
  return judgeRejection(sandbox, row, attempt, evidence, detail);
}

/** An earlier attempt with the same event that succeeded: of this delivery, or the delivery that it is a replay of. */
function findEarlierSuccess(
  { store }: Sandbox,
  row: DeliveryRow,
  attempts: readonly AttemptDetail[],
  { number }: AttemptDetail,
): string | null {
  const earlier = attempts.find(
    (candidate) => candidate.number < number && candidate.outcome === 'succeeded',
  );
  if (earlier !== undefined) return `attempt ${earlier.number}`;
  const original = row.replay_of === null ? undefined : store.deliveryQueries.find(row.replay_of);
  const isSame =
    original !== undefined && original.url === row.url && store.attempts.hasSucceeded(original.seq);
  return isSame ? original.id : null;
}

function judgeRejection(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempt: AttemptDetail,
  evidence: RejectionEvidence,
  detail: string,
): Judgment {
  const { signatureToleranceMs: toleranceMs } = sandbox.rules;
  const { reported, clockSkewMs, mentionsSignature, mentionsTimestamp, signing } = evidence;
  const { probe, secret, steps } = toDeliveryHints(row);
  const isOldSignature = signing === 'previous' || signing === 'other';
  const isClockWrong = clockSkewMs !== null && Math.abs(clockSkewMs) > toleranceMs;
  const isAgeReported = reported !== null && ageReasons.includes(reported.mistake.reason);
  // A digest of the current secret is wrong for an attempt that was signed before a rotation, but correct today.
  const isFound =
    reported !== null &&
    reported.mistake.reason !== 'signature_mismatch' &&
    !(isOldSignature && secretReasons.includes(reported.mistake.reason)) &&
    !(isAgeReported && isClockWrong);
  if (isFound) {
    const { mistake, hints } = toMistake(sandbox, row, reported.mistake);
    return {
      cause: 'signature_rejected',
      certainty: 'certain',
      detail: `${detail} ${mistake.detail}`,
      mistake,
      evidence: [reported.evidence],
      hints,
    };
  }
  if (evidence.mentionsCsrf) {
    return {
      cause: 'rejected',
      certainty: 'likely',
      detail: `${detail} The response mentions CSRF protection, which rejects the request before your code verifies the signature.`,
      hints: [
        {
          text: 'Exclude the path of the endpoint URL from the CSRF protection of the framework, because the signature replaces it.',
        },
      ],
    };
  }
  const status = attempt.response_status;
  const isSignature =
    status === 401 || status === 403 || reported !== null || mentionsSignature || mentionsTimestamp;
  const facts = { evidence: listEvidence(evidence, toleranceMs) };
  if (!isSignature && status !== 400) {
    const hints = [...findAttemptHints(attempt, row).slice(0, 1), probe];
    return { ...facts, cause: 'rejected', certainty: 'certain', detail, hints };
  }
  if (isOldSignature) {
    return {
      cause: 'secret_changed',
      certainty: 'likely',
      detail: `${detail} The endpoint secret or the signature scheme was changed after this attempt, so it does not show what the receiver does now.`,
      hints: [{ text: 'Replay the delivery, which is then signed with the current secret.' }],
    };
  }
  if (isClockWrong) {
    const direction = clockSkewMs > 0 ? 'ahead of' : 'behind';
    return {
      cause: 'receiver_clock',
      certainty: isAgeReported ? 'certain' : 'likely',
      detail: `${detail} Its clock is ${formatDuration(Math.abs(clockSkewMs))} ${direction} the clock of the emulator, by its Date header. The tolerance is ${formatDuration(toleranceMs)}.`,
      evidence: reported === null ? [] : [reported.evidence],
      hints: [{ text: 'Synchronize the clock of the receiver with the clock of the emulator.' }],
    };
  }
  const suggestion = suggestMistake(evidence, attempt, sandbox);
  const mistake = suggestion?.mistake ?? null;
  const secretText = describeSecret(sandbox, row);
  if (mistake === null && !isSignature) {
    return {
      ...facts,
      cause: 'rejected',
      certainty: 'certain',
      detail: `${detail} The response does not say whether the signature or the data was rejected.`,
      hints: [
        {
          text: `Probe the receiver to find out. If it verifies signatures, check that it uses ${secretText}.`,
        },
        probe,
      ],
    };
  }
  const isUnknownSecret = evidence.unknownDigest !== null;
  return {
    evidence: [
      ...(reported === null ? [] : [reported.evidence]),
      ...(suggestion === null ? [] : [suggestion.evidence]),
      ...facts.evidence,
    ],
    cause: 'signature_rejected',
    certainty: reported === null ? 'likely' : 'certain',
    detail: `${detail} ${
      mistake?.detail ??
      (isUnknownSecret
        ? 'It rejected the signature. The most likely cause is a secret that svc does not know.'
        : reported === null
          ? 'It probably rejected the signature.'
          : 'It rejected the signature.')
    }`,
    mistake,
    hints: [
      {
        text:
          mistake?.remedy ??
          (evidence.containsSentDigest
            ? 'Check how the receiver compares the digest with the signature header: both with the prefix, or both without it.'
            : `Check that the receiver uses ${secretText}.${isUnknownSecret ? '' : ' If it does, probe it to find the mistake.'}`),
      },
      // A probe tries the mistakes with which the digest was compared.
      ...(isUnknownSecret ? [secret] : [probe, mistake === null ? secret : steps]),
    ],
  };
}

const ageReasons: readonly Mistake['reason'][] = ['timestamp_too_old', 'timestamp_in_future'];

function isAboutSignature(cause: DeliveryCause): boolean {
  return ['signature_rejected', 'rejected', 'receiver_clock', 'secret_changed', 'accepted_invalid'].includes(
    cause,
  );
}

function explainSignature(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempt: AttemptDetail,
): NonNullable<Explanation['signature']> {
  const scheme = sandbox.rules.signature;
  const { headers, body } = attempt.request;
  const { message } = readSignature(headers, { id: row.id, body, scheme });
  const [secret = ''] = [...listSigningSecrets(sandbox, row, attempt), ...listSecrets(sandbox, row)];
  const steps = listSignatureSteps(
    scheme,
    secret,
    { ...message, body },
    headers[scheme.headers.signature] ?? '',
  );
  return { scheme: scheme.name, steps, verification: attempt.verification };
}

function isStillActive({ store }: Sandbox, { fault }: AttemptDetail): boolean {
  if (fault === undefined) return false;
  // The counts are written with a delay.
  store.flush();
  const row = store.faults.find(fault.id);
  return row !== undefined && isFaultActive(toFault(row));
}
