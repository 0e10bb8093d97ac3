/** From a profile and its overrides to plain values. After this no profile and no row is looked at again. */

import type { Environment } from '../domain/access.ts';
import { MAX_RETRY_GAP_MS, RETRY_WINDOW_MS } from '../domain/retry-policy.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { getScheme, type SchemeName, schemes } from '../domain/signature/schemes.ts';
import { answerGaps, type Overrides } from './answer-gaps.ts';
import type { Answers } from './gaps.ts';
import type { ProfileName, Rules } from './rules.ts';

/**
 * The plain values that a profile with its overrides stands for.
 * @param scheme whose signatures deliveries carry; the rows `signature.*` are about `svc`.
 * @throws SvcError `validation_failed` that names the path of what is not acceptable, such as
 *   `overrides["retry.schedule"][2]`, and what is.
 */
export function resolveRules(
  profile: ProfileName,
  overrides: Overrides = {},
  environment: Environment = 'sandbox',
  scheme: SchemeName | SignatureScheme = 'svc',
): Rules {
  const answers = Object.entries(answerGaps(profile, overrides, environment)).map(([id, { value }]) => [
    id,
    value,
  ]);
  return toRules(profile, Object.fromEntries(answers) as Answers, scheme);
}

function toRules(profile: ProfileName, answers: Answers, scheme: SchemeName | SignatureScheme): Rules {
  return {
    profile,
    signature: scheme === 'svc' ? toSignatureScheme(answers) : getScheme(scheme),
    signatureToleranceMs: answers['signature.tolerance'],
    payloadMember: answers['event.body'],
    eventCatalogue: answers['event.catalogue'],
    webhookUrl: answers['webhook.url'],
    wildcard: answers['webhook.wildcard'],
    delivery: {
      connectTimeoutMs: answers['delivery.timeout'].connect,
      attemptTimeoutMs: answers['delivery.timeout'].attempt,
      responseLimitBytes: answers['delivery.response'],
      concurrencyPerEndpoint: answers['delivery.concurrency'].per_endpoint,
      concurrency: answers['delivery.concurrency'].total,
    },
    retry: {
      gapsMs: answers['retry.schedule'],
      windowMs: RETRY_WINDOW_MS,
      maxGapMs: MAX_RETRY_GAP_MS,
      jitter: answers['retry.jitter'],
      heedRetryAfter: answers['retry.after'] === 'heeded',
      stopAtGone: answers['retry.410'] === 'stop',
    },
    replayFailure: answers['replay.failed'],
    idempotency: {
      scope: answers['idempotency.scope'].unique_within,
      retentionMs: answers['idempotency.scope'].retention,
    },
    list: {
      workspaceParameter: answers['list.workspace'],
      defaultLimit: answers['list.limit'].default,
      maxLimit: answers['list.limit'].max,
    },
    readScopes: answers['key.scopes'],
    rateLimit: toRateLimit(answers['rate.limit']),
    bodyLimitBytes: answers['body.limit'],
  };
}

/** The service's own scheme, with the answers of the rows `signature.*` in their places. */
function toSignatureScheme(answers: Answers): SignatureScheme {
  const { hash, key } = answers['signature.algorithm'];
  return {
    ...schemes.svc,
    algorithm: hash,
    key: key === 'utf8' ? { form: 'utf8' } : { form: 'base64', prefix: 'whsec_' },
    content: answers['signature.content'],
    ...toHeaderGrammar(answers['signature.header'], hash),
    timestampFormat: answers['signature.timestamp'],
  };
}

function toHeaderGrammar(
  grammar: Answers['signature.header'],
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

function toRateLimit(limit: Answers['rate.limit']): Rules['rateLimit'] {
  return limit && { perSecond: limit.per_second, burst: limit.burst };
}
