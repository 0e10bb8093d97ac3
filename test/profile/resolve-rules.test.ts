import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import type { ConfigurableGapId } from '../../src/profile/gaps.ts';
import { configurableGapIds, resolveRules } from '../../src/profile/resolve-rules.ts';
import type { Rules } from '../../src/profile/rules.ts';
import { senders } from '../../src/profile/senders.ts';
import { signatureAlgorithms } from '../../src/signature/scheme.ts';
import { schemes } from '../../src/signature/schemes.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const relaxed: Rules = {
  profile: 'relaxed',
  sender: senders.svc,
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
    maxRetries: null,
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

/** A gap, an answer as the configuration contains it, and the rules that differ. */
type Choice = readonly [id: ConfigurableGapId, written: unknown, rules: Partial<Rules>];

const signature = (changes: Partial<Rules['signature']>) => ({ signature: { ...schemes.svc, ...changes } });
const signatureHeader = (encoding: 'hex' | 'base64', prefix: string, separator: string) =>
  signature({ encoding, header: { prefix, separator, timestampField: null } });
const delivery = (changes: Partial<Rules['delivery']>) => ({
  delivery: { ...relaxed.delivery, ...changes },
});
const retry = (changes: Partial<Rules['retry']>) => ({ retry: { ...relaxed.retry, ...changes } });
const idempotency = (changes: Partial<Rules['idempotency']>) => ({
  idempotency: { ...relaxed.idempotency, ...changes },
});
const list = (changes: Partial<Rules['list']>) => ({ list: { ...relaxed.list, ...changes } });

const signatureChoices: readonly Choice[] = [
  ...['{timestamp}.{body}', '{id}.{timestamp}.{body}', '{body}', 'v0:{timestamp}:{body}'].map(
    (content): Choice => ['signature.content', content, signature({ content })],
  ),
  ...signatureAlgorithms.map(
    (hash): Choice => ['signature.algorithm', { hash }, signature({ algorithm: hash })],
  ),
  ['signature.algorithm', { key: 'utf8' }, signature({ key: { form: 'utf8' } })],
  ['signature.algorithm', { key: 'base64' }, signature({ key: { form: 'base64', prefix: 'whsec_' } })],
  ['signature.header', 'v1=<hex>', signatureHeader('hex', 'v1=', ',')],
  ['signature.header', '<hex>', signatureHeader('hex', '', ',')],
  ['signature.header', '<base64>', signatureHeader('base64', '', ',')],
  ['signature.header', '<hash>=<hex>', signatureHeader('hex', 'sha256=', ',')],
  ['signature.header', 'v1,<base64>', signatureHeader('base64', 'v1,', ' ')],
  ['signature.timestamp', 'iso8601', signature({ timestampFormat: 'iso8601' })],
  ['signature.timestamp', 'unix', signature({ timestampFormat: 'unix' })],
  ['signature.tolerance', '1s', { signatureToleranceMs: 1_000 }],
  ['signature.tolerance', '24h', { signatureToleranceMs: DAY }],
];

const resourceChoices: readonly Choice[] = [
  ['event.body', 'payload', {}],
  ['event.body', 'data', { payloadField: 'data' }],
  ['event.catalog', 'open', {}],
  ['event.catalog', 'closed', { eventCatalog: 'closed' }],
  ['webhook.limit', 1, { webhookLimit: 1 }],
  ['webhook.limit', 1_000, { webhookLimit: 1_000 }],
  ['webhook.url', 'local', {}],
  ['webhook.url', 'public', { webhookUrl: 'public' }],
  ['webhook.wildcard', 'accepted', {}],
  ['webhook.wildcard', 'rejected_in_production', { wildcard: 'rejected_in_production' }],
  ['webhook.wildcard', 'rejected', { wildcard: 'rejected' }],
];

const deliveryChoices: readonly Choice[] = [
  [
    'delivery.timeout',
    { connect: '250ms', attempt: '3s' },
    delivery({ connectTimeoutMs: 250, attemptTimeoutMs: 3_000 }),
  ],
  ['delivery.timeout', { connect: '1s' }, delivery({ connectTimeoutMs: 1_000 })],
  ['delivery.response', '0B', delivery({ responseLimitBytes: 0 })],
  ['delivery.response', '1MiB', delivery({ responseLimitBytes: 1_048_576 })],
  [
    'delivery.concurrency',
    { per_endpoint: 1, total: 2 },
    delivery({ concurrencyPerEndpoint: 1, concurrency: 2 }),
  ],
  ['delivery.concurrency', { total: 1_000 }, delivery({ concurrency: 1_000 })],
  ['retry.schedule', ['1s'], retry({ delaysMs: [1_000] })],
  ['retry.schedule', ['5m', '1h30m'], retry({ delaysMs: [300_000, 5_400_000] })],
  ['retry.schedule', ['24h', '24h', '24h'], retry({ delaysMs: [DAY, DAY, DAY] })],
  ...[0, 0.25, 0.5].map((jitter): Choice => ['retry.jitter', jitter, retry({ jitter })]),
  ['retry.after', 'honored', {}],
  ['retry.after', 'ignored', retry({ honorRetryAfter: false })],
  ['retry.410', 'failure', {}],
  ['retry.410', 'stop', retry({ stopOn410: true })],
  ['replay.failed', 'keeps_success', {}],
  ['replay.failed', 'fails', { replayFailure: 'fails' }],
];

