/**
 * Finds the mistake of a receiver that rejects a delivery: sends the delivery again, signed as a receiver with a known mistake
 * expects it, until the receiver accepts one, and confirms that it makes this mistake. The requests are not recorded.
 */
import { PROBE_TIME_LIMIT_MS, type ProbeResult, type ProbeStop } from '../../diagnosis/judge-probe.ts';
import type { Mistake } from '../../diagnosis/sentences.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import { monotonic } from '../../platform/timers.ts';
import { type Comparison, compareContent } from '../../signature/compare-content.ts';
import { confirmMistakes } from '../../signature/confirm-mistakes.ts';
import { buildChangedContent, describeMistakes } from '../../signature/find-mistakes.ts';
import type { SignatureChange } from '../../signature/mistakes.ts';
import { chooseProbeTime, listProbes, type Probe } from '../../signature/probe-requests.ts';
import { buildSignedContent, createSignatureHeaders } from '../../signature/sign.ts';
import { formatTimestamp } from '../../signature/signature-header.ts';
import { readSignature, toAttempt } from '../../store/attempts.ts';
import type { DeliveryRow } from '../../store/delivery-queries.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { listWorkspaceSecrets } from '../service/verification.ts';
import { getSigningSecrets, toDeliveryRequest } from './attempt.ts';
import type { Sender, SendResult } from './sender.ts';

/** Requests that are sent at the same time, so that a slow receiver gets all of them before the time limit. */
const PARALLEL_REQUESTS = 4;
/** Of a larger body, only some mistakes are tried. */
const LARGE_BODY_BYTES = 64 * 1024;
const MAX_LARGE_MISTAKES = 40;
/** Other times for which the correct signature is sent at the end. */
const SAMPLES = 8;

/** The verification rejects the correct signature and a random one, and accepts one with this mistake. */
export interface FoundMistake {
  readonly result: 'mistake';
  readonly mistake: Mistake;
  /** What was signed, and what the receiver verifies; null if it is the same. */
  readonly comparison: Comparison | null;
  /** Of the response to the correct signature. */
  readonly status: number | null;
}

export interface ProbeOptions {
  /** The key of the default workspace, which receivers confuse with the endpoint secret. */
  readonly apiKey: string;
  readonly signal?: AbortSignal | undefined;
}

