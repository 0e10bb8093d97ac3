/**
 * Finds the mistake of a receiver that rejects a delivery: sends the delivery again, signed as a receiver with a known mistake
 * expects it, until the receiver accepts one. Only a receiver with this mistake accepts it. The requests are not recorded.
 */

import { type Comparison, compareContent } from '../diagnosis/compare-content.ts';
import { createWebhookSecret } from '../domain/secret.ts';
import { buildChangedContent, describeMistakes, type MistakeInput } from '../domain/signature/mistakes.ts';
import { chooseProbeTime, listProbes, type Probe } from '../domain/signature/probe-requests.ts';
import { buildSignedContent, createSignatureHeaders } from '../domain/signature/sign.ts';
import { formatTimestamp } from '../domain/signature/signature-header.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listWorkspaceSecrets } from '../sandbox/verification.ts';
import { readSignature, toAttempt } from '../store/attempts.ts';
import type { DeliveryRow } from '../store/delivery-queries.ts';
import { monotonic } from '../timers.ts';
import { getSigningSecrets, toDeliveryRequest } from './attempt.ts';
import type { Sender, SendResult } from './sender.ts';

/** Real time after which no further request is sent. */
const TIME_LIMIT_MS = 20_000;
/** A larger body is sent only a limited number of times. */
const LARGE_BODY_BYTES = 64 * 1024;
const MAX_LARGE_REQUESTS = 40;

/** Why a probe ended before all known mistakes were tried. */
export type ProbeStop = 'no_response' | 'rate_limit' | 'time_limit' | 'large_body';

export type SignatureProbe =
  /** The receiver accepts the correct signature now. */
  | { readonly result: 'accepted' }
  /** The verification of the receiver rejects the correct signature and a random one, and accepts one with this mistake. */
  | {
      readonly result: 'mistake';
      readonly mistake: ReturnType<typeof describeMistakes>;
      /** What was signed, and what the receiver verifies; null if it is the same. */
      readonly comparison: Comparison | null;
      /** Of the response to the correct signature. */
      readonly status: number | null;
    }
  /** The receiver rejects the correct signature and accepts a random one. */
  | { readonly result: 'random_accepted' }
  /** The receiver responds differently to a random signature, so it accepts the correct one and fails after that. */
  | { readonly result: 'signature_accepted' }
  /** The receiver responds differently to the same signature. */
  | { readonly result: 'inconsistent' }
  /** The receiver accepted none of the `tried` signatures of mistakes. */
  | { readonly result: 'rejected'; readonly tried: number; readonly stop: ProbeStop | null };

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
): Promise<SignatureProbe> {
  const { store, rules, workspaces } = sandbox;
  const { signature: scheme } = rules;
  const webhook = store.webhooks.getBySeq(row.webhook_seq);
  const secrets = getSigningSecrets(webhook, workspaces.get(row.workspace_seq).clock.now());
  const body = store.deliveryQueries.getBody(row.seq);
  const timestampMs = chooseTime(sandbox, row, secrets[0] ?? '', body);
  const content = { scheme, secrets, id: row.id, timestampMs, body };
  const request = toDeliveryRequest({ ...webhook, url: row.url }, content);
  const timestamp = formatTimestamp(scheme.timestampFormat, timestampMs);
  const message = { id: row.id, timestamp, body };
  const send = (headers: Readonly<Record<string, string>>) => {
    signal?.throwIfAborted();
    return sender.send({ ...request, headers: { ...request.headers, ...headers } });
  };
  const sendCorrect = () => send({});
  const sendRandom = () => send(createSignatureHeaders(scheme, [createWebhookSecret(scheme.key)], message));

  const correct = await sendCorrect();
  if (correct.outcome === 'succeeded') return { result: 'accepted' };
  const random = await sendRandom();
  if (correct.responseStatus !== null && !hasSameResponse(correct, random)) {
    // Repeated in the reverse order, because a rate limit or a restart makes a difference, too.
    const isRepeatable =
      hasSameResponse(random, await sendRandom()) && hasSameResponse(correct, await sendCorrect());
    if (!isRepeatable) return { result: 'inconsistent' };
    return { result: random.outcome === 'succeeded' ? 'random_accepted' : 'signature_accepted' };
  }
  const endsAt = monotonic() + TIME_LIMIT_MS;
  const live = listWorkspaceSecrets(store, row.workspace_seq, false);
  const deleted = listWorkspaceSecrets(store, row.workspace_seq, true);
  const input = {
    scheme,
    message,
    secrets,
    otherSecrets: [...live, { name: 'the API key', secret: apiKey }],
  };
  const isLarge = Buffer.byteLength(body) > LARGE_BODY_BYTES;
  let tried = 0;
  for (const probes of listBatches(listAllProbes(input, deleted), isLarge ? 1 : PARALLEL_REQUESTS)) {
    const results = await Promise.all(probes.map(({ headers }) => send(headers)));
    for (const [index, probe] of probes.entries()) {
      const result = results[index] as SendResult;
      tried++;
      if (result.outcome === 'succeeded') {
        // A receiver that was corrected meanwhile accepts the correct signature, and one that verifies nothing accepts any.
        if ((await sendCorrect()).outcome === 'succeeded') return { result: 'accepted' };
        if ((await sendRandom()).outcome === 'succeeded') return { result: 'inconsistent' };
        const { counterexample } = probe;
        if (counterexample === null || (await send(counterexample)).outcome !== 'succeeded')
          return toFound(probe, input, correct);
      } else if (isStatusOfMistake(probe, result, random)) {
        // The verification accepts it, and the receiver fails after that, such as when it parses a body that it has lost.
        const isRepeatable =
          hasSameResponse(random, await sendRandom()) && hasSameResponse(result, await send(probe.headers));
        if (isRepeatable) return toFound(probe, input, correct);
      }
      // Some receivers fail without a response for some timestamps.
      const stop = findStop(result.responseStatus ?? (await sendCorrect()).responseStatus);
      if (stop !== null) return { result: 'rejected', tried, stop };
    }
    if (monotonic() > endsAt) return { result: 'rejected', tried, stop: 'time_limit' };
    if (isLarge && tried + 2 >= MAX_LARGE_REQUESTS) return { result: 'rejected', tried, stop: 'large_body' };
  }
  return { result: 'rejected', tried, stop: null };
}