const apiChoices: readonly Choice[] = [
  ['idempotency.scope', { unique_within: 'api_key_method_path' }, {}],
  ['idempotency.scope', { unique_within: 'api_key' }, idempotency({ scope: 'api_key' })],
  ['idempotency.scope', { retention: '1m' }, idempotency({ retentionMs: 60_000 })],
  ['list.workspace', 'workspace_id', {}],
  ['list.workspace', 'workspace', list({ workspaceParameter: 'workspace' })],
  ['list.limit', { default: 5, max: 10 }, list({ defaultLimit: 5, maxLimit: 10 })],
  ['list.limit', { max: 1_000 }, list({ maxLimit: 1_000 })],
  ['list.limit', { default: 100 }, list({ defaultLimit: 100 })],
  ['key.scopes', 'required', {}],
  ['key.scopes', 'not_required', { readScopes: 'not_required' }],
  ['rate.limit', 'off', {}],
  ['rate.limit', { per_second: 5, burst: 10 }, { rateLimit: { perSecond: 5, burst: 10 } }],
  ['body.limit', '1KiB', { bodyLimitBytes: 1_024 }],
  ['body.limit', '10MiB', { bodyLimitBytes: 10_485_760 }],
];

describe('each choice of a gap resolves to its value', () => {
  const expectChoice = (id: ConfigurableGapId, written: unknown, rules: Partial<Rules>) =>
    expect(resolveRules('relaxed', { [id]: written })).toEqual({ ...relaxed, ...rules });

  it('the choices contain each gap that can be overridden', () => {
    const choices = [...signatureChoices, ...resourceChoices, ...deliveryChoices, ...apiChoices];
    const ids = new Set(choices.map(([id]) => id));
    expect([...ids].sort()).toEqual(configurableGapIds.toSorted());
  });

  it.each(signatureChoices)(
    'the gap %s can be %j [signature.content, signature.algorithm, signature.header, signature.timestamp, signature.tolerance]',
    expectChoice,
  );

  it.each(resourceChoices)(
    'the gap %s can be %j [event.body, event.catalog, webhook.limit, webhook.url, webhook.wildcard]',
    expectChoice,
  );

  it.each(deliveryChoices)(
    'the gap %s can be %j [delivery.timeout, delivery.response, delivery.concurrency, retry.schedule, retry.jitter, retry.after, retry.410, replay.failed]',
    expectChoice,
  );

  it.each(apiChoices)(
    'the gap %s can be %j [idempotency.scope, list.workspace, list.limit, key.scopes, rate.limit, body.limit]',
    expectChoice,
  );

  it('the signature header can contain the name of another hash [signature.header, signature.algorithm]', () => {
    const { signature } = resolveRules('relaxed', {
      'signature.header': '<hash>=<hex>',
      'signature.algorithm': { hash: 'sha1' },
    });
    expect(signature.header.prefix).toBe('sha1=');
  });

  it('an override can change a part of the rate limit of the profile strict [rate.limit]', () => {
    const { rateLimit } = resolveRules('strict', { 'rate.limit': { burst: 1_000 } });
    expect(rateLimit).toEqual({ perSecond: 100, burst: 1_000 });
  });
});

describe('invalid overrides', () => {
  it.each(configurableGapIds)('an override of %s with an invalid value is refused with its path', (id) => {
    const { code, message, hint } = getError({ [id]: null });
    expect(code).toBe('validation_failed');
    expect(message).toBe(`Invalid value for overrides["${id}"]: null`);
    expect(hint).toEqual({ text: expect.stringMatching(/^Set it to .*\.$/) });
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
    ['another parameter', 'list.workspace', 'limit', ': "limit"', 'other than starting_after, limit and'],
    ['an invalid name', 'list.workspace', 'a-b', ': "a-b"', 'the name of a query parameter'],
    ['no gaps', 'retry.schedule', [], ': []', 'a list of at least one item'],
    ['no endpoints', 'webhook.limit', 0, ': 0', 'a whole number from 1 to 1000'],
    ['more than a thousand endpoints', 'webhook.limit', 1_001, ': 1001', 'a whole number from 1 to 1000'],
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
    expect(getError({ constructor: 1 }).hint?.text).toBe('Use an ID from docs/gaps.md.');
    expect(getError(JSON.parse('{"__proto__": 1}')).message).toBe('overrides has no field "__proto__".');
  });

  it('an override of a fixed gap is refused', () => {
    expect(getError({ version: 'none' }).message).toBe(
      'overrides["version"] cannot be overridden. Its answer is fixed: 404.',
    );
  });
});
