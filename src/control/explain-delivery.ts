/** Explains a delivery: what happened, the cause, the evidence for it, and what to do. */

import { describeState } from '../client/texts/describe-delivery.ts';
import type { AttemptDetail, Delivery } from '../contract/delivery-schemas.ts';
import type { DeliveryCause, Explanation } from '../contract/explanation-schemas.ts';
import { type ProbeOptions, probeSignature, type SignatureProbe } from '../delivery/probe-signature.ts';
import type { Sender } from '../delivery/sender.ts';
import { describeCause, findAttemptHints, findCause, toDeliveryHints } from '../domain/attempt-hints.ts';
import { maskSecret } from '../domain/credentials.ts';
import { isFaultActive } from '../domain/fault.ts';
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
import { correctMistake, judgeRejection, type Verdict } from './judge-rejection.ts';
import { collectRejectionEvidence, getResponseText, suggestMistake } from './rejection-evidence.ts';
import { toCondition } from './to-condition.ts';

/** Instead of an ID: the delivery that failed last. */
const LATEST = 'latest';

interface ExplainInput {
  /** ID of a delivery, an event, an endpoint or a request, or {@link LATEST}. */
  readonly id: string;
  readonly attempt?: number | undefined;
  readonly workspace_id?: string | undefined;
}

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
  const summary = describeState(delivery, attempts);
  const attempt = input.attempt === undefined ? attempts.at(-1) : pickAttempt(attempts, input.attempt, row);
  const unknown = { mistake: null, evidence: [], signature: null };
  if (attempt === undefined) {
    const { cause, hints } = explainWaiting(delivery);
    return {
      ...unknown,
      delivery,
      attempt: null,
      summary,
      cause,
      certainty: 'certain',
      detail: summary,
      hints,
    };
  }
  const { hints = findAttemptHints(attempt, delivery, isStillActive(sandbox, attempt)), ...verdict } =
    await judgeAttempt(sandbox, row, attempts, attempt, apiKey);
  const isAboutSignature = signatureCauses.includes(verdict.cause);
  return {
    ...unknown,
    delivery,
    attempt: toExplainedAttempt(attempt),
    summary,
    ...verdict,
    ...(isAboutSignature && { signature: explainSignature(sandbox, row, attempt) }),
    hints: completeHints(delivery, attempt, hints),
  };
}

/** A delivery without an attempt. */
function explainWaiting(delivery: Delivery): Pick<Explanation, 'cause' | 'hints'> {
  const { status, paused } = delivery;
  const next = { text: 'Send the next due delivery', command: 'svc clock next' };
  if (paused) return { cause: 'paused', hints: [toDeliveryHints(delivery).enable] };
  return {
    cause: status === 'canceled' ? 'canceled' : 'not_sent',
    hints: status === 'pending' ? [next] : [],
  };
}

/** The hints of a verdict with those that the state of the delivery requires: at most three commands. */
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

/** Only an error that the code of the receiver returned says more than the outcome. */
async function judgeAttempt(
  sandbox: Sandbox,
  row: DeliveryRow,
  attempts: readonly AttemptDetail[],
  attempt: AttemptDetail,
  apiKey: string,
): Promise<Verdict> {
  const cause = findCause(attempt);
  if (cause !== 'rejected' && cause !== 'receiver_error') {
    const certainty = cause === 'wrong_path' ? 'likely' : 'certain';
    return { cause, certainty, detail: describeCause(attempt) };
  }
  const evidence = await collectRejectionEvidence(sandbox, row, attempt, apiKey);
  return judgeRejection({
    ...evidence,
    delivery: toDelivery(row),
    attempt,
    secret: describeSecret(sandbox, row),
    toleranceMs: sandbox.rules.signatureToleranceMs,
    earlierSuccess: findEarlierSuccess(sandbox, row, attempts, attempt),
    suggestion: suggestMistake(evidence, attempt, sandbox.rules),
  });
}

/** Such as `the current endpoint secret (whsec_…x1Zk)`. */
function describeSecret(sandbox: Sandbox, row: DeliveryRow): string {
  const [secret = ''] = listSecrets(sandbox, row);
  return `the current endpoint secret (${maskSecret(secret)})`;
}

/** Causes that a probe can explain further. */
const probedCauses: readonly DeliveryCause[] = [
  'signature_rejected',
  'rejected',
  'receiver_error',
  'duplicate_rejected',
];

