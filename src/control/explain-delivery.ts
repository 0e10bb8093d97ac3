/** The verdict on a delivery: what happened, the cause, the evidence for it, and what to do. */
import type { AttemptDetail, Delivery } from '../contract/delivery-schemas.ts';
import type { DeliveryCause, Explanation } from '../contract/explanation-schemas.ts';
import { type ProbeOptions, probeSignature } from '../delivery/probe-signature.ts';
import type { Sender } from '../delivery/sender.ts';
import {
  describeCause,
  failedByFault,
  findAttemptHints,
  isInvalidatingFault,
} from '../domain/attempt-hints.ts';
import { maskSecret } from '../domain/credentials.ts';
import { formatDuration } from '../domain/duration.ts';
import { isAttemptSent, isFaultActive } from '../domain/fault.ts';
import { idPrefixes } from '../domain/ids.ts';
import { formatCount } from '../domain/message-parts.ts';
import { listNextSteps, type NextStep, splitHint } from '../domain/next-step.ts';
import { listSignatureSteps } from '../domain/signature/signature-steps.ts';
import { SvcError } from '../errors.ts';
import { createNotFoundError } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listAttempts, listSecrets, listSigningSecrets, pickAttempt } from '../sandbox/verification.ts';
import { readSignature } from '../store/attempts.ts';
import { type DeliveryRow, toDelivery } from '../store/delivery-queries.ts';
import { toFault } from '../store/faults.ts';
import { describeState } from './describe-delivery.ts';
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
  Partial<Pick<Explanation, 'mistake' | 'evidence' | 'remedy'>> & {
    /** Instead of those that follow from the response. */
    readonly steps?: readonly NextStep[];
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
  const hints = attempt === undefined ? [] : listHints(sandbox, delivery, attempt);
  const [firstHint] = hints;
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
    remedy: mistake?.remedy ?? judgment.remedy ?? (firstHint === undefined ? null : toRemedy(firstHint)),
    next: listNext(delivery, attempt, judgment.steps ?? hints.flatMap(listNextSteps)),
  };
}

const MAX_STEPS = 3;

/** The steps of a judgment, between those that the state of the delivery requires. */
function listNext(
  delivery: Delivery,
  attempt: AttemptDetail | undefined,
  steps: readonly NextStep[],
): NextStep[] {
  const { id, paused, status, webhook_id: webhookId } = delivery;
  const enable = { purpose: 'Enable the endpoint', command: `svc webhooks update ${webhookId} --enable` };
  const first = paused ? [enable] : [];
  if (attempt === undefined) {
    const isWaiting = status === 'pending' && !paused;
    return isWaiting ? [{ purpose: 'Send the next due delivery', command: 'svc clock next' }] : first;
  }
  if (attempt.outcome === 'succeeded') return [...first, ...steps];
  const show = { purpose: 'Show the request and response', command: `svc deliveries get ${id} --no-pager` };
  const replay = toReplayStep(delivery);
  const others = [...first, ...steps, ...(attempt.response_status === null ? [] : [show])];
  // A hint can suggest the replay too, with other options.
  const isReplay = ({ command }: NextStep) => command.startsWith(`svc deliveries replay ${id}`);
  return [...others.filter((step) => !isReplay(step)).slice(0, MAX_STEPS - 1), replay];
}

function toReplayStep({ id }: Pick<Delivery, 'id'>): NextStep {
  return { purpose: 'Send it again', command: `svc deliveries replay ${id} --wait` };
}

function toProbeStep({ id }: Pick<Delivery, 'id'>): NextStep {
  return { purpose: 'Find the mistake', command: `svc explain ${id} --probe` };
}

function toSecretStep({ webhook_id: id }: Pick<DeliveryRow, 'webhook_id'>): NextStep {
  return { purpose: 'Show the current secret', command: `svc webhooks get ${id} --show-secret` };
}

function toSignatureStep({ id }: Pick<Delivery, 'id'>): NextStep {
  return { purpose: 'Show the correct steps', command: `svc explain ${id} --steps` };
}

/** Such as `the current endpoint secret (whsec_…x1Zk)`. */
function describeSecret(sandbox: Sandbox, row: DeliveryRow): string {
  const [secret = ''] = listSecrets(sandbox, row);
  return `the current endpoint secret (${maskSecret(secret)})`;
}

