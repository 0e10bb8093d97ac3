/** Explains a delivery: what happened, what responded, the cause, the evidence for it, and what to do. */

import { describeState } from '../client/texts/describe-delivery.ts';
import type { AttemptDetail, Delivery } from '../contract/delivery-schemas.ts';
import type { Explanation } from '../contract/explanation-schemas.ts';
import { type ProbeOptions, probeSignature } from '../delivery/probe-signature.ts';
import type { Sender } from '../delivery/sender.ts';
import type { DeliveryCause } from '../diagnosis/causes.ts';
import type { Comparison } from '../diagnosis/compare-content.ts';
import { toDeliveryHints } from '../diagnosis/delivery-hints.ts';
import { judgeAttempt, type Mistake } from '../diagnosis/judge-attempt.ts';
import { say } from '../diagnosis/sentences.ts';
import { maskSecret } from '../domain/credentials.ts';
import { isFaultActive } from '../domain/fault.ts';
import { idPrefixes } from '../domain/ids.ts';
import { quoteForShell } from '../domain/shell.ts';
import { listSignatureSteps } from '../domain/signature/signature-steps.ts';
import { type Hint, SvcError } from '../errors.ts';
import { createNotFoundError } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listAttempts, listSecrets, listSigningSecrets, pickAttempt } from '../sandbox/verification.ts';
import { readSignature } from '../store/attempts.ts';
import { type DeliveryRow, toDelivery } from '../store/delivery-queries.ts';
import { toFault } from '../store/faults.ts';
import { describeProbe } from './describe-probe.ts';
import { readReport } from './read-report.ts';
import { type FilterInput, toCondition } from './to-condition.ts';

/** Instead of an ID: the delivery that failed last. */
const LATEST = 'latest';

interface ExplainInput {
  /** ID of a delivery, an event, an endpoint or a request, or {@link LATEST}. */
  readonly id: string;
  readonly attempt?: number | undefined;
  readonly workspace_id?: string | undefined;
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

/**
 * @param apiKey the key of the default workspace, which receivers confuse with the endpoint secret
 * @throws SvcError `not_found`
 */
export async function explainDelivery(
  sandbox: Sandbox,
  input: ExplainInput,
  apiKey: string,
): Promise<Explanation> {
  const { rules, store } = sandbox;
  const row = findDelivery(sandbox, input);
  const delivery = toDelivery(row);
  const attempts = listAttempts(sandbox, row);
  const summary = describeState(delivery, attempts);
  const attempt =
    input.attempt === undefined ? (attempts.at(-1) ?? null) : pickAttempt(attempts, input.attempt, row);
  const unknown = { layer: null, mistake: null, finding: null, evidence: [], steps: null };
  if (attempt === null) {
    const waiting = explainWaiting(delivery);
    return { delivery, attempt, ...unknown, summary, ...waiting, certainty: 'certain', detail: summary };
  }
  const found = findFinding(sandbox, row, attempt);
  const { signature: scheme, signatureToleranceMs: toleranceMs } = rules;
  const { body, headers } = attempt.request;
  const { message } = readSignature(headers, { id: row.id, body, scheme });
  const { layer, hints, ...verdict } = judgeAttempt({
    ...{ attempt, delivery, secret: describeSecret(sandbox, row), toleranceMs },
    ...{ signatureHeader: scheme.headers.signature, timestamp: message.timestamp },
    report: readReport(sandbox, row, attempt, apiKey),
    found: found && { mistake: found, evidence: say('probe_found', { delivery: found.delivery_id }) },
    isFaultActive: isStillActive(sandbox, attempt),
  });
  const isShown = found !== null && verdict.mistake?.detail === found.detail;
  const [secret = ''] = [...listSigningSecrets(sandbox, row, attempt), ...listSecrets(sandbox, row)];
  return {
    ...{ delivery, attempt: toExplainedAttempt(attempt), summary, ...verdict },
    layer: layer && { kind: layer.kind, by: layer.by },
    finding: isShown
      ? {
          ...{ delivery_id: found.delivery_id, comparison: found.comparison },
          explains: store.attempts.countUnresolved(row.webhook_seq, found.status),
        }
      : null,
    steps: signatureCauses.includes(verdict.cause)
      ? listSignatureSteps(scheme, secret, { ...message, body }, headers[scheme.headers.signature] ?? '')
      : null,
    hints: completeHints(sandbox, delivery, attempt, hints),
  };
}

/** Causes of an attempt whose signature may be the reason. */
const signatureCauses: readonly DeliveryCause[] = [
  'signature_rejected',
  'rejected',
  'receiver_clock',
  'accepted_invalid',
];

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
  { store }: Sandbox,
  delivery: Delivery,
  { outcome, response_status: status }: Pick<AttemptDetail, 'outcome' | 'response_status'>,
  hints: readonly Hint[],
): Hint[] {
  const { webhook_id: webhookId, url, event_type: type, paused } = delivery;
  const { enable, show, replay } = toDeliveryHints(delivery);
  if (outcome === 'succeeded') return [...hints, ...(paused ? [enable] : [])];
  if (store.webhooks.find(webhookId) === undefined) {
    const register = {
      text: 'The endpoint was deleted. Register it and create the event again',
      command: `svc webhooks create --url ${quoteForShell(url)} --events ${type}`,
    };
    const isPossible = ({ command = '' }: Hint) => command !== replay.command && !command.includes(webhookId);
    return [...hints.filter(isPossible), ...(status === null ? [] : [show]), register];
  }
  const others = [...hints, ...(paused ? [enable] : []), ...(status === null ? [] : [show])];
  if (others[0]?.command === replay.command) return others;
  return [...others.slice(0, others[0]?.command === undefined ? 3 : 2), replay];
}

