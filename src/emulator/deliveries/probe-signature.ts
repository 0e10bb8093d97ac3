/**
 * Finds the mistake of a receiver that rejects a delivery: sends the delivery again, signed as a receiver with a known mistake
 * expects it, until the receiver accepts one, and confirms that it makes this mistake. The requests are not recorded.
 */
import { PROBE_TIME_LIMIT_MS, type ProbeResult } from '../../diagnosis/judge-probe.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { Explanation } from '../../operations/explanation-schemas.ts';
import { monotonic } from '../../platform/timers.ts';
import { type Comparison, compareContent } from '../../signature/compare-content.ts';
import { confirmMistakes } from '../../signature/confirm-mistakes.ts';
import { buildChangedContent, describeMistakes } from '../../signature/find-mistakes.ts';
import { findRejectedStart } from '../../signature/find-rejected-start.ts';
import type { SignatureChange } from '../../signature/mistakes.ts';
import { chooseProbeTime, listProbes, listRecentTimes, type Probe } from '../../signature/probe-requests.ts';
import { quote } from '../../signature/refusals.ts';
import { buildSignedContent, createSignatureHeaders } from '../../signature/sign.ts';
import { formatTimestamp } from '../../signature/signature-header.ts';
import { readSignature } from '../../store/attempts.ts';
import type { DeliveryRow } from '../../store/delivery-queries.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { listAttempts, listWorkspaceSecrets } from '../service/verification.ts';
import { getSigningSecrets, toDeliveryRequest } from './attempt.ts';
import type { Sender, SendResult } from './sender.ts';

/** Requests that are sent at the same time, so that a slow receiver gets all of them before the time limit. */
const PARALLEL_REQUESTS = 4;
/** Of a larger body, only some mistakes are tried. */
const LARGE_BODY_BYTES = 64 * 1024;
const MAX_LARGE_MISTAKES = 40;
/** Statuses of limits, which do not show that the code of the receiver was reached. */
const LIMITS = [429, 431];
/** Other times for which the correct signature is sent at the end. */
const SAMPLES = 8;

