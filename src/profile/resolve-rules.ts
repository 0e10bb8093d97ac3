/** Resolves a profile and its overrides to plain values. Nothing reads the profile or the register afterwards. */

import type { Environment } from '../domain/environment.ts';
import { MAX_RETRY_GAP_MS, RETRY_WINDOW_MS } from '../domain/retry-policy.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { getScheme, type SchemeName, schemes } from '../domain/signature/schemes.ts';
import type { GapValues } from './gaps.ts';
import { applyOverrides, type Overrides } from './overrides.ts';
import type { ProfileName, Rules } from './rules.ts';

/**
 * The plain values of a profile with overrides.
 * @param scheme of the signatures; the gaps `signature.*` describe the scheme `svc`.
 * @throws SvcError `validation_failed` that names the path of the invalid value, such as
 *   `overrides["retry.schedule"][2]`, and what is accepted.
 */
export function resolveRules(
  profile: ProfileName,
  overrides: Overrides = {},
  environment: Environment = 'sandbox',
  scheme: SchemeName | SignatureScheme = 'svc',
): Rules {
  const answers = Object.entries(applyOverrides(profile, overrides, environment)).map(([id, { value }]) => [
    id,
    value,
  ]);
  return toRules(profile, Object.fromEntries(answers) as GapValues, scheme);
}

function toRules(profile: ProfileName, gapValues: GapValues, scheme: SchemeName | SignatureScheme): Rules {
  return {
    profile,
    signature: scheme === 'svc' ? toSignatureScheme(gapValues) : getScheme(scheme),
    signatureToleranceMs: gapValues['signature.tolerance'],
    payloadMember: gapValues['event.body'],
    eventCatalogue: gapValues['event.catalogue'],
    webhookUrl: gapValues['webhook.url'],
    wildcard: gapValues['webhook.wildcard'],
    delivery: {
      connectTimeoutMs: gapValues['delivery.timeout'].connect,
      attemptTimeoutMs: gapValues['delivery.timeout'].attempt,
      responseLimitBytes: gapValues['delivery.response'],
      concurrencyPerEndpoint: gapValues['delivery.concurrency'].per_endpoint,
      concurrency: gapValues['delivery.concurrency'].total,
    },
    retry: {
      gapsMs: gapValues['retry.schedule'],
      windowMs: RETRY_WINDOW_MS,
      maxGapMs: MAX_RETRY_GAP_MS,
      jitter: gapValues['retry.jitter'],
      honorRetryAfter: gapValues['retry.after'] === 'heeded',
      stopOn410: gapValues['retry.410'] === 'stop',
    },
    replayFailure: gapValues['replay.failed'],
    idempotency: {
      scope: gapValues['idempotency.scope'].unique_within,
      retentionMs: gapValues['idempotency.scope'].retention,
    },
    list: {
      workspaceParameter: gapValues['list.workspace'],
      defaultLimit: gapValues['list.limit'].default,
      maxLimit: gapValues['list.limit'].max,
    },
    readScopes: gapValues['key.scopes'],
    rateLimit: toRateLimit(gapValues['rate.limit']),
    bodyLimitBytes: gapValues['body.limit'],
  };
}

/** The scheme of the service with the answers to the gaps `signature.*`. */
function toSignatureScheme(gapValues: GapValues): SignatureScheme {
  const { hash, key } = gapValues['signature.algorithm'];
  return {
    ...schemes.svc,
    algorithm: hash,
    key: key === 'utf8' ? { form: 'utf8' } : { form: 'base64', prefix: 'whsec_' },
    content: gapValues['signature.content'],
    ...toHeaderGrammar(gapValues['signature.header'], hash),
    timestampFormat: gapValues['signature.timestamp'],
  };
}

function toHeaderGrammar(
  grammar: GapValues['signature.header'],
  hash: string,
): Pick<SignatureScheme, 'encoding' | 'header'> {
  const [encoding, prefix, separator] = (
    {
      'v1=<hex>': ['hex', 'v1=', ','],
      '<hex>': ['hex', '', ','],
      '<base64>': ['base64', '', ','],
      '<hash>=<hex>': ['hex', `${hash}=`, ','],
      'v1,<base64>': ['base64', 'v1,', ' '],
    } as const
  )[grammar];
  return { encoding, header: { prefix, separator, timestampField: null } };
}

function toRateLimit(limit: GapValues['rate.limit']): Rules['rateLimit'] {
  return limit && { perSecond: limit.per_second, burst: limit.burst };
}
