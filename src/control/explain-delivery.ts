/** The verdict on a delivery: what happened, the cause, what was ruled out, and what to do. */
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
import { formatDuration } from '../domain/duration.ts';
import { isFaultActive } from '../domain/fault.ts';
import { idPrefixes } from '../domain/ids.ts';
import { toSentence } from '../domain/message-parts.ts';
import { listNextSteps, type NextStep, splitHint } from '../domain/next-step.ts';
import { listSignatureSteps } from '../domain/signature/signature-steps.ts';
import { SvcError } from '../errors.ts';
import { createNotFoundError } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listAttempts, listSecrets, pickAttempt } from '../sandbox/verification.ts';
import { readSignature } from '../store/attempts.ts';
import { type DeliveryRow, toDelivery } from '../store/delivery-queries.ts';
import { toFault } from '../store/faults.ts';
import { describeState } from './describe-delivery.ts';
import {
  collectRejectionEvidence,
  getResponseText,
  listRuledOut,
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

type Judgment = Pick<Explanation, 'cause' | 'certainty' | 'detail'> &
  Partial<Pick<Explanation, 'mistake' | 'ruled_out'>> & {
    /** Steps before those that follow from the response. */
    readonly firstHints?: readonly string[];
  };

/** @throws SvcError `not_found` */
export async function explainDelivery(sandbox: Sandbox, input: ExplainInput): Promise<Explanation> {
  const row = await findDelivery(sandbox, input);
  const delivery = toDelivery(row);
  const attempts = listAttempts(sandbox, row);
  const attempt = input.attempt === undefined ? attempts.at(-1) : pickAttempt(attempts, input.attempt, row);
  const judgment = await judge(sandbox, row, delivery, attempts, attempt);
  const hints = [...(judgment.firstHints ?? []), ...listHints(sandbox, delivery, attempt)];
  const [firstHint] = hints;
  const mistake = judgment.mistake ?? null;
  return {
    delivery,
    attempt: attempt === undefined ? null : toExplainedAttempt(attempt),
    summary: describeState(delivery, attempts),
    cause: judgment.cause,
    certainty: judgment.certainty,
    detail: judgment.detail,
    mistake,
    ruled_out: judgment.ruled_out ?? [],
    signature:
      attempt === undefined || !isAboutSignature(judgment.cause)
        ? null
        : explainSignature(sandbox, row, attempt),
    remedy: mistake?.remedy ?? (firstHint === undefined ? null : toRemedy(firstHint)),
    next: [
      ...(canProbeHelp(judgment) ? [toProbeStep(delivery)] : []),
      ...hints.flatMap(listNextSteps),
      ...listFinalSteps(delivery, attempt),
    ],
  };
}

/** Whether a probe is the next step: the cause is open, and nothing better is known. */
function canProbeHelp({ cause, certainty, firstHints }: Judgment): boolean {
  if (firstHints !== undefined) return false;
  return cause === 'rejected' || (PROBED_CAUSES.includes(cause) && certainty === 'likely');
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
  const explanation = await explainDelivery(sandbox, { id: row.id });
  const { cause, detail, next } = explanation;
  if (!PROBED_CAUSES.includes(cause) || (explanation.mistake !== null && explanation.certainty === 'certain'))
    return explanation;
  const probe = await probeSignature(sandbox, sender, row, { apiKey, signal });
  const { sent } = probe;
  const withoutProbe = next.filter(({ command }) => !command.endsWith('--probe'));
  const replay = withoutProbe.filter(({ command }) => command.startsWith('svc deliveries replay'));
  switch (probe.result) {
    case 'accepted':
      return {
        ...explanation,
        detail: `${detail} It accepts the delivery now.`,
        remedy: 'Replay the delivery, because the cause is gone.',
        next: replay,
      };
    case 'mistake': {
      const { reason, description, remedy } = probe.mistake;
      const mistakeDetail = `The receiver made one mistake: ${description}. It accepted the delivery with the signature that this mistake leads to.`;
      return {
        ...explanation,
        cause: 'signature_rejected',
        certainty: 'certain',
        detail: `${toSentence(describeResponse(explanation))} ${mistakeDetail}`,
        mistake: { reason, detail: mistakeDetail, remedy },
        remedy,
        next: withoutProbe,
      };
    }
    case 'signature_accepted':
      return {
        ...explanation,
        cause: cause === 'signature_rejected' ? 'rejected' : cause,
        certainty: 'certain',
        detail: `${toSentence(describeResponse(explanation))} It responds differently to a random signature, so it accepts the signature and fails after that.`,
        mistake: null,
        ruled_out: [...explanation.ruled_out, 'The receiver accepts the signature.'],
        remedy:
          'Read the response and the log of the receiver to find out what it does after the verification.',
        next: withoutProbe,
      };
    case 'rejected':
      return {
        ...explanation,
        ruled_out: [
          ...explanation.ruled_out,
          probe.isComplete
            ? `The receiver rejected ${sent - 2} signatures that single known mistakes lead to.`
            : `The receiver rejected ${sent - 2} signatures. Then it did not respond, or the time was over.`,
        ],
        remedy:
          explanation.mistake === null && cause === 'signature_rejected'
            ? 'Compare the secret of the receiver with the endpoint secret first. If they are the same, print the digest that the receiver computes.'
            : explanation.remedy,
        next: withoutProbe,
      };
  }
}

function describeResponse({ attempt }: Explanation): string {
  return `your receiver returned ${attempt?.response_status}`;
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
): Promise<Judgment> {
  const state = { certainty: 'certain', detail: describeState(delivery, attempts) } as const;
  if (attempt === undefined) {
    if (delivery.paused) return { ...state, cause: 'paused' };
    return { ...state, cause: delivery.status === 'canceled' ? 'canceled' : 'not_sent' };
  }
  const { outcome, fault, verification } = attempt;
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
      detail: `${detail} The injected fault ${fault?.kind} (${fault?.id}) caused this.`,
    };
  }
  if (outcome !== 'http_error') return { cause: outcome, certainty: 'certain', detail };
  if (verification === null) {
    return {
      cause: 'secret_changed',
      certainty: 'likely',
      detail: `${detail} The endpoint secret or the signature scheme was changed after this attempt.`,
      firstHints: [
        `Replay the delivery, which is then signed with the current secret: svc deliveries replay ${row.id} --wait`,
      ],
    };
  }
  return judgeResponse(sandbox, row, attempts, attempt, detail);
}