/** Requests that are sent at the same time, so that a slow receiver gets all of them before the time limit. */
const PARALLEL_REQUESTS = 4;

/** Each request once. */
function* listBatches(probes: Iterable<Probe>, size: number): Generator<Probe[]> {
  const sent = new Set<string>();
  let batch: Probe[] = [];
  for (const probe of probes) {
    const key = JSON.stringify(probe.headers);
    if (sent.has(key)) continue;
    sent.add(key);
    batch.push(probe);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Mistakes in these parts change more than the digits of the digest. */
const sentParts: readonly Probe['mistakes'][number]['part'][] = ['header', 'encoding', 'algorithm'];

/**
 * Whether the status shows that the verification accepted the signature: it differs from that of a random signature, and the request
 * differs from that one only in the digits of the digest.
 */
function isStatusOfMistake({ mistakes }: Probe, { responseStatus }: SendResult, random: SendResult): boolean {
  const isDigest = ({ part, change }: Probe['mistakes'][number]) =>
    !sentParts.includes(part) && change.aheadMs === undefined && change.scheme?.timestampFormat === undefined;
  const statuses = [responseStatus, random.responseStatus];
  return (
    responseStatus !== random.responseStatus &&
    statuses.every((status) => status !== null && status !== 429) &&
    mistakes.every(isDigest)
  );
}

function toFound({ mistakes }: Probe, input: MistakeInput, { responseStatus }: SendResult): SignatureProbe {
  const signed = buildSignedContent(input.scheme, input.message);
  return {
    ...{ result: 'mistake', mistake: describeMistakes(mistakes), status: responseStatus },
    comparison: compareContent(signed, buildChangedContent(input, mistakes)),
  };
}

/** The secrets of deleted endpoints are tried last, because there can be hundreds. */
function* listAllProbes(input: MistakeInput, deleted: MistakeInput['otherSecrets']): Generator<Probe> {
  yield* listProbes(input);
  if (deleted.length === 0) return;
  for (const probe of listProbes({ ...input, otherSecrets: deleted }))
    if (probe.mistakes.length === 1) yield probe;
}

function findStop(status: number | null): ProbeStop | null {
  if (status === null) return 'no_response';
  return status === 429 ? 'rate_limit' : null;
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

function hasSameResponse(first: SendResult, second: SendResult): boolean {
  const bodies = [first, second].map(({ response }) => response?.body.toString() ?? '');
  return first.responseStatus === second.responseStatus && hasSameText(bodies[0] ?? '', bodies[1] ?? '');
}

/** Whether two responses say the same, apart from IDs, digests and times. */
function hasSameText(first: string, second: string): boolean {
  const withoutValues = (text: string) => text.replace(/[\w+/=-]*\d[\w+/=:.-]*/g, '');
  return withoutValues(first) === withoutValues(second);
}
