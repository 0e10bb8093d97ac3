/** Explains a delivery: what happened, what responded, the cause, the evidence for it, and what to do. */

import { describeState } from '../../diagnosis/describe-delivery.ts';
import { describeAttempt } from '../../diagnosis/find-layer.ts';
import { judgeAttempt } from '../../diagnosis/judge-attempt.ts';
import { judgeProbe, type ProbeResult, probeStops } from '../../diagnosis/judge-probe.ts';
import { emptyJudgment, type Judgment, say, toNextSteps, type Values } from '../../diagnosis/sentences.ts';
import type { DeliveryCause } from '../../domain/causes.ts';
import { maskSecret } from '../../domain/credentials.ts';
import type { Hint } from '../../domain/errors.ts';
import { isFaultActive } from '../../domain/fault.ts';
import type { Explanation } from '../../operations/explanation-schemas.ts';
import type { Attempt } from '../../resources/attempt.ts';
import type { Delivery } from '../../resources/delivery.ts';
import { listSignatureSteps } from '../../signature/signature-steps.ts';
import { readSignature } from '../../store/attempts.ts';
import { type DeliveryRow, toDelivery } from '../../store/delivery-queries.ts';
import { toFault } from '../../store/faults.ts';
import { type ProbeFinding, type ProbeOptions, probeSignature } from '../deliveries/probe-signature.ts';
import type { Sender } from '../deliveries/sender.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { listAttempts, listSecrets, listSigningSecrets, pickAttempt } from '../service/verification.ts';
import { type DeliveryReference, findDelivery } from './find-delivery.ts';
import { readReport } from './read-report.ts';

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
  input: DeliveryReference,
  { apiKey, signal }: ProbeOptions,
): Promise<Explanation> {
  const { store } = sandbox;
  const row = findDelivery(sandbox, input);
  const explain = (probed?: ProbeResult) => explainDelivery(sandbox, { id: row.id }, apiKey, probed);
  const explanation = explain();
  const { attempt, cause, certainty, finding, mistake } = explanation;
  const isKnown = mistake !== null && certainty === 'certain' && finding === null;
  if (attempt !== null && !probedCauses.includes(cause))
    return { ...explanation, evidence: [...explanation.evidence, say('probe_not_sent')] };
  if (attempt === null || isKnown) return explanation;
  const probe = await probeSignature(sandbox, sender, row, { apiKey, signal });
  const writeFinding = (found: ProbeFinding | null) =>
    store.write(() => {
      // A reset during the probe removes the endpoint.
      const webhook = store.webhooks.findBySeq(row.webhook_seq);
      if (webhook) store.webhooks.update({ ...webhook, finding: found && JSON.stringify(found) });
    });
  if (!('result' in probe)) {
    // A finding explains the attempts with its status.
    if (probe.status !== null) await writeFinding(probe);
    return explain();
  }
  const isDecided = ![...probeStops, 'inconsistent'].includes(probe.result);
  if (isDecided && finding !== null) await writeFinding(null);
  return explain(probe);
}

/**
 * @param reference the delivery, and the number of the attempt (default: the last)
 * @param apiKey the key of the default workspace, which receivers confuse with the endpoint secret
 * @param probe what a probe has just shown
 * @throws SvcError `not_found`
 */
export function explainDelivery(
  sandbox: Sandbox,
  { attempt: number, ...reference }: DeliveryReference & { readonly attempt?: number | undefined },
  apiKey: string,
  probe?: ProbeResult,
): Explanation {
  const row = findDelivery(sandbox, reference);
  const { rules, store } = sandbox;
  const { signature: scheme, signatureToleranceMs: toleranceMs } = rules;
  const delivery = toDelivery(row);
  const attempts = listAttempts(sandbox, row);
  const summary = describeState(delivery, attempts);
  const attempt = number === undefined ? attempts.at(-1) : pickAttempt(attempts, number, row);
  if (attempt === undefined) {
    const judgment = judgeWaiting(delivery, summary, sandbox.workspaces.get(row.workspace_seq).clock.now());
    return { delivery, attempt: null, summary, ...judgment, finding: null, steps: null };
  }

  const { body, headers } = attempt.request;
  const { message } = readSignature(headers, { id: row.id, body, scheme });
  const secrets = listSecrets(sandbox, row);
  const { signature: header } = scheme.headers;
  const values = {
    ...describeAttempt(delivery, attempt),
    secret: `the current endpoint secret (${maskSecret(secrets[0] ?? '')})`,
    timestamp: message.timestamp,
    signature_header: header,
    SIGNATURE_HEADER: header.toUpperCase().replaceAll('-', '_'),
  };
  const found = findFinding(sandbox, row, attempt);
  const fault = store.faults.find(attempt.fault?.id ?? '');
  const judgment = judgeAttempt({
    attempt,
    attempts,
    values,
    toleranceMs,
    report: readReport(sandbox, row, attempt, apiKey),
    found: found && {
      detail: found.detail,
      mistake: found,
      evidence: [say('probe_found', { delivery: found.delivery_id })],
    },
    isFaultActive: fault !== undefined && isFaultActive(toFault(fault)),
  });
  const verdict = probe ? judgeProbe(probe, judgment, values) : judgment;
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
    hints: completeHints(sandbox, delivery, attempts, attempt, verdict.hints, values),
  };
}

/** A delivery without the result of an attempt. @param now milliseconds since 1970 on the schedule clock */
function judgeWaiting(delivery: Delivery, summary: string, now: number): Judgment {
  const { id, webhook_id: webhook, status, paused, next_attempt_at: dueAt } = delivery;
  const isDue = !paused && dueAt !== null && Date.parse(dueAt) <= now;
  const { enable, next } = toNextSteps({ delivery: id, webhook });
  const waiting = status === 'pending' ? [next] : [];
  return {
    ...emptyJudgment,
    cause: paused ? 'paused' : status === 'canceled' ? 'canceled' : 'not_sent',
    detail: isDue ? say('in_progress') : summary,
    hints: paused ? [enable] : waiting,
  };
}

/** The hints of a verdict with those that the state of the delivery requires: at most three commands. */
function completeHints(
  { store }: Sandbox,
  { webhook_id: webhookId, event_type: type, paused }: Delivery,
  attempts: readonly Attempt[],
  { number, outcome, response_status: status }: Attempt,
  verdictHints: readonly Hint[],
  values: Values,
): Hint[] {
  const failed = attempts.findLast((one) => one.number < number && one.outcome !== 'succeeded');
  const next = toNextSteps({ ...values, type, failed: String(failed?.number) });
  const hints = [...verdictHints, ...(paused ? [next.enable] : [])];
  if (outcome === 'succeeded') return failed ? [...hints, next.show_failed] : hints;
  const shown = status === null ? [] : [next.show];
  const isReplay = ({ command }: Hint) => command === next.replay.command;
  if (store.webhooks.find(webhookId) === undefined) {
    const isPossible = (hint: Hint) => !isReplay(hint) && !hint.command?.includes(webhookId);
    return [...hints.filter(isPossible), ...shown, next.register];
  }
  if (hints.slice(0, 1).some(isReplay)) return hints;
  return [...[...hints, ...shown].slice(0, hints[0]?.command === undefined ? 3 : 2), next.replay];
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
