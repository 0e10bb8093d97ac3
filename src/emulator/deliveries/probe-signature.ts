/**
 * Finds the mistake of a receiver that rejects a delivery: sends the delivery again, signed as a receiver with a known mistake
 * expects it, until the receiver accepts one, and confirms that it makes this mistake. The requests are not recorded.
 */
import { findFramework } from '../../diagnosis/frameworks.ts';
import { PROBE_TIME_LIMIT_MS, type ProbeResult } from '../../diagnosis/judge-probe.ts';
import type { Mistake } from '../../diagnosis/sentences.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import { monotonic } from '../../platform/timers.ts';
import { type Comparison, compareContent } from '../../signature/compare-content.ts';
import { confirmMistakes } from '../../signature/confirm-mistakes.ts';
import { buildChangedContent, describeMistakes } from '../../signature/find-mistakes.ts';
import type { SignatureChange } from '../../signature/mistakes.ts';
import { chooseProbeTime, listProbes, type Probe } from '../../signature/probe-requests.ts';
import { buildSignedContent, computeDigest, createSignatureHeaders } from '../../signature/sign.ts';
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
  const content = { scheme, secrets, id: row.id, timestampMs, body };
  const request = toDeliveryRequest({ ...webhook, url: row.url }, content);
  const message = { id: row.id, timestamp: formatTimestamp(scheme.timestampFormat, timestampMs), body };
  const send = (headers: Readonly<Record<string, string>>) => {
    signal?.throwIfAborted();
    return sender.send({ ...request, headers: { ...request.headers, ...headers } });
  };
  const sendCorrect = () => send({});
  const sendRandom = () => send(createSignatureHeaders(scheme, [createWebhookSecret(scheme.key)], message));

  const sampleAt = async (ms: number): Promise<Sample> => {
    const signed = { ...message, timestamp: formatTimestamp(scheme.timestampFormat, ms) };
    const { outcome } = await send(createSignatureHeaders(scheme, secrets, signed));
    return { digest: computeDigest(scheme, secrets[0] ?? '', signed), isAccepted: outcome === 'succeeded' };
  };
  /** Sends the first request again, and correct signatures with the times of the last seconds. */
  const sampleCorrect = async (count: number) => {
    const now = wall.now();
    const times = new Set([timestampMs, ...Array.from({ length: count }, (_, ageS) => now - ageS * 1000)]);
    const samples: Sample[] = [];
    const sendAll = async () => {
      for (const ms of times) samples.push(await sampleAt(ms));
    };
    await sendAll();
    if (samples.some(({ isAccepted }) => isAccepted !== samples[0]?.isAccepted)) await sendAll();
    return samples;
  };

  const live = listWorkspaceSecrets(store, row.workspace_seq, false);
  const otherSecrets = [...live, { name: 'the API key', secret: apiKey }];
  const correct = await sendCorrect();
  const language = findFramework(correct.response?.headers)?.language;
  const input = { scheme, message, secrets, otherSecrets, url: row.url, language };
  const confirm = (probe: Probe, result: SendResult) =>
    confirmMistakes(probe, input, wall.now, async (headers) => {
      const { outcome, responseStatus } = await send(headers);
      return outcome === result.outcome && responseStatus === result.responseStatus;
    });
  const found = ({ mistakes }: Probe): FoundMistake => ({
    ...{ result: 'mistake', mistake: describeMistakes(mistakes), status: correct.responseStatus },
    comparison: compareContent(buildSignedContent(scheme, message), buildChangedContent(input, mistakes)),
  });
  /** The single mistake that the receiver makes, of those with such a change. */
  const findSingle = async (isCandidate: (change: SignatureChange) => boolean) => {
    for (const probe of listProbes(input)) {
      const [first, second] = probe.mistakes;
      if (second !== undefined) break;
      if (first === undefined || !isCandidate(first.change)) continue;
      const result = await send(probe.headers);
      const isAccepted = result.outcome === 'succeeded';
      if (isAccepted && (await confirm(probe, result)) === 'confirmed') return found(probe);
    }
    return null;
  };
  /** @param samples at least one of which was accepted */
  const conclude = async (samples: readonly Sample[]): Promise<ProbeResult | FoundMistake> => {
    const summary = summarizeSamples(samples);
    if (summary.result === 'accepted' || summary.by === 'request') return summary;
    // Such a mistake changes only some signatures, so that the receiver accepts the others.
    const isOccasional = ({ form, convertTimestamp }: SignatureChange) => Boolean(form ?? convertTimestamp);
    return (await findSingle(isOccasional)) ?? summary;
  };

  if (correct.outcome === 'succeeded') {
    const digest = computeDigest(scheme, secrets[0] ?? '', message);
    return conclude([{ digest, isAccepted: true }, ...(await sampleCorrect(MIN_SAMPLES))]);
  }
  const random = await sendRandom();
  if (correct.responseStatus !== null && !hasSameResponse(correct, random)) {
    // Repeated in the reverse order, because a rate limit or a restart makes a difference, too.
    const isRepeatable =
      random.responseStatus !== null &&
      hasSameResponse(random, await sendRandom()) &&
      hasSameResponse(correct, await sendCorrect());
    if (!isRepeatable) return { result: 'inconsistent' };
    if (random.outcome === 'succeeded') return { result: 'random_accepted' };
    // It may check the time after the signature.
    const isTime = ({ aheadMs, scheme: changed }: SignatureChange) =>
      Boolean(aheadMs ?? changed?.timestampFormat);
    const isRejection = correct.responseStatus < 500;
    return (isRejection && (await findSingle(isTime))) || { result: 'signature_accepted' };
  }

  let acceptedForm: string | null = null;
  let isUnexplained = false;
  /** What the response to a mistake shows; null if the receiver does not make it. */
  const judge = async (probe: Probe, result: SendResult): Promise<ProbeResult | FoundMistake | null> => {
    // The verification can accept a signature, and the receiver fails after that, such as when it parses a body that it has lost.
    const statuses = [result.responseStatus, random.responseStatus];
    const isOther =
      statuses[0] !== statuses[1] && statuses.every((status) => status !== null && status !== 429);
    if (result.outcome !== 'succeeded' && !isOther) return null;
    const confirmation = await confirm(probe, result);
    if (confirmation === 'confirmed') return found(probe);
    if (confirmation === 'correct_accepted') return compareAgain();
    if (result.outcome !== 'succeeded') return null;
    if (confirmation === 'random_accepted') acceptedForm ??= probe.mistakes[0]?.description ?? null;
    else isUnexplained = true;
    return null;
  };
  /** What other responses to a correct signature show; null if each is the first. */
  const compareAgain = async (): Promise<ProbeResult | FoundMistake | null> => {
    const samples = await sampleCorrect(isLarge ? MIN_SAMPLES : MAX_SAMPLES);
    if (samples.some(({ isAccepted }) => isAccepted)) return conclude(samples);
    return hasSameResponse(correct, await sendCorrect()) ? null : { result: 'changed' };
  };
  const endsAt = monotonic() + PROBE_TIME_LIMIT_MS;
  let tried = 0;
  const all = listProbes({ ...input, rareSecrets: listWorkspaceSecrets(store, row.workspace_seq, true) });
  const takeProbes = () =>
    Array.from({ length: isLarge ? 1 : PARALLEL_REQUESTS }, () => all.next().value ?? []).flat();
  for (let probes = takeProbes(); probes.length > 0; probes = takeProbes()) {
    const results = await Promise.all(probes.map(({ headers }) => send(headers)));
    for (const [index, probe] of probes.entries()) {
      const result = results[index] as SendResult;
      tried++;
      const shown = await judge(probe, result);
      if (shown !== null) return shown;
      // Some receivers fail without a response for some timestamps.
      const status = result.responseStatus ?? (await sendCorrect()).responseStatus;
      if (status === null) return { result: 'rejected', tried, stop: 'no_response' };
      if (status === 429) return { result: 'rejected', tried, stop: 'rate_limit' };
    }
    if (monotonic() > endsAt) return { result: 'rejected', tried, stop: 'time_limit' };
    if (isLarge && tried >= MAX_LARGE_MISTAKES) return { result: 'rejected', tried, stop: 'large_body' };
  }
  const changed = await compareAgain();
  if (changed !== null) return changed;
  if (acceptedForm !== null) return { result: 'form_accepted', form: acceptedForm };
  return isUnexplained ? { result: 'inconsistent' } : { result: 'rejected', tried, stop: null };
}

