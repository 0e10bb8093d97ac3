/** The rules of an emulator: the answers to the gaps as plain values. docs/gaps.md explains the gaps that they come from. */
import { MAX_RETRY_DELAY_MS, RETRY_WINDOW_MS } from '../domain/retry-policy.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { schemes } from '../signature/schemes.ts';
import type { ProfileName } from './gap.ts';
import { signatureHeaderFormats, signatureKeys } from './gaps/signature-gaps.ts';
import type { GapValues } from './gaps.ts';
import type { WebhookSender } from './senders.ts';

export type Rules = Readonly<ReturnType<typeof toRules>>;

export function toRules(profile: ProfileName, gapValues: GapValues, sender: WebhookSender) {
  const delaysMs = sender.retryDelaysMs ?? gapValues['retry.schedule'];
  const limit = gapValues['rate.limit'];
  const scheduleMs = delaysMs.reduce((sum, delayMs) => sum + delayMs, 0);
  return {
    /** For display only: the other values follow from it. */
    profile,
    sender,
    signature: sender.scheme === schemes.svc ? toSignatureScheme(gapValues) : sender.scheme,
    signatureToleranceMs: gapValues['signature.tolerance'],
    /** The field of `POST /events` that carries the payload. */
    payloadField: gapValues['event.body'],
    eventCatalog: gapValues['event.catalog'],
    webhookLimit: gapValues['webhook.limit'],
    webhookUrl: gapValues['webhook.url'],
    wildcard: gapValues['webhook.wildcard'],
    delivery: {
      connectTimeoutMs: gapValues['delivery.timeout'].connect,
      attemptTimeoutMs: gapValues['delivery.timeout'].attempt,
      /** Of the receiver's response, as it is stored. */
      responseLimitBytes: gapValues['delivery.response'],
      concurrencyPerEndpoint: gapValues['delivery.concurrency'].per_endpoint,
      concurrency: gapValues['delivery.concurrency'].total,
    },
    retry: {
      delaysMs,
      maxRetries: sender.retryDelaysMs?.length ?? null,
      // The schedule of a sender ends before, even with jitter.
      windowMs: Math.max(RETRY_WINDOW_MS, sender.retryDelaysMs === null ? 0 : 2 * scheduleMs),
      maxDelayMs: MAX_RETRY_DELAY_MS,
      jitter: gapValues['retry.jitter'],
      honorRetryAfter: gapValues['retry.after'] === 'honored',
      stopOn410: gapValues['retry.410'] === 'stop',
    },
    replayFailure: gapValues['replay.failed'],
    idempotency: {
      /** What must be the same, in addition to the idempotency key, in a repeated request. */
      scope: gapValues['idempotency.scope'].unique_within,
      retentionMs: gapValues['idempotency.scope'].retention,
    },
    list: {
      workspaceParameter: gapValues['list.workspace'],
      defaultLimit: gapValues['list.limit'].default,
      maxLimit: gapValues['list.limit'].max,
    },
    readScopes: gapValues['key.scopes'],
    /** For each API key; null for no limit. */
    rateLimit: limit && { perSecond: limit.per_second, burst: limit.burst },
    bodyLimitBytes: gapValues['body.limit'],
  };
}

/** The scheme `svc` with the answers to the gaps `signature.*`. */
export function toSignatureScheme(gapValues: GapValues): SignatureScheme {
  const { hash, key } = gapValues['signature.algorithm'];
  return {
    ...schemes.svc,
    algorithm: hash,
    key: signatureKeys[key],
    content: gapValues['signature.content'],
    ...toHeaderFormat(gapValues['signature.header'], hash),
    timestampFormat: gapValues['signature.timestamp'],
  };
}

function toHeaderFormat(
  format: GapValues['signature.header'],
  hash: string,
): Pick<SignatureScheme, 'encoding' | 'header'> {
  const { encoding, prefix, separator, timestampField } = signatureHeaderFormats[format];
  return { encoding, header: { prefix: prefix.replace('<hash>', hash), separator, timestampField } };
}