/** The mistake of a receiver that rejects the correct signature and a random one, and accepts one with this mistake. */
export interface ProbeFinding extends NonNullable<Explanation['mistake']> {
  /** What was signed, and what the receiver verifies; null if it is the same. */
  readonly comparison: Comparison | null;
  /** The delivery that was probed, its URL, and the status of the response to the correct signature. */
  readonly delivery_id: string;
  readonly url: string;
  readonly status: number | null;
  /** Sequence of the newest change at that time: a later success ends the finding. */
  readonly seq: number;
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
): Promise<ProbeResult | ProbeFinding> {
  const { store, rules, wall, workspaces } = sandbox;
  const { signature: scheme } = rules;
  const webhook = store.webhooks.getBySeq(row.webhook_seq);
  const secrets = getSigningSecrets(webhook, workspaces.get(row.workspace_seq).clock.now());
  const body = store.deliveryQueries.getBody(row.seq);
  const { headers: rejected = {} } = listAttempts(sandbox, row).at(-1)?.request ?? {};
  const { message: signed, digests } = readSignature(rejected, { id: row.id, body, scheme });
  const timestampMs = chooseProbeTime(scheme, secrets[0] ?? '', signed, digests[0] ?? '', wall.now());
  const isLarge = Buffer.byteLength(body) > LARGE_BODY_BYTES;
  const content = { scheme, secrets, id: row.id, timestampMs, body };
  const values = { type: row.event_type, attempt: 1 };
  const request = toDeliveryRequest(sandbox, { ...webhook, url: row.url }, content, values);
  const message = { id: row.id, timestamp: formatTimestamp(scheme.timestampFormat, timestampMs), body };
  const send = (headers: Readonly<Record<string, string>>) => {
    signal?.throwIfAborted();
    return sender.send({ ...request, headers: { ...request.headers, ...headers } });
  };
  const sendSigned = (signing: readonly string[], ms = timestampMs) => {
    const timestamp = formatTimestamp(scheme.timestampFormat, ms);
    return send(createSignatureHeaders(scheme, signing, { ...message, timestamp }));
  };
  const sendRandom = () => sendSigned([createWebhookSecret(scheme.key)]);

  const live = listWorkspaceSecrets(store, row.workspace_seq, false);
  const otherSecrets = [...live, { name: 'the API key', secret: apiKey }];
  const input = { scheme, message, secrets, otherSecrets };
  let tried = 0;
  const conclude = (result: ProbeResult['result']): ProbeResult => ({ result, tried });
  const correct = await sendSigned(secrets);
  /** Some responses to correct signatures, or to the same one, differ. */
  const explainDifferences = async (): Promise<ProbeResult> => {
    const rejected = { scheme, secret: secrets[0] ?? '', message, now: wall.now() };
    const start = await findRejectedStart(rejected, async (at) => {
      const result = await sendSigned(secrets, at);
      if (result.outcome === 'succeeded') return 'accepted';
      return normalize(result) === normalize(correct) ? 'rejected' : null;
    });
    return start === null ? conclude('inconsistent') : { ...conclude('digests'), start };
  };
  if (correct.outcome === 'succeeded') return conclude('accepted');
  const random = await sendRandom();
  let isPossible = (_change: SignatureChange) => true;
  const isReached = correct.responseStatus !== null && normalize(correct) !== normalize(random);
  if (isReached) {
    // Repeated in the reverse order, because a rate limit or a restart makes a difference, too.
    const isRepeatable =
      random.responseStatus !== null &&
      normalize(random) === normalize(await sendRandom()) &&
      normalize(correct) === normalize(await sendSigned(secrets));
    if (!isRepeatable) return explainDifferences();
    if (random.outcome === 'succeeded') return conclude('random_accepted');
    if (correct.responseStatus >= 500) return conclude('differs');
    // The verification accepts the signature, and can only reject the time.
    isPossible = ({ sentTime, scheme: changed }) => (sentTime ?? changed?.timestampFormat) !== undefined;
  }

  /** What unconfirmed mistakes show. */
  let doubt: ProbeResult['result'] | null = null;
  /** What the response to a mistake shows; null if the receiver does not make it. */
  const judge = async (
    { mistakes }: Probe,
    { outcome, responseStatus: status }: SendResult,
  ): Promise<ProbeResult | ProbeFinding | null> => {
    // The verification can accept a signature, and the receiver fails after that, such as when it parses a body that it has lost.
    const statuses = [429, correct.responseStatus, random.responseStatus];
    const hasOtherStatus = !statuses.includes(null) && status !== null && !statuses.includes(status);
    if (outcome !== 'succeeded' && !hasOtherStatus) return null;
    const confirmation = await confirmMistakes({ mistakes }, input, wall.now, async (changed) => {
      const again = await send(changed);
      return again.outcome === outcome && again.responseStatus === status;
    });
    if (confirmation === 'confirmed') {
      return {
        ...describeMistakes(mistakes),
        comparison: compareContent(buildSignedContent(scheme, message), buildChangedContent(input, mistakes)),
        delivery_id: row.id,
        url: row.url,
        status: correct.responseStatus,
        seq: store.lastSeq,
      };
    }
    if (outcome !== 'succeeded') return confirmation === 'correct_accepted' ? explainDifferences() : null;
    if (confirmation === 'random_accepted' || confirmation === 'unreadable_accepted') doubt = confirmation;
    else doubt ??= 'inconsistent';
    // Only such a mistake explains that the receiver accepts some correct signatures.
    if (confirmation === 'correct_accepted') isPossible = ({ form }) => form !== undefined;
    return null;
  };
  const endsAt = monotonic() + PROBE_TIME_LIMIT_MS;
  const stopAt = (result: ProbeResult['result']) => conclude(isReached ? 'differs' : result);
  /** A response to the same headers with other values that differs, and not only in what it repeats of the request. */
  let other: SendResult | null = null;
  const isOtherResponse = (result: SendResult, headers: Readonly<Record<string, string>>) =>
    result.responseStatus !== null &&
    !LIMITS.includes(result.responseStatus) &&
    Object.keys(headers).every((name) => name in request.headers) &&
    normalize(result, { ...request.headers, ...headers }) !== normalize(correct, request.headers);
  const all = listProbes({ ...input, rareSecrets: listWorkspaceSecrets(store, row.workspace_seq, true) });
  const takeProbes = () => {
    const probes: Probe[] = [];
    while (probes.length < PARALLEL_REQUESTS) {
      const next = all.next();
      if (next.done) break;
      if (next.value.mistakes.every(({ change }) => isPossible(change))) probes.push(next.value);
    }
    return probes;
  };
  for (let probes = takeProbes(); probes.length > 0; probes = takeProbes()) {
    const results = await Promise.all(
      probes.map(async (probe) => ({ probe, result: await send(probe.headers) })),
    );
    for (const { probe, result } of results) {
      tried++;
      const shown = await judge(probe, result);
      if (shown !== null) return shown;
      if (
        other === null &&
        isOtherResponse(result, probe.headers) &&
        isOtherResponse(await send(probe.headers), probe.headers)
      )
        other = result;
      // Some receivers fail without a response for some timestamps.
      const status = result.responseStatus ?? (await sendSigned(secrets)).responseStatus;
      if (status === null) return stopAt('no_response');
      if (status === 429) return stopAt('rate_limit');
    }
    if (monotonic() > endsAt) return stopAt('time_limit');
    if (isLarge && tried >= MAX_LARGE_MISTAKES) return stopAt('large_body');
  }
  // The response may depend on the digest, the time or earlier requests.
  for (const at of [timestampMs, ...listRecentTimes(wall.now(), SAMPLES)]) {
    const again = await sendSigned(secrets, at);
    if (normalize(correct) !== normalize(again)) return explainDifferences();
  }
  if (doubt !== null) return conclude(doubt);
  return other === null || isReached ? stopAt('constant') : { ...conclude('varies'), other: describe(other) };
}

/** What a response says, without IDs, digests, times and headers of its request. */
function normalize(
  { responseStatus, response }: SendResult,
  headers: Readonly<Record<string, string>> = {},
): string {
  const body = Object.values(headers).reduce(
    (text, value) => text.replaceAll(value, ''),
    response?.body.toString() ?? '',
  );
  return `${responseStatus} ${body.replace(/[\w+/=-]*\d[\w+/=:.-]*/g, '')}`;
}

/** The status, and a short text. */
function describe({ responseStatus, response }: SendResult): string {
  const text = response?.body.toString().trim() ?? '';
  return /^[^<\n]{1,100}$/.test(text) ? `${responseStatus} ${quote(text)}` : `${responseStatus}`;
}
