/**
 * Finds the mistake of a receiver that rejects a delivery: sends the delivery again, signed as a receiver with a known mistake
 * expects it, until the receiver accepts one. Only a receiver with this mistake accepts it. The requests are not recorded.
 */

import { createWebhookSecret } from '../domain/secret.ts';
import {
  computeHmac,
  type DigestMistake,
  listMistakes,
  toHmacInput,
} from '../domain/signature/digest-mistakes.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { computeDigest, createSignatureHeaders } from '../domain/signature/sign.ts';
import { formatSignatureHeader, formatTimestamp } from '../domain/signature/signature-header.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { listWorkspaceSecrets } from '../sandbox/verification.ts';
import type { DeliveryRow } from '../store/delivery-queries.ts';
import { monotonic } from '../timers.ts';
import { getSigningSecrets, toDeliveryRequest } from './attempt.ts';
import type { Sender, SendResult } from './sender.ts';

/** A receiver that compares the whole header rejects the two signatures of a rotation. */
export const HEADER_NOT_SPLIT = 'header_not_split';

/** Real time after which no further request is sent. */
const TIME_LIMIT_MS = 20_000;

interface ProbedMistake extends Pick<DigestMistake, 'description' | 'remedy'> {
  readonly reason: DigestMistake['reason'] | 'timestamp_unreadable' | typeof HEADER_NOT_SPLIT;
}

export type SignatureProbe =
  /** The receiver accepts the correct signature now. */
  | { readonly result: 'accepted' }
  /** The receiver rejects the correct signature and a random one, and accepts the one that this mistake leads to. */
  | { readonly result: 'mistake'; readonly mistake: ProbedMistake }
  /** The receiver rejects the correct signature and accepts a random one. */
  | { readonly result: 'random_accepted' }
  /** The receiver responds differently to a random signature, so it accepts the correct one and fails after that. */
  | { readonly result: 'signature_accepted' }
  /** The receiver responds differently to the same signature. */
  | { readonly result: 'inconsistent' }
  /** The receiver accepted none of the `tried` signatures of mistakes. `isComplete` is false if it stopped responding, or the time was over. */
  | { readonly result: 'rejected'; readonly tried: number; readonly isComplete: boolean };

