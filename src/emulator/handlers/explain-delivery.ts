/** Explains a delivery: what happened, what responded, the cause, the evidence for it, and what to do. */

import { toDeliveryHints } from '../../diagnosis/delivery-hints.ts';
import { describeState } from '../../diagnosis/describe-delivery.ts';
import { judgeAttempt } from '../../diagnosis/judge-attempt.ts';
import { judgeProbe, type ProbeResult } from '../../diagnosis/judge-probe.ts';
import { type Mistake, say } from '../../diagnosis/sentences.ts';
import type { DeliveryCause } from '../../domain/causes.ts';
import { maskSecret } from '../../domain/credentials.ts';
import type { Hint } from '../../domain/errors.ts';
import { isFaultActive } from '../../domain/fault.ts';
import { quoteForShell } from '../../domain/shell.ts';
import type { Explanation } from '../../operations/explanation-schemas.ts';
import type { Attempt } from '../../resources/attempt.ts';
import type { Delivery } from '../../resources/delivery.ts';
import type { Comparison } from '../../signature/compare-content.ts';
import { listSignatureSteps } from '../../signature/signature-steps.ts';
import { readSignature } from '../../store/attempts.ts';
import { type DeliveryRow, toDelivery } from '../../store/delivery-queries.ts';
import { toFault } from '../../store/faults.ts';
import { type ProbeOptions, probeSignature } from '../deliveries/probe-signature.ts';
import type { Sender } from '../deliveries/sender.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { listAttempts, listSecrets, listSigningSecrets, pickAttempt } from '../service/verification.ts';
import { type DeliveryReference, findDelivery } from './find-delivery.ts';
import { readReport } from './read-report.ts';

interface ExplainInput extends DeliveryReference {
  /** Number of the attempt (default: the last). */
  readonly attempt?: number | undefined;
}

/** The mistake that a probe found, as it is stored for the endpoint. */
interface ProbeFinding extends Mistake {
  readonly comparison: Comparison | null;
  /** The delivery that was probed, its URL, and the status of the response to the correct signature. */
  readonly delivery_id: string;
  readonly url: string;
  readonly status: number;
  /** Sequence of the newest change at that time: a later success ends the finding. */
  readonly seq: number;
}

/** Causes of an attempt whose signature may be the reason. */
const stepCauses: readonly DeliveryCause[] = [
  'signature_rejected',
  'rejected',
  'receiver_clock',
  'accepted_invalid',
];
/** Causes that a probe can explain further. */
const probedCauses: readonly DeliveryCause[] = ['signature_rejected', 'rejected', 'receiver_error'];

/**
 * Explains a delivery, and if the receiver rejected it, signs and sends it with each known mistake. A mistake that the receiver makes
 * is stored for its endpoint.
 * @throws SvcError `not_found`
 */
export async function probeDelivery(
  sandbox: Sandbox,
  sender: Sender,
  input: ExplainInput,
  { apiKey, signal }: ProbeOptions,
): Promise<Explanation> {
  const { store } = sandbox;
  const row = findDelivery(sandbox, input);
  const explain = (probed?: ProbeResult) => explainDelivery(sandbox, { id: row.id }, apiKey, probed);
  const explanation = explain();
  const { attempt, cause, certainty, finding, mistake } = explanation;
  const isKnown = mistake !== null && certainty === 'certain' && finding === null;
  if (attempt === null || !probedCauses.includes(cause) || isKnown) return explanation;
  const probe = await probeSignature(sandbox, sender, row, { apiKey, signal });
  const writeFinding = (found: ProbeFinding | null) => {
    const webhook = store.webhooks.getBySeq(row.webhook_seq);
    store.writeNow(() => store.webhooks.update({ ...webhook, finding: found && JSON.stringify(found) }));
  };
  if (probe.result === 'mistake') {
    const { comparison, status } = probe;
    // A finding explains the attempts with the same status.
    if (status !== null) {
      const probed = { delivery_id: row.id, url: row.url, status, seq: store.lastSeq };
      writeFinding({ ...probe.mistake, comparison, ...probed });
    }
    return explain();
  }
  const isDecided = probe.result !== 'inconsistent' && (probe.result !== 'rejected' || probe.stop === null);
  if (isDecided && finding !== null) writeFinding(null);
  return explain(probe);
}

/**
 * @param apiKey the key of the default workspace, which receivers confuse with the endpoint secret
 * @param probe what a probe has just shown
 * @throws SvcError `not_found`
 */