/** Such as `the current endpoint secret (whsec_…x1Zk)`. */
function describeSecret(sandbox: Sandbox, row: DeliveryRow): string {
  const [secret = ''] = listSecrets(sandbox, row);
  return `the current endpoint secret (${maskSecret(secret)})`;
}

/** What a probe found for the endpoint, if it explains the attempt: until a delivery to the endpoint succeeds. */
function findFinding({ store }: Sandbox, row: DeliveryRow, attempt: AttemptDetail): ProbeFinding | null {
  const { finding: text } = store.webhooks.getBySeq(row.webhook_seq);
  if (text === null) return null;
  const finding: ProbeFinding = JSON.parse(text);
  const isExplained = finding.status === attempt.response_status && finding.url === attempt.request.url;
  return isExplained && !store.attempts.hasSucceededSince(row.webhook_seq, finding.seq) ? finding : null;
}

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
  const explanation = await explainDelivery(sandbox, { id: row.id }, apiKey);
  const { attempt, cause, delivery, certainty, finding } = explanation;
  const isKnown = explanation.mistake !== null && certainty === 'certain' && finding === null;
  if (attempt === null || !probedCauses.includes(cause) || isKnown) return explanation;
  const probe = await probeSignature(sandbox, sender, row, { apiKey, signal });
  const webhook = store.webhooks.getBySeq(row.webhook_seq);
  if (probe.result === 'mistake') {
    const { mistake, comparison, status } = probe;
    // A finding explains the attempts with the same status.
    if (status !== null) {
      const { id: delivery_id, url } = row;
      const found: ProbeFinding = { ...mistake, comparison, status, delivery_id, url, seq: store.lastSeq };
      store.writeNow(() => store.webhooks.update({ ...webhook, finding: JSON.stringify(found) }));
    }
    return explainDelivery(sandbox, { id: row.id }, apiKey);
  }
  const isDecided = probe.result !== 'inconsistent' && (probe.result !== 'rejected' || probe.stop === null);
  if (isDecided && webhook.finding !== null)
    store.writeNow(() => store.webhooks.update({ ...webhook, finding: null }));
  const { hints, ...shown } = describeProbe(probe, explanation, describeSecret(sandbox, row));
  return {
    ...{ ...explanation, finding: null, mistake: null, ...shown },
    ...(hints !== undefined && {
      hints: probe.result === 'accepted' ? hints : completeHints(sandbox, delivery, attempt, hints),
    }),
  };
}

/** The delivery with an ID, or the one that matters most for an event, an endpoint or a request. */
function findDelivery(sandbox: Sandbox, { id, workspace_id }: Omit<ExplainInput, 'attempt'>): DeliveryRow {
  const { store } = sandbox;
  const startsWith = (kind: keyof typeof idPrefixes) => id.startsWith(idPrefixes[kind]);
  if (startsWith('event')) return findLatest(sandbox, id, { event_id: id, workspace_id });
  if (startsWith('webhook')) return findLatest(sandbox, id, { webhook_id: id, workspace_id });
  if (id === LATEST) return findLatest(sandbox, id, { workspace_id });
  if (startsWith('request')) {
    const request = store.apiRequests.find(id);
    if (request === undefined) throw createNotFoundError('request', id);
    const { resource_id: resourceId } = request;
    if (resourceId !== null && /^(?:evt|wh)_/.test(resourceId))
      return findDelivery(sandbox, { id: resourceId });
    const message = `${id} is not a request for an event or an endpoint, so it has no delivery.`;
    const hint = { text: 'Show the request', command: `svc logs get ${id}` };
    throw new SvcError('not_found', message, { hint });
  }
  const row = store.deliveryQueries.find(id);
  if (row === undefined) throw createNotFoundError('delivery', id);
  return row;
}

/** The delivery whose last attempt failed last; for an event or an endpoint without one, the newest delivery. */
function findLatest(sandbox: Sandbox, id: string, input: FilterInput): DeliveryRow {
  const { store } = sandbox;
  const filter = toCondition(sandbox, input, 'schedule');
  const first = { limit: 1, beforeSeq: null };
  const [failure] = store.attempts.list({ ...filter, is_unresolved: 1 }, first).rows;
  const failed = failure && store.deliveryQueries.find(failure.delivery_id);
  if (failed !== undefined) return failed;
  const [newest] = id === LATEST ? [] : store.deliveryQueries.list(filter, first).rows;
  if (newest !== undefined) return newest;
  const [message, hint] =
    id === LATEST
      ? ['No delivery has failed.', { text: 'List the deliveries', command: 'svc deliveries list' }]
      : [
          `${id} has no deliveries.`,
          { text: 'List the endpoints and their event types', command: 'svc webhooks list' },
        ];
  throw new SvcError('not_found', message, { hint });
}

/** Characters of the response that the explanation contains. */
const MAX_RESPONSE_CHARS = 1_000;

function toExplainedAttempt({ request, response, verification, ...fields }: AttemptDetail) {
  const text = response?.encoding === 'utf8' ? response.body.trim() : '';
  const body = text.length > MAX_RESPONSE_CHARS ? `${text.slice(0, MAX_RESPONSE_CHARS)}…` : text;
  return { ...fields, response_body: body === '' ? null : body };
}

function isStillActive({ store }: Sandbox, { fault }: AttemptDetail): boolean {
  if (fault === undefined) return false;
  const row = store.faults.find(fault.id);
  return row !== undefined && isFaultActive(toFault(row));
}