/** A request with a correct signature. */
interface Sample {
  readonly digest: string;
  readonly isAccepted: boolean;
}

/** Times for which correct signatures are sent: to a receiver that accepts one, or gets a large body, and to others. */
const MIN_SAMPLES = 3;
const MAX_SAMPLES = 8;

/** @param samples at least one of which was accepted */
function summarizeSamples(samples: readonly Sample[]) {
  const listDigests = (wanted: boolean) => [
    ...new Set(samples.flatMap(({ digest, isAccepted }) => (isAccepted === wanted ? digest : []))),
  ];
  const digests = { accepted: listDigests(true), rejected: listDigests(false) };
  if (digests.rejected.length === 0) return { result: 'accepted' } as const;
  const isSame = digests.rejected.some((digest) => digests.accepted.includes(digest));
  return { result: 'intermittent', by: isSame ? 'request' : 'digest', ...digests } as const;
}

/** The time of the requests: like that of the last attempt, if that shows a mistake which only some signatures show. */
function chooseTime({ store, rules, wall }: Sandbox, row: DeliveryRow, secret: string, body: string): number {
  const { signature: scheme } = rules;
  const last = store.attempts.listByDelivery(row.seq).at(-1);
  if (last === undefined) return wall.now();
  const sent = { id: row.id, body, scheme };
  const { message, digests } = readSignature(toAttempt(last, sent).request.headers, sent);
  const rejected = { timestamp: message.timestamp, digest: digests[0] ?? '' };
  return chooseProbeTime(scheme, secret, message, rejected, wall.now());
}

/** Whether two responses say the same, apart from IDs, digests and times. */
function hasSameResponse(...results: [SendResult, SendResult]): boolean {
  const [first, second] = results.map(({ responseStatus, response }) => {
    const text = response?.body.toString() ?? '';
    return `${responseStatus} ${text.replace(/[\w+/=-]*\d[\w+/=:.-]*/g, '')}`;
  });
  return first === second;
}