/** @param row a delivery that the receiver rejects */
export async function probeSignature(
  sandbox: Sandbox,
  sender: Sender,
  row: DeliveryRow,
  { apiKey, signal }: ProbeOptions,
): Promise<ProbeResult | FoundMistake> {
  const { store, rules, wall, workspaces } = sandbox;
  const { signature: scheme } = rules;
  const webhook = store.webhooks.getBySeq(row.webhook_seq);
  const secrets = getSigningSecrets(webhook, workspaces.get(row.workspace_seq).clock.now());
  const body = store.deliveryQueries.getBody(row.seq);
  const timestampMs = chooseTime(sandbox, row, secrets[0] ?? '', body);
  const isLarge = Buffer.byteLength(body) > LARGE_BODY_BYTES;
  const content = { scheme, secrets, id: row.id, timestampMs, body, type: row.event_type, attempt: 1 };
  const request = toDeliveryRequest(sandbox, { ...webhook, url: row.url }, content);
  const message = { id: row.id, timestamp: formatTimestamp(scheme.timestampFormat, timestampMs), body };
  const send = (headers: Readonly<Record<string, string>>) => {
    signal?.throwIfAborted();
    return sender.send({ ...request, headers: { ...request.headers, ...headers } });
  };
  const sendCorrect = (ms = timestampMs) => {
    const timestamp = formatTimestamp(scheme.timestampFormat, ms);
    return send(createSignatureHeaders(scheme, secrets, { ...message, timestamp }));
  };
  const sendRandom = () => send(createSignatureHeaders(scheme, [createWebhookSecret(scheme.key)], message));

  const live = listWorkspaceSecrets(store, row.workspace_seq, false);
  const otherSecrets = [...live, { name: 'the API key', secret: apiKey }];
  const input = { scheme, message, secrets, otherSecrets };
  const confirm = (probe: Probe, result: SendResult) =>
    confirmMistakes(probe, input, wall.now, async (headers) => {
      const { outcome, responseStatus } = await send(headers);
      return outcome === result.outcome && responseStatus === result.responseStatus;
    });
  const found = ({ mistakes }: Probe): FoundMistake => ({
    result: 'mistake',
    mistake: describeMistakes(mistakes),
    status: correct.responseStatus,
    comparison: compareContent(buildSignedContent(scheme, message), buildChangedContent(input, mistakes)),
  });
  const correct = await sendCorrect();
  if (correct.outcome === 'succeeded') return { result: 'accepted' };
  const random = await sendRandom();
  let isPossible = (_change: SignatureChange) => true;
  const isReached = correct.responseStatus !== null && !hasSameResponse(correct, random);
  if (isReached) {
    // Repeated in the reverse order, because a rate limit or a restart makes a difference, too.
    const isRepeatable =
      random.responseStatus !== null &&
      hasSameResponse(random, await sendRandom()) &&
      hasSameResponse(correct, await sendCorrect());
    if (!isRepeatable) return { result: 'inconsistent' };
    if (random.outcome === 'succeeded') return { result: 'random_accepted' };
    if (correct.responseStatus >= 500) return { result: 'signature_accepted' };
    isPossible = isTimeMistake;
  }

  /** What unconfirmed mistakes show. */
  let doubt: ProbeResult | null = null;
  /** What the response to a mistake shows; null if the receiver does not make it. */
  const judge = async (probe: Probe, result: SendResult): Promise<ProbeResult | FoundMistake | null> => {
    // The verification can accept a signature, and the receiver fails after that, such as when it parses a body that it has lost.
    const { responseStatus: status } = result;
    const statuses = [429, correct.responseStatus, random.responseStatus];
    const isOther = !statuses.includes(null) && status !== null && !statuses.includes(status);
    if (result.outcome !== 'succeeded' && !isOther) return null;
    const confirmation = await confirm(probe, result);
    if (confirmation === 'confirmed') return found(probe);
    if (result.outcome !== 'succeeded')
      return confirmation === 'correct_accepted' ? { result: 'inconsistent' } : null;
    if (confirmation === 'random_accepted' || confirmation === 'unreadable_accepted')
      doubt = { result: confirmation };
    else doubt ??= { result: 'inconsistent' };
    // Only such a mistake explains that the receiver accepts some correct signatures.
    if (confirmation === 'correct_accepted') isPossible = ({ form }) => form !== undefined;
    return null;
  };
  const endsAt = monotonic() + PROBE_TIME_LIMIT_MS;
  let tried = 0;
  const stopAt = (stop: ProbeStop | null): ProbeResult =>
    isReached ? { result: 'signature_accepted' } : { result: 'rejected', tried, stop };
  const all = listProbes({ ...input, rareSecrets: listWorkspaceSecrets(store, row.workspace_seq, true) });
  const takeProbes = () => {
    const probes: Probe[] = [];
    while (probes.length < (isLarge ? 1 : PARALLEL_REQUESTS)) {
      const next = all.next();
      if (next.done) break;
      if (next.value.mistakes.every(({ change }) => isPossible(change))) probes.push(next.value);
    }
    return probes;
  };
  for (let probes = takeProbes(); probes.length > 0; probes = takeProbes()) {
    const results = await Promise.all(probes.map(({ headers }) => send(headers)));
    for (const [index, probe] of probes.entries()) {
      const result = results[index] as SendResult;
      tried++;
      const shown = await judge(probe, result);
      if (shown !== null) return shown;
      // Some receivers fail without a response for some timestamps.
      const status = result.responseStatus ?? (await sendCorrect()).responseStatus;
      if (status === null) return stopAt('no_response');
      if (status === 429) return stopAt('rate_limit');
    }
    if (monotonic() > endsAt) return stopAt('time_limit');
    if (isLarge && tried >= MAX_LARGE_MISTAKES) return stopAt('large_body');
  }
  // The response may depend on the digest, the time or earlier requests.
  for (let ageS = -1; ageS < SAMPLES; ageS++) {
    const again = await sendCorrect(ageS < 0 ? timestampMs : wall.now() - ageS * 1000);
    if (!hasSameResponse(correct, again)) return { result: 'inconsistent' };
  }
  if (doubt !== null) return doubt;
  return stopAt(null);
}

/** The time of the requests: like that of the last attempt, if that shows a mistake which only some signatures show. */
function chooseTime({ store, rules, wall }: Sandbox, row: DeliveryRow, secret: string, body: string): number {
  const { signature: scheme } = rules;
  const last = store.attempts.listByDelivery(row.seq).at(-1);
  if (last === undefined) return wall.now();
  const sent = { id: row.id, body, scheme };
  const { message, digests } = readSignature(toAttempt(last, sent).request.headers, sent);
  return chooseProbeTime(scheme, secret, message, digests[0] ?? '', wall.now());
}

const isTimeMistake = ({ aheadMs, scheme }: SignatureChange) =>
  (aheadMs ?? scheme?.timestampFormat) !== undefined;

/** Whether two responses say the same, apart from IDs, digests and times. */
function hasSameResponse(...results: [SendResult, SendResult]): boolean {
  const [first, second] = results.map(({ responseStatus, response }) => {
    const text = response?.body.toString() ?? '';
    return `${responseStatus} ${text.replace(/[\w+/=-]*\d[\w+/=:.-]*/g, '')}`;
  });
  return first === second;
}