export function explainDelivery(
  sandbox: Sandbox,
  input: ExplainInput,
  apiKey: string,
  probe?: ProbeResult,
): Explanation {
  const row = findDelivery(sandbox, input);
  const { attempt: number } = input;
  const { rules, store } = sandbox;
  const { signature: scheme, signatureToleranceMs: toleranceMs } = rules;
  const delivery = toDelivery(row);
  const attempts = listAttempts(sandbox, row);
  const summary = describeState(delivery, attempts);
  const attempt = number === undefined ? (attempts.at(-1) ?? null) : pickAttempt(attempts, number, row);
  if (attempt === null) {
    const now = sandbox.workspaces.get(row.workspace_seq).clock.now();
    return explainWaiting(delivery, summary, now);
  }

  const { body, headers } = attempt.request;
  const { message } = readSignature(headers, { id: row.id, body, scheme });
  const secrets = listSecrets(sandbox, row);
  const { signature: header } = scheme.headers;
  const values = {
    secret: `the current endpoint secret (${maskSecret(secrets[0] ?? '')})`,
    timestamp: message.timestamp,
    signature_header: header,
    SIGNATURE_HEADER: header.toUpperCase().replaceAll('-', '_'),
  };
  const found = findFinding(sandbox, row, attempt);
  const fault = store.faults.find(attempt.fault?.id ?? '');
  const judgment = judgeAttempt({
    attempt,
    delivery,
    values,
    toleranceMs,
    report: readReport(sandbox, row, attempt, apiKey),
    found: found && { mistake: found, evidence: [say('probe_found', { delivery: found.delivery_id })] },
    isFaultActive: fault !== undefined && isFaultActive(toFault(fault)),
  });
  const verdict = probe ? judgeProbe(probe, judgment, attempt.response_status, delivery, values) : judgment;
  const isShown = found !== null && verdict.mistake?.detail === found.detail;
  const [secret = ''] = [...listSigningSecrets(sandbox, row, attempt), ...secrets];
  return {
    delivery,
    attempt: toExplainedAttempt(attempt),
    summary,
    ...verdict,
    finding: isShown
      ? {
          delivery_id: found.delivery_id,
          comparison: found.comparison,
          explains: store.attempts.countUnresolved(row.webhook_seq, found.status),
        }
      : null,
    steps: stepCauses.includes(verdict.cause)
      ? listSignatureSteps(scheme, secret, { ...message, body }, headers[header] ?? '')
      : null,
    hints: completeHints(sandbox, delivery, attempts, attempt, verdict.hints),
  };
}

/** A delivery without the result of an attempt. @param now milliseconds since 1970 on the schedule clock */
function explainWaiting(delivery: Delivery, summary: string, now: number): Explanation {
  const { status, paused, next_attempt_at: dueAt } = delivery;
  const isDue = !paused && dueAt !== null && Date.parse(dueAt) <= now;
  const next = { text: 'Send the next due delivery', command: 'svc clock next' };
  const waiting = status === 'pending' ? [next] : [];
  return {
    delivery,
    attempt: null,
    summary,
    certainty: 'certain',
    detail: isDue ? say('in_progress') : summary,
    cause: paused ? 'paused' : status === 'canceled' ? 'canceled' : 'not_sent',
    hints: paused ? [toDeliveryHints(delivery).enable] : waiting,
    layer: null,
    mistake: null,
    finding: null,
    evidence: [],
    steps: null,
  };
}

/** The hints of a verdict with those that the state of the delivery requires: at most three commands. */
function completeHints(
  { store }: Sandbox,
  delivery: Delivery,
  attempts: readonly Attempt[],
  { number, outcome, response_status: status }: Attempt,
  hints: readonly Hint[],
): Hint[] {
  const { webhook_id: webhookId, url, event_type: type, paused } = delivery;
  const { enable, show, replay } = toDeliveryHints(delivery);
  const isDeleted = store.webhooks.find(webhookId) === undefined;
  if (isDeleted && outcome !== 'succeeded') {
    const register = {
      text: 'The endpoint was deleted. Register it and create the event again',
      command: `svc webhooks create --url ${quoteForShell(url)} --events ${type}`,
    };
    const isPossible = ({ command = '' }: Hint) => command !== replay.command && !command.includes(webhookId);
    return [...hints.filter(isPossible), ...(status === null ? [] : [show]), register];
  }
  const others = [...hints, ...(paused ? [enable] : [])];
  if (outcome === 'succeeded') {
    const failed = attempts.findLast((one) => one.number < number && one.outcome !== 'succeeded');
    const command = `svc explain ${delivery.id} --attempt ${failed?.number}`;
    return failed ? [...others, { text: `Explain attempt ${failed.number}, which failed`, command }] : others;
  }
  if (hints[0]?.command === replay.command) return others;
  if (status !== null) others.push(show);
  return [...others.slice(0, others[0]?.command === undefined ? 3 : 2), replay];
}

/** What a probe found for the endpoint, if it explains the attempt: until a delivery to the endpoint succeeds. */
function findFinding({ store }: Sandbox, row: DeliveryRow, attempt: Attempt): ProbeFinding | null {
  const { finding: text } = store.webhooks.getBySeq(row.webhook_seq);
  if (text === null) return null;
  const finding: ProbeFinding = JSON.parse(text);
  const isExplained = finding.status === attempt.response_status && finding.url === attempt.request.url;
  const isOver = store.attempts.findLastSuccess(row.webhook_seq) > finding.seq;
  return isExplained && !isOver ? finding : null;
}

/** Characters of the response that the explanation contains. */
const MAX_RESPONSE_CHARS = 1_000;

function toExplainedAttempt({ request, response, ...fields }: Attempt) {
  const text = response?.encoding === 'utf8' ? response.body.trim() : '';
  const body = text.length > MAX_RESPONSE_CHARS ? `${text.slice(0, MAX_RESPONSE_CHARS)}…` : text;
  return { ...fields, response_body: body === '' ? null : body };
}