/** A request that only a receiver with the mistake accepts. */
interface Variant {
  readonly mistake: ProbedMistake;
  /** The headers of the scheme. */
  readonly headers: Readonly<Record<string, string>>;
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
): Promise<SignatureProbe> {
  const { store, rules, wall, workspaces } = sandbox;
  const { signature: scheme } = rules;
  const webhook = store.webhooks.getBySeq(row.webhook_seq);
  const secrets = getSigningSecrets(webhook, workspaces.get(row.workspace_seq).clock.now());
  const body = store.deliveryQueries.getBody(row.seq);
  const timestampMs = wall.now();
  const content = { scheme, secrets, id: row.id, timestampMs, body };
  const request = toDeliveryRequest({ ...webhook, url: row.url }, content);
  const timestamp = formatTimestamp(scheme.timestampFormat, timestampMs);
  const message = { id: row.id, timestamp, body };
  const send = (headers: Readonly<Record<string, string>>) =>
    sender.send({ ...request, headers: { ...request.headers, ...headers } }, rules.delivery);
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
  const otherSecrets = [
    ...listWorkspaceSecrets(store, row.workspace_seq),
    { name: 'the API key', secret: apiKey },
  ];
  let tried = 0;
  for (const { mistake, headers } of [
    ...listDigestVariants({ scheme, message, secrets, otherSecrets }),
    ...listHeaderVariants(scheme, secrets, message, timestampMs),
  ]) {
    signal?.throwIfAborted();
    const { outcome, responseStatus } = await send(headers);
    tried++;
    if (outcome === 'succeeded') {
      // A receiver that was corrected meanwhile accepts the correct signature, and one that verifies nothing accepts any.
      if ((await sendCorrect()).outcome === 'succeeded') return { result: 'accepted' };
      if ((await sendRandom()).outcome === 'succeeded') return { result: 'inconsistent' };
      return { result: 'mistake', mistake };
    }
    // No response, or too many requests.
    if (responseStatus === null || responseStatus === 429 || monotonic() > endsAt) {
      return { result: 'rejected', tried, isComplete: false };
    }
  }
  return { result: 'rejected', tried, isComplete: true };
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

/** One for each mistake in the computation of the digest. */
function listDigestVariants(input: Parameters<typeof listMistakes>[0]): Variant[] {
  const { scheme, message, secrets } = input;
  const [secret = ''] = secrets;
  const correct = toHmacInput(input, secret);
  const digests = new Set([computeHmac(correct).toString(scheme.encoding)]);
  return listMistakes(input).flatMap((mistakes) =>
    mistakes.flatMap((mistake) => {
      const digest = computeHmac({ ...correct, ...mistake.changedInput }).toString(scheme.encoding);
      if (digests.has(digest)) return [];
      digests.add(digest);
      const signature = formatSignatureHeader(scheme, message.timestamp, [digest]);
      return [{ mistake, headers: { [scheme.headers.signature]: signature } }];
    }),
  );
}

/** One for each mistake in reading the headers. */
function listHeaderVariants(
  scheme: SignatureScheme,
  secrets: readonly string[],
  message: { readonly id: string; readonly timestamp: string; readonly body: string },
  timestampMs: number,
): Variant[] {
  const [secret = ''] = secrets;
  const digest = computeDigest(scheme, secret, message);
  const { signature, timestamp } = scheme.headers;
  const forms = [
    [`without the prefix ${scheme.header.prefix}`, digest],
    ...(scheme.encoding === 'hex'
      ? ([['in uppercase', scheme.header.prefix + digest.toUpperCase()]] as const)
      : []),
    ['in base64', scheme.header.prefix + Buffer.from(digest, scheme.encoding).toString('base64')],
    ['in hex', scheme.header.prefix + Buffer.from(digest, scheme.encoding).toString('hex')],
  ] as const;
  const signatures = forms
    .filter(([, value]) => value !== scheme.header.prefix + digest)
    .map(([form, value]) => ({
      mistake: {
        reason: 'encoding_changed',
        description: `the signature in ${signature} was expected ${form}`,
        remedy: `Compare ${signature} with ${scheme.header.prefix} and the digest in ${scheme.encoding}.`,
      } as const,
      headers: { [signature]: value },
    }));
  const singleSignatures =
    secrets.length > 1 && scheme.header.separator !== null
      ? secrets.map((_, index) => ({
          mistake: {
            reason: HEADER_NOT_SPLIT,
            description: `${signature} was expected with only one signature, that of the ${index === 0 ? 'current' : 'previous'} secret`,
            remedy: describeHeaderSplit(scheme),
          } as const,
          headers: createSignatureHeaders(scheme, secrets.slice(index, index + 1), message),
        }))
      : [];
  if (timestamp === null) return [...singleSignatures, ...signatures];
  const times = (['unix', 'unix_ms', 'iso8601'] as const)
    .filter((format) => format !== scheme.timestampFormat)
    .map((format) => ({
      mistake: {
        reason: 'timestamp_unreadable',
        description: `${timestamp} was expected as ${timestampNames[format]}`,
        remedy: `Read ${timestamp} as ${timestampNames[scheme.timestampFormat]}.`,
      } as const,
      headers: createSignatureHeaders(scheme, secrets, {
        ...message,
        timestamp: formatTimestamp(format, timestampMs),
      }),
    }));
  return [...singleSignatures, ...signatures, ...times];
}

/** What a receiver does with the two signatures of a rotation. */
export function describeHeaderSplit({ headers, header: { separator } }: SignatureScheme): string {
  return `Split ${headers.signature} at ${JSON.stringify(separator)}, and accept the delivery if any of its signatures matches.`;
}

export const timestampNames = {
  iso8601: 'ISO 8601 in UTC',
  unix: 'seconds since 1970',
  unix_ms: 'milliseconds since 1970',
} as const satisfies Record<SignatureScheme['timestampFormat'], string>;
