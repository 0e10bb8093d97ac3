import { describe, expect, it } from 'vitest';
import { schemes } from '../../src/domain/signature/schemes.ts';
import { SvcError } from '../../src/errors.ts';
import { configurableGapIds, resolveRules } from '../../src/profile/resolve-rules.ts';
import type { Rules } from '../../src/profile/rules.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const relaxed: Rules = {
  profile: 'relaxed',
  signature: schemes.svc,
  signatureToleranceMs: 300_000,
  payloadField: 'payload',
  eventCatalog: 'open',
  webhookLimit: 100,
  webhookUrl: 'local',
  wildcard: 'accepted',
  delivery: {
    connectTimeoutMs: 5_000,
    attemptTimeoutMs: 15_000,
    responseLimitBytes: 65_536,
    concurrencyPerEndpoint: 8,
    concurrency: 64,
  },
  retry: {
    delaysMs: [300_000, 1_800_000, 2 * HOUR, 6 * HOUR, 12 * HOUR, DAY, DAY],
    windowMs: 72 * HOUR,
    maxDelayMs: DAY,
    jitter: 0,
    honorRetryAfter: true,
    stopOn410: false,
  },
  replayFailure: 'keeps_success',
  idempotency: { scope: 'api_key_method_path', retentionMs: DAY },
  list: { workspaceParameter: 'workspace_id', defaultLimit: 20, maxLimit: 100 },
  readScopes: 'required',
  rateLimit: null,
  bodyLimitBytes: 262_144,
};

/** The rules of the profile relaxed with one override. */
function override(id: string, value: unknown): Rules {
  return resolveRules('relaxed', { [id]: value });
}