const secretReasons: readonly Mistake['reason'][] = ['wrong_secret', 'api_key_as_secret', 'secret_missing'];

/** A mistake with the secret that corrects it, and the commands to correct it. */
function toMistake(sandbox: Sandbox, row: DeliveryRow, mistake: Mistake) {
  if (!secretReasons.includes(mistake.reason)) return { mistake, steps: [toSignatureStep(row)] };
  const remedy = `Set the secret of the receiver to ${describeSecret(sandbox, row)}, and restart the receiver.`;
  return { mistake: { ...mistake, remedy }, steps: [toSecretStep(row)] };
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
  const { cause, delivery, evidence } = explanation;
  if (!PROBED_CAUSES.includes(cause) || (explanation.mistake !== null && explanation.certainty === 'certain'))
    return explanation;
  const probe = await probeSignature(sandbox, sender, row, { apiKey, signal });
  const response = `Your receiver returned ${explanation.attempt?.response_status}.`;
  const attempt = listAttempts(sandbox, row).at(-1);
  const show = (steps: readonly NextStep[]) => listNext(delivery, attempt, steps);
  switch (probe.result) {
    case 'accepted':
      return {
        ...explanation,
        detail: `${response} It accepts the delivery now.`,
        mistake: null,
        evidence: [],
        remedy: 'Replay the delivery.',
        next: [toReplayStep(delivery)],
      };
    case 'mistake': {
      const { description, ...rest } = probe.mistake;
      const detail = `The receiver makes one mistake: ${description}.`;
      const { mistake, steps } = toMistake(sandbox, row, { ...rest, detail });
      return {
        ...explanation,
        cause: 'signature_rejected',
        certainty: 'certain',
        detail: `${response} ${detail}`,
        mistake,
        evidence: ['It rejected the correct signature, and accepted the one that this mistake leads to.'],
        remedy: mistake.remedy,
        next: show(steps),
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
        remedy: 'Correct the condition: accept the delivery only if the signature matches.',
        next: show([]),
      };
    case 'signature_accepted':
      return {
        ...explanation,
        cause: cause === 'signature_rejected' ? 'rejected' : cause,
        certainty: cause === 'duplicate_rejected' ? 'likely' : 'certain',
        detail:
          cause === 'duplicate_rejected'
            ? explanation.detail
            : `${response} It accepts the signature, and fails after that.`,
        mistake: null,
        evidence: ['It accepts the signature: its response to a random one differs, each time.'],
        remedy:
          cause === 'duplicate_rejected'
            ? explanation.remedy
            : 'Read the response and the log of the receiver to find out what it does after the verification.',
        next: show([]),
      };
    case 'inconsistent':
      return {
        ...explanation,
        evidence: ['The probe shows nothing: the same signature got different responses.', ...evidence],
        next: show([toProbeStep(delivery)]),
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
        cause === 'signature_rejected' ||
        (cause === 'rejected' && explanation.attempt?.response_status === 400);
      const verify = {
        purpose: 'Check the digest that the receiver computes',
        command: `svc verify --delivery ${row.id} --computed DIGEST`,
      };
      return {
        ...explanation,
        ...(isSignature && {
          cause: 'signature_rejected' as const,
          certainty: 'likely' as const,
          detail: `${response} It probably uses a secret that svc does not know.`,
          remedy: `Compare the secret of the receiver with ${describeSecret(sandbox, row)}. If they are the same, print the digest that it computes.`,
        }),
        // The probe has tried what was suggested.
        mistake: null,
        evidence: [
          `It rejected the correct signature, a random one, and those of ${signatures}.`,
          ...evidence,
        ],
        next: show(isSignature ? [toSecretStep(row), verify] : []),
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
          hint: `Show the request with: svc logs get ${id}`,
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
      hint: 'List the deliveries with: svc deliveries list',
    });
  }
  const newest = await store.deliveryQueries.list(filter, first);
  const row = newest.rows[0];
  if (row !== undefined) return row;
  throw new SvcError('not_found', `${id} has no deliveries.`, {
    hint: 'List the endpoints and their event types with: svc webhooks list',
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
      remedy:
        'Store the ID of each event (data.id) that you process. If it comes again, return a 2xx response and do nothing else.',
      steps: [{ purpose: 'Show a correct receiver', command: 'svc receiver example' }],
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
    const { mistake, steps } = toMistake(sandbox, row, reported.mistake);
    return {
      cause: 'signature_rejected',
      certainty: 'certain',
      detail: `${detail} ${mistake.detail}`,
      mistake: isAgeReported ? { ...mistake, remedy: CHECK_CLOCK } : mistake,
      evidence: [reported.evidence],
      steps,
    };
  }
  if (evidence.mentionsCsrf) {
    return {
      cause: 'rejected',
      certainty: 'likely',
      detail: `${detail} The response mentions CSRF protection, which rejects the request before your code verifies the signature.`,
      remedy:
        'Exclude the path of the endpoint URL from the CSRF protection of the framework, because the signature replaces it.',
      steps: [],
    };
  }
  const status = attempt.response_status;
  const isSignature =
    status === 401 || status === 403 || reported !== null || mentionsSignature || mentionsTimestamp;
  const facts = { evidence: listEvidence(evidence, toleranceMs) };
  if (!isSignature && status !== 400) {
    return { ...facts, cause: 'rejected', certainty: 'certain', detail, steps: [toProbeStep(row)] };
  }
  if (isOldSignature) {
    return {
      cause: 'secret_changed',
      certainty: 'likely',
      detail: `${detail} The endpoint secret or the signature scheme was changed after this attempt, so it does not show what the receiver does now.`,
      remedy: 'Replay the delivery, which is then signed with the current secret.',
      steps: [],
    };
  }
  if (isClockWrong) {
    const direction = clockSkewMs > 0 ? 'ahead of' : 'behind';
    return {
      cause: 'receiver_clock',
      certainty: isAgeReported ? 'certain' : 'likely',
      detail: `${detail} Its clock is ${formatDuration(Math.abs(clockSkewMs))} ${direction} the clock of the emulator, by its Date header. The tolerance is ${formatDuration(toleranceMs)}.`,
      evidence: reported === null ? [] : [reported.evidence],
      remedy: 'Synchronize the clock of the receiver with the clock of the emulator.',
      steps: [],
    };
  }
  const suggestion = suggestMistake(evidence, attempt, sandbox);
  const mistake = suggestion?.mistake ?? null;
  const secret = describeSecret(sandbox, row);
  if (mistake === null && !isSignature) {
    return {
      ...facts,
      cause: 'rejected',
      certainty: 'certain',
      detail: `${detail} The response does not say whether the signature or the data was rejected.`,
      remedy: `Probe the receiver to find out. If it verifies signatures, check that it uses ${secret}.`,
      steps: [toProbeStep(row)],
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
    remedy: evidence.containsSentDigest
      ? 'Check how the receiver compares the digest with the signature header: both with the prefix, or both without it.'
      : `Check that the receiver uses ${secret}.${isUnknownSecret ? '' : ' If it does, probe it to find the mistake.'}`,
    // A probe tries the mistakes with which the digest was compared.
    steps: isUnknownSecret
      ? [toSecretStep(row)]
      : [toProbeStep(row), mistake === null ? toSecretStep(row) : toSignatureStep(row)],
  };
}

const ageReasons: readonly Mistake['reason'][] = ['timestamp_too_old', 'timestamp_in_future'];
const CHECK_CLOCK =
  'Check the clock of the receiver, and the unit in which it compares the timestamp with the current time.';

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

function listHints(sandbox: Sandbox, delivery: Delivery, attempt: AttemptDetail): string[] {
  return findAttemptHints(attempt, delivery, isStillActive(sandbox, attempt));
}

function isStillActive({ store }: Sandbox, { fault }: AttemptDetail): boolean {
  if (fault === undefined) return false;
  // The counts are written with a delay.
  store.flush();
  const row = store.faults.find(fault.id);
  return row !== undefined && isFaultActive(toFault(row));
}

function toRemedy(hint: string): string {
  return splitHint(hint).text.replace(/(?: with)?:$/, '.');
}