/**
 * Explains a delivery, and if the receiver rejected it, signs and sends it with each known mistake.
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
  const { attempt, cause, delivery, mistake, certainty } = explanation;
  const isKnown = mistake !== null && certainty === 'certain';
  if (attempt === null || !probedCauses.includes(cause) || isKnown) return explanation;
  const probe = await probeSignature(sandbox, sender, row, { apiKey, signal });
  const { detail, hints, ...shown } = explainProbe(probe, explanation, describeSecret(sandbox, row));
  return {
    ...explanation,
    ...shown,
    ...(detail !== undefined && { detail: `Your receiver returned ${attempt.response_status}. ${detail}` }),
    ...(hints !== undefined && {
      hints: probe.result === 'accepted' ? hints : completeHints(delivery, attempt, hints),
    }),
  };
}

/**
 * What a probe shows, instead of what the explanation says.
 * @returns `detail` without the status, and only the hints that follow from the probe
 */
function explainProbe(probe: SignatureProbe, explanation: Explanation, secret: string): Partial<Explanation> {
  const { attempt, cause, delivery, evidence, hints } = explanation;
  const own = toDeliveryHints(delivery);
  const found = { cause: 'signature_rejected', certainty: 'certain', mistake: null } as const;
  switch (probe.result) {
    case 'accepted':
      return { detail: 'It accepts the delivery now.', mistake: null, evidence: [], hints: [own.replay] };
    case 'mistake': {
      const fact = 'It rejected the correct signature, and accepted one with this mistake.';
      const corrected = correctMistake(probe.mistake, { delivery, secret });
      return { ...found, detail: probe.mistake.detail, ...corrected, evidence: [fact] };
    }
    case 'random_accepted':
      return {
        ...found,
        detail: 'It rejects the correct signature and accepts a random one, so its condition is wrong.',
        evidence: ['Sent twice, each of the two signatures got the same response.'],
        hints: [{ text: 'Correct the condition: accept the delivery only if the signature matches.' }],
      };
    case 'signature_accepted': {
      const fact = 'It accepts the signature: its response to a random one differs, each time.';
      const text =
        'Read the response and the log of the receiver to find out what it does after the verification.';
      const isDuplicate = cause === 'duplicate_rejected';
      return {
        mistake: null,
        evidence: [fact],
        ...(!isDuplicate && { detail: 'It accepts the signature, and fails after that.', hints: [{ text }] }),
        ...(!isDuplicate && {
          cause: cause === 'signature_rejected' ? 'rejected' : cause,
          certainty: 'certain',
        }),
      };
    }
    case 'inconsistent': {
      const fact = 'The probe shows nothing: the same signature got different responses.';
      return { evidence: [fact, ...evidence], hints: [...hints.slice(0, 1), own.probe] };
    }
    case 'rejected': {
      const signatures = formatCount(probe.tried, 'known mistake');
      if (!probe.isComplete) {
        const fact = `The probe sent the signatures of ${signatures}. Then the receiver stopped responding, or the time limit was reached.`;
        return { evidence: [fact, ...evidence] };
      }
      const fact = `It rejected the correct signature, a random one, and those of ${signatures}.`;
      // The probe has tried what was suggested.
      const rejected = { mistake: null, evidence: [fact, ...evidence], hints: hints.slice(0, 1) };
      // The response did not say what was rejected, but it is the same for a random signature.
      const isSignature =
        cause === 'signature_rejected' || (cause === 'rejected' && attempt?.response_status === 400);
      if (!isSignature) return rejected;
      const compare = `Compare the secret of the receiver with ${secret}. If they are the same, print the digest that it computes.`;
      return {
        ...rejected,
        cause: 'signature_rejected',
        certainty: 'likely',
        detail: 'It probably uses a secret that svc does not know.',
        hints: [{ text: compare }, own.secret, own.verify],
      };
    }
  }
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

async function findDelivery(
  sandbox: Sandbox,
  { id, workspace_id: workspaceId }: ExplainInput,
): Promise<DeliveryRow> {
  const { store } = sandbox;
  if (id.startsWith(idPrefixes.request)) {
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
  const input = {
    workspace_id: workspaceId,
    event_id: id.startsWith(idPrefixes.event) ? id : undefined,
    webhook_id: id.startsWith(idPrefixes.webhook) ? id : undefined,
  };
  const filter = toCondition(sandbox, input, 'schedule');
  const first = { limit: 1, beforeSeq: null };
  const failures = store.attempts.list({ ...filter, is_unresolved: 1 }, first);
  const failure = failures.rows[0] && store.deliveryQueries.find(failures.rows[0].delivery_id);
  if (failure !== undefined) return failure;
  if (id === LATEST) {
    throw new SvcError('not_found', 'No delivery has failed.', {
      hint: { text: 'List the deliveries', command: 'svc deliveries list' },
    });
  }
  const newest = store.deliveryQueries.list(filter, first);
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

const signatureCauses: readonly DeliveryCause[] = [
  'signature_rejected',
  'rejected',
  'receiver_clock',
  'secret_changed',
  'accepted_invalid',
];

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
  const row = store.faults.find(fault.id);
  return row !== undefined && isFaultActive(toFault(row));
}