function getError(overrides: Record<string, unknown>): SvcError {
  try {
    resolveRules('relaxed', overrides);
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(overrides)} was accepted`);
}

describe('profiles', () => {
  it('the profile relaxed has the rules for development and CI', () => {
    expect(resolveRules('relaxed')).toEqual(relaxed);
  });

  it('the profile strict differs in five gaps [event.catalog, webhook.url, webhook.wildcard, retry.jitter, rate.limit]', () => {
    expect(resolveRules('strict')).toEqual({
      ...relaxed,
      profile: 'strict',
      eventCatalog: 'closed',
      webhookUrl: 'public',
      wildcard: 'rejected_in_production',
      retry: { ...relaxed.retry, jitter: 0.1 },
      rateLimit: { perSecond: 100, burst: 200 },
    });
  });

  it('the production environment requires public HTTPS and no wildcard under both profiles [webhook.url, webhook.wildcard]', () => {
    const production = { webhookUrl: 'public', wildcard: 'rejected_in_production' };
    expect(resolveRules('relaxed', {}, 'production')).toEqual({ ...relaxed, ...production });
    expect(resolveRules('strict', {}, 'production')).toEqual(resolveRules('strict'));
  });

  it('an override takes precedence over the environment', () => {
    expect(resolveRules('relaxed', { 'webhook.url': 'local' }, 'production').webhookUrl).toBe('local');
  });
});

describe('each choice of a gap resolves to its value', () => {
  it.each(['{timestamp}.{body}', '{id}.{timestamp}.{body}', '{body}', 'v0:{timestamp}:{body}'])(
    'the signature content can be %s [signature.content]',
    (content) => {
      expect(override('signature.content', content).signature).toEqual({ ...schemes.svc, content });
    },
  );

  it.each(['sha256', 'sha512', 'sha1'])('the signature hash can be %s [signature.algorithm]', (hash) => {
    expect(override('signature.algorithm', { hash }).signature).toEqual({ ...schemes.svc, algorithm: hash });
  });

  it.each([
    ['utf8', { form: 'utf8' }],
    ['base64', { form: 'base64', prefix: 'whsec_' }],
  ])('the signature key can be %s [signature.algorithm]', (key, expected) => {
    expect(override('signature.algorithm', { key }).signature).toEqual({ ...schemes.svc, key: expected });
  });

  it.each([
    ['v1=<hex>', 'hex', 'v1=', ','],
    ['<hex>', 'hex', '', ','],
    ['<base64>', 'base64', '', ','],
    ['<hash>=<hex>', 'hex', 'sha256=', ','],
    ['v1,<base64>', 'base64', 'v1,', ' '],
  ])('the signature header can be %s [signature.header]', (grammar, encoding, prefix, separator) => {
    expect(override('signature.header', grammar).signature).toEqual({
      ...schemes.svc,
      encoding,
      header: { prefix, separator, timestampField: null },
    });
  });

  it('the signature header can contain the name of another hash [signature.header, signature.algorithm]', () => {
    const { signature } = resolveRules('relaxed', {
      'signature.header': '<hash>=<hex>',
      'signature.algorithm': { hash: 'sha1' },
    });
    expect(signature.header.prefix).toBe('sha1=');
  });

  it.each(['iso8601', 'unix'])(
    'the signature timestamp can be %s [signature.timestamp]',
    (timestampFormat) => {
      expect(override('signature.timestamp', timestampFormat).signature).toEqual({
        ...schemes.svc,
        timestampFormat,
      });
    },
  );

  it.each([
    ['1s', 1_000],
    ['90s', 90_000],
    ['24h', DAY],
  ])('the signature tolerance can be %s [signature.tolerance]', (written, ms) => {
    expect(override('signature.tolerance', written)).toEqual({ ...relaxed, signatureToleranceMs: ms });
  });

  it.each(['payload', 'data'] as const)(
    'the payload field of an event can be %s [event.body]',
    (payloadField) => {
      expect(override('event.body', payloadField)).toEqual({ ...relaxed, payloadField });
    },
  );

  it.each(['open', 'closed'] as const)('the event catalog can be %s [event.catalog]', (eventCatalog) => {
    expect(override('event.catalog', eventCatalog)).toEqual({ ...relaxed, eventCatalog });
  });

  it('the limit of endpoints in a workspace can be from 1 to 1,000 [webhook.limit]', () => {
    for (const webhookLimit of [1, 1_000]) {
      expect(override('webhook.limit', webhookLimit)).toEqual({ ...relaxed, webhookLimit });
    }
    for (const webhookLimit of [0, 1_001]) {
      expect(getError({ 'webhook.limit': webhookLimit })).toMatchObject({
        hint: { text: expect.stringContaining('a whole number from 1 to 1000') },
      });
    }
  });

  it.each(['local', 'public'] as const)('the rule for webhook URLs can be %s [webhook.url]', (webhookUrl) => {
    expect(override('webhook.url', webhookUrl)).toEqual({ ...relaxed, webhookUrl });
  });

  it.each(['accepted', 'rejected_in_production', 'rejected'] as const)(
    'the rule for wildcards can be %s [webhook.wildcard]',
    (wildcard) => {
      expect(override('webhook.wildcard', wildcard)).toEqual({ ...relaxed, wildcard });
    },
  );

  it.each([
    [{ connect: '250ms', attempt: '3s' }, 250, 3_000],
    [{ connect: '1s' }, 1_000, 15_000],
    [{ attempt: '1m' }, 5_000, 60_000],
  ])('the delivery timeout can be %j [delivery.timeout]', (written, connectTimeoutMs, attemptTimeoutMs) => {
    const { delivery } = override('delivery.timeout', written);
    expect(delivery).toEqual({ ...relaxed.delivery, connectTimeoutMs, attemptTimeoutMs });
  });

  it.each([
    ['0B', 0],
    ['1MiB', 1_048_576],
  ])('the response limit can be %s [delivery.response]', (written, responseLimitBytes) => {
    const { delivery } = override('delivery.response', written);
    expect(delivery).toEqual({ ...relaxed.delivery, responseLimitBytes });
  });

  it.each([
    [{ per_endpoint: 1, total: 2 }, 1, 2],
    [{ total: 1_000 }, 8, 1_000],
  ])(
    'the delivery concurrency can be %j [delivery.concurrency]',
    (written, concurrencyPerEndpoint, concurrency) => {
      const { delivery } = override('delivery.concurrency', written);
      expect(delivery).toEqual({ ...relaxed.delivery, concurrencyPerEndpoint, concurrency });
    },
  );

  it.each([
    [['1s'], [1_000]],
    [
      ['5m', '1h30m'],
      [300_000, 5_400_000],
    ],
    [
      ['24h', '24h', '24h'],
      [DAY, DAY, DAY],
    ],
  ])('the retry schedule can be %j [retry.schedule]', (written, delaysMs) => {
    expect(override('retry.schedule', written).retry).toEqual({ ...relaxed.retry, delaysMs });
  });

  it.each([0, 0.25, 0.5])('the jitter can be %d [retry.jitter]', (jitter) => {
    expect(override('retry.jitter', jitter).retry).toEqual({ ...relaxed.retry, jitter });
  });

  it.each([
    ['honored', true],
    ['ignored', false],
  ])('the header Retry-After can be %s [retry.after]', (written, honorRetryAfter) => {
    expect(override('retry.after', written).retry).toEqual({ ...relaxed.retry, honorRetryAfter });
  });

  it.each(['keeps_success', 'fails'] as const)(
    'the rule for a failed replay of a succeeded delivery can be %s [replay.failed]',
    (choice) => {
      expect(override('replay.failed', choice).replayFailure).toBe(choice);
    },
  );

  it.each([
    ['failure', false],
    ['stop', true],
  ])('the rule for status 410 can be %s [retry.410]', (written, stopOn410) => {
    expect(override('retry.410', written).retry).toEqual({ ...relaxed.retry, stopOn410 });
  });

  it.each([
    [{ unique_within: 'api_key_method_path' }, 'api_key_method_path', DAY],
    [{ unique_within: 'api_key' }, 'api_key', DAY],
    [{ retention: '1m' }, 'api_key_method_path', 60_000],
  ])('the idempotency scope can be %j [idempotency.scope]', (written, scope, retentionMs) => {
    expect(override('idempotency.scope', written).idempotency).toEqual({ scope, retentionMs });
  });

  it.each(['workspace_id', 'workspace'] as const)(
    'the workspace parameter of lists can be %s [list.workspace]',
    (workspaceParameter) => {
      expect(override('list.workspace', workspaceParameter).list).toEqual({
        ...relaxed.list,
        workspaceParameter,
      });
    },
  );

  it.each([
    [{ default: 5, max: 10 }, 5, 10],
    [{ max: 1_000 }, 20, 1_000],
    [{ default: 100 }, 100, 100],
  ])('the page limit can be %j [list.limit]', (written, defaultLimit, maxLimit) => {
    expect(override('list.limit', written).list).toEqual({ ...relaxed.list, defaultLimit, maxLimit });
  });

  it.each(['required', 'not_required'] as const)('the read scopes can be %s [key.scopes]', (readScopes) => {
    expect(override('key.scopes', readScopes)).toEqual({ ...relaxed, readScopes });
  });

  it.each([
    ['off', null],
    [
      { per_second: 5, burst: 10 },
      { perSecond: 5, burst: 10 },
    ],
  ])('the rate limit can be %j [rate.limit]', (written, rateLimit) => {
    expect(override('rate.limit', written)).toEqual({ ...relaxed, rateLimit });
  });

  it('an override can change a part of the rate limit of the profile strict [rate.limit]', () => {
    const { rateLimit } = resolveRules('strict', { 'rate.limit': { burst: 1_000 } });
    expect(rateLimit).toEqual({ perSecond: 100, burst: 1_000 });
  });

  it.each([
    ['1KiB', 1_024],
    ['10MiB', 10_485_760],
  ])('the body limit can be %s [body.limit]', (written, bodyLimitBytes) => {
    expect(override('body.limit', written)).toEqual({ ...relaxed, bodyLimitBytes });
  });
});

describe('invalid overrides', () => {
  it.each(configurableGapIds)('an override of %s with an invalid value is refused with its path', (id) => {
    const { code, message, hint } = getError({ [id]: null });
    expect(code).toBe('validation_failed');
    expect(message).toBe(`Invalid value for overrides["${id}"]: null`);
    expect(hint).toEqual({
      text: expect.stringMatching(/^Set it to .*\. List all gaps and their choices$/),
      command: 'svc gaps',
    });
  });

  it.each([
    [
      'a template without the body',
      'signature.content',
      '{timestamp}',
      ...[': "{timestamp}"', 'a string that contains {body}'],
    ],
    [
      'an unknown placeholder',
      'signature.content',
      '{body}{secret}',
      ...[': "{body}{secret}"', 'a string that contains {body}'],
    ],
    ['a gap above 24 hours', 'retry.schedule', ['5m', '1h', '25h'], '[2]: "25h"', 'a duration from 1s to 1d'],
    ['a gap of zero', 'retry.schedule', ['0s'], '[0]: "0s"', 'a duration from 1s to 1d'],
    [
      'gaps beyond the window',
      'retry.schedule',
      ['24h', '24h', '24h', '1s'],
      ...[': [', ', with a sum of at most 72h'],
    ],
    ['no gaps', 'retry.schedule', [], ': []', 'a list of at least one item'],
    ['a jitter above one half', 'retry.jitter', 0.6, ': 0.6', 'a number from 0 to 0.5'],
    ['a part of a rate limit that is off', 'rate.limit', { burst: 5 }, ...['.per_second', 'a whole number']],
    [
      'a default page limit above the maximum',
      'list.limit',
      { max: 10 },
      ...[': {', ', where "default" is at most "max"'],
    ],
    [
      'an unknown hash',
      'signature.algorithm',
      { hash: 'md5' },
      ...['.hash: "md5"', 'one of "sha256", "sha512", "sha1"'],
    ],
  ] as [string, string, unknown, string, string][])(
    'an override with %s is refused',
    (_, id, value, problem, expected) => {
      const error = getError({ [id]: value });
      expect(error.message).toContain(`value for overrides["${id}"]${problem}`);
      expect(error.hint?.text).toContain(expected);
    },
  );

  it('an override of a gap that does not exist is refused with the closest name', () => {
    const error = getError({ 'retry.shedule': ['5m'] });
    expect(error.message).toBe('overrides has no field "retry.shedule".');
    expect(error.hint).toEqual({ text: 'Did you mean "retry.schedule"?' });
    expect(getError({ constructor: 1 }).hint).toEqual({
      text: 'List all gaps and their choices',
      command: 'svc gaps',
    });
    expect(getError(JSON.parse('{"__proto__": 1}')).message).toBe('overrides has no field "__proto__".');
  });

  it('an override of a fixed gap is refused', () => {
    expect(getError({ 'list.filter': 'none' }).message).toBe(
      'overrides["list.filter"] cannot be overridden. Its answer is fixed: `type`, exact match.',
    );
  });
});