async function judgeResponse(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempts: readonly AttemptDetail[],
  attempt: AttemptDetail,
  detail: string,
): Promise<Judgment> {
  const status = attempt.response_status ?? 0;
  if (status < 400) return { cause: 'redirect', certainty: 'certain', detail };
  if ([404, 405, 410].includes(status)) return { cause: 'wrong_path', certainty: 'likely', detail };
  if (status === 429) return { cause: 'rate_limited', certainty: 'certain', detail };
  const evidence = await collectRejectionEvidence(sandbox, row, attempt);
  const accepted = findEarlierSuccess(sandbox, row, attempts, attempt);
  if (accepted !== null && evidence.reportedMistake === null && !evidence.mentionsSignature) {
    return {
      cause: 'duplicate_rejected',
      certainty: 'likely',
      detail: `${detail} It had accepted the same event before, in ${accepted}, so it probably does not recognize duplicates.`,
      mistake: null,
      firstHints: [
        `Store the ID of each event (data.id) that you process. If it comes again, return a 2xx response and do nothing else. See an example with: svc receiver example`,
      ],
    };
  }
  // Many receivers throw an error if the signature is wrong.
  if (status >= 500 && evidence.reportedMistake === null && !evidence.mentionsSignature) {
    return { cause: 'receiver_error', certainty: 'certain', detail };
  }
  return judgeRejection(sandbox, attempt, evidence, detail);
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
  attempt: AttemptDetail,
  evidence: RejectionEvidence,
  detail: string,
): Judgment {
  const { signatureToleranceMs: toleranceMs } = sandbox.rules;
  const { reportedMistake, clockSkewMs, accepted, mentionsSignature, mentionsTimestamp } = evidence;
  const ruledOut = listRuledOut(evidence, attempt, toleranceMs);
  const conclusion = { detail, ruled_out: ruledOut };
  if (reportedMistake !== null) {
    return {
      ...conclusion,
      cause: 'signature_rejected',
      certainty: 'certain',
      detail: `${detail} ${reportedMistake.detail}`,
      mistake: reportedMistake,
    };
  }
  if (evidence.mentionsCsrf) {
    return {
      ...conclusion,
      cause: 'rejected',
      certainty: 'likely',
      detail: `${detail} The response mentions CSRF protection, which rejects the request before your code verifies the signature.`,
      firstHints: [
        'Exclude the path of the endpoint URL from the CSRF protection of the framework, because the signature replaces it.',
      ],
    };
  }
  const status = attempt.response_status;
  const mayBeSignature =
    status === 400 || status === 401 || status === 403 || mentionsSignature || mentionsTimestamp;
  if (!mayBeSignature) return { ...conclusion, cause: 'rejected', certainty: 'certain' };
  if (clockSkewMs !== null && Math.abs(clockSkewMs) > toleranceMs) {
    const direction = clockSkewMs > 0 ? 'ahead of' : 'behind';
    return {
      ...conclusion,
      cause: 'receiver_clock',
      certainty: 'likely',
      detail: `${detail} Its clock is ${formatDuration(Math.abs(clockSkewMs))} ${direction} the clock of the emulator, by its Date header. The tolerance is ${formatDuration(toleranceMs)}.`,
      firstHints: ['Synchronize the clock of the receiver with the clock of the emulator.'],
    };
  }
  const mistake = suggestMistake(evidence, attempt, sandbox);
  if (mistake === null && status === 400 && !mentionsSignature && !mentionsTimestamp) {
    return {
      ...conclusion,
      cause: 'rejected',
      certainty: 'certain',
      detail: `${detail} The response does not say whether the signature or the data was rejected.`,
    };
  }
  const reason =
    mistake?.detail ??
    (accepted.length === 0
      ? 'It probably rejected the signature. It has not accepted any delivery of this endpoint yet, so check its secret first.'
      : 'It probably rejected the signature.');
  return {
    ...conclusion,
    cause: 'signature_rejected',
    certainty: 'likely',
    detail: `${detail} ${reason}`,
    mistake,
  };
}

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
  const [secret = ''] = listSecrets(sandbox, row);
  const steps = listSignatureSteps(
    scheme,
    secret,
    { ...message, body },
    headers[scheme.headers.signature] ?? '',
  );
  return { scheme: scheme.name, steps, verification: attempt.verification };
}

function listHints(sandbox: Sandbox, delivery: Delivery, attempt: AttemptDetail | undefined): string[] {
  const enable = delivery.paused
    ? [`Enable the endpoint: svc webhooks update ${delivery.webhook_id} --enable`]
    : [];
  if (attempt === undefined) {
    const isWaiting = delivery.status === 'pending' && !delivery.paused;
    return isWaiting ? ['Send the next due delivery with: svc clock next'] : enable;
  }
  return [...enable, ...findAttemptHints(attempt, delivery, isStillActive(sandbox, attempt))];
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

function toProbeStep({ id }: Delivery): NextStep {
  return {
    purpose: 'Find the mistake by sending the signatures of known mistakes',
    command: `svc explain ${id} --probe`,
  };
}

/** The steps after the remedy. */
function listFinalSteps({ id }: Delivery, attempt: AttemptDetail | undefined): NextStep[] {
  if (attempt === undefined || attempt.outcome === 'succeeded') return [];
  return [
    { purpose: 'Show the whole request and response', command: `svc deliveries get ${id} --no-pager` },
    {
      purpose: 'Send the delivery again after the correction',
      command: `svc deliveries replay ${id} --wait`,
    },
  ];
}
