/** What the checks of single deliveries send, and what it means if a receiver does not accept a valid one. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listSignatureChecks } from '../../../src/receivers/checks/signature-checks.ts';
import { verifyReceivedRequest } from '../../../src/receivers/received-request.ts';
import type { CheckId } from '../../../src/receivers/receiver-check.ts';
import { listChecks } from '../../../src/receivers/run-checks.ts';
import { type SchemeName, schemes } from '../../../src/signature/schemes.ts';
import { createSignatureHeaders } from '../../../src/signature/sign.ts';
import { verifyMessage } from '../../../src/signature/verify.ts';
import { checkReceiver } from '../check-receiver.ts';
import { API_KEY, type ReceiverParts, type Receiving, SECRET } from '../configurable-receiver.ts';
import { startInProcessReceiver, useVirtualTime } from '../in-process-receiver.ts';

vi.mock('../../../src/platform/timers.ts', () => import('../../support/fakeable-timers.ts'));
vi.mock('../../../src/receivers/receiver-client.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  createReceiverClient: (await import('../in-process-receiver.ts')).createInProcessClient,
}));

beforeEach(useVirtualTime);
afterEach(() => {
  vi.useRealTimers();
});

/** The last delivery that a correct receiver gets from the check with this ID, and the result. */
async function run(id: CheckId) {
  const received: (Receiving & { readonly at: number })[] = [];
  await using receiver = await startInProcessReceiver({
    beforeVerifying: (receiving) => void received.push({ ...receiving, at: Date.now() }),
  });
  const { checks } = await checkReceiver({ url: receiver.url, only: [id] });
  const [last] = received.slice(-1);
  if (last === undefined) throw new Error(`${id} sent nothing`);
  const { ok } = verifyReceivedRequest(last, { secret: SECRET });
  const { headers, rawHeaders, at } = last;
  return { body: last.body.toString(), headers, rawHeaders, at, isValid: ok, status: checks[0]?.status };
}

const serialized = (body: string) => JSON.stringify(JSON.parse(body));

describe('a delivery that a correct receiver accepts', () => {
  it.each<[CheckId, (body: string) => boolean]>([
    ['raw-body.white-space', (body) => /^\{\n {2}"[\s\S]*\}\n$/.test(body) && serialized(body) !== body],
    ['raw-body.unicode-escape', (body) => /\\u00[67][\da-f]/.test(body) && serialized(body) !== body],
    ['raw-body.big-number', (body) => body.includes(':9007199254740993') && serialized(body) !== body],
    ['raw-body.non-ascii', (body) => body.includes('"Zürich 東京 😀"')],
    ['raw-body.decomposed', (body) => body.includes('"Zu\u0308rich"') && body.normalize('NFC') !== body],
    ['robustness.unknown-type', (body) => JSON.parse(body).type === 'svc_test.unknown'],
    ['robustness.unknown-field', (body) => body.includes('"svc_test":{"is":"unknown"}')],
    ['robustness.big-number', (body) => body.includes('"svc_test":9007199254740992')],
    ['robustness.large-body', (body) => body.length > 255 * 1024 && Buffer.byteLength(body) <= 256 * 1024],
    ['timestamp.recent', () => true],
  ])('%s sends a valid delivery that the receiver must accept [§6.1, §6.3]', async (id, isExpected) => {
    const { body, isValid, status } = await run(id);
    expect([isValid, isExpected(body), status]).toEqual([true, true, 'passed']);
  });

  it('timestamp.recent sends a delivery that is four minutes old [§6.3]', async () => {
    const { headers, at } = await run('timestamp.recent');
    const ageMs = at - Date.parse(String(headers['service-timestamp']));
    // The timestamp and the header Date, with which the clocks are compared, have whole seconds.
    expect(ageMs).toBeGreaterThan(239_000);
    expect(ageMs).toBeLessThan(242_000);
  });

  it('robustness.lower-case-headers sends header names in lower case', async () => {
    const { rawHeaders } = await run('robustness.lower-case-headers');
    const names = rawHeaders.filter((_, index) => index % 2 === 0);
    expect(names).toEqual(['service-signature', 'service-timestamp', 'service-delivery-id']);
  });

  it.each([
    ['signature.rotated-first', 0],
    ['signature.rotated-last', 1],
  ] as const)('%s sends two signatures, the valid one at index %i [§6.2]', async (id, index) => {
    const { body, headers } = await run(id);
    const message = {
      id: String(headers['service-delivery-id']),
      timestamp: String(headers['service-timestamp']),
      body,
    };
    const valid = createSignatureHeaders(schemes.svc, [SECRET], message);
    const signatures = String(headers['service-signature']).split(/, ?/);
    expect([signatures.length, signatures[index]]).toEqual([2, valid['Service-Signature']]);
  });
});

describe('a delivery that a correct receiver rejects', () => {
  it('signature.missing sends a delivery without a signature [§6.2]', async () => {
    const { headers, isValid, status } = await run('signature.missing');
    expect([isValid, status]).toEqual([false, 'passed']);
    expect(headers).not.toHaveProperty('service-signature');
  });

  it('raw-body.re-spaced sends a signature of the body before it was formatted [§6.1]', async () => {
    const { body, isValid, status } = await run('raw-body.re-spaced');
    expect([isValid, status]).toEqual([false, 'passed']);
    expect(body).toMatch(/^\{\n {2}"[\s\S]*\}\n$/);
  });

  it('signature.api-key sends a delivery signed with the API key, or is skipped without one [§5.7]', async () => {
    const { body, headers } = await run('signature.api-key');
    const timestamp = String(headers['service-timestamp']);
    const signed = createSignatureHeaders(schemes.svc, [API_KEY], { id: '', timestamp, body });
    expect(headers['service-signature']).toBe(signed['Service-Signature']);
    await using receiver = await startInProcessReceiver();
    const { checks } = await checkReceiver({
      url: receiver.url,
      apiKey: null,
      only: ['signature.genuine', 'signature.api-key'],
    });
    expect(checks.map(({ status }) => status)).toEqual(['passed', 'skipped']);
  });
});

describe('the list of checks', () => {
  it.each<[SchemeName, boolean, boolean]>([
    ['svc', true, true],
    ['github', false, false],
  ])(
    'the scheme %s has checks of a rotation (%s) and of timestamps (%s)',
    (scheme, hasRotation, hasTimestamps) => {
      const ids = listSignatureChecks(schemes[scheme], API_KEY).map(({ id }) => id);
      expect(ids.includes('signature.rotated-first')).toBe(hasRotation);
      expect(ids.includes('timestamp.recent')).toBe(hasTimestamps);
      expect(ids.includes('timestamp.old')).toBe(hasTimestamps);
      expect(ids).toContain('signature.missing');
    },
  );

  it('each check comes after those that it requires', () => {
    const checks = listChecks(schemes.svc, API_KEY);
    const ids = checks.map(({ id }) => id);
    const early = checks.filter(({ id, requires = [] }) =>
      requires.some((required) => ids.indexOf(required) === -1 || ids.indexOf(required) > ids.indexOf(id)),
    );
    expect(early).toEqual([]);
  });

  it('a check that a receiver can also fail because of a more general defect requires the check of that defect', () => {
    const required = listChecks(schemes.svc, API_KEY).flatMap(({ id, requires }) =>
      requires && !/^(?:signature|timestamp)\./.test(id) ? [[id, ...requires]] : [],
    );
    expect(required).toEqual([
      ['robustness.big-number', 'robustness.unknown-field'],
      ['robustness.large-body', 'robustness.unknown-field'],
      ['raw-body.big-number', 'robustness.big-number'],
      ['raw-body.non-ascii', 'robustness.unknown-field'],
      ['raw-body.decomposed', 'raw-body.non-ascii'],
      ['raw-body.re-spaced', 'signature.altered-body'],
      ['rejection.same-event', 'signature.other-secret', 'timestamp.old'],
    ]);
  });
});

/** The result of a check of a receiver with these parts, and the number of deliveries. */
async function check(parts: Partial<ReceiverParts>, id: string) {
  await using receiver = await startInProcessReceiver(parts);
  const { checks } = await checkReceiver({ url: receiver.url, only: [id] });
  return { check: checks[0], deliveries: receiver.countDeliveries() };
}

const sign = (body: Buffer) => `v1=${createHmac('sha256', SECRET).update(body).digest('hex')}`;

describe('signature.genuine', () => {
  it.each<[number, RegExp]>([
    [300, /^Your receiver redirects/],
    [399, /^Your receiver redirects/],
    [404, /^Nothing accepts POST requests at this path/],
    [405, /^Nothing accepts POST requests at this path/],
    [500, /^Your receiver fails on a valid delivery\. Check its log\.$/],
  ])('signature.genuine sends one delivery and says what %i means', async (status, meaning) => {
    const { check: result, deliveries } = await check({ refuse: () => status }, 'signature.genuine');
    expect(result).toMatchObject({ status: 'failed', meaning: expect.stringMatching(meaning) });
    expect(deliveries).toBe(1);
  });

  it.each<[string, ReceiverParts['isAuthentic']]>([
    [
      'Your receiver makes one mistake: the scheme github was verified instead of svc. Verify the scheme svc, or let svc send what your receiver expects: --sender github.',
      ({ body, headers }) => {
        const get = (name: string) => String(headers[name.toLowerCase()] ?? '');
        const { github: scheme } = schemes;
        return verifyMessage({ scheme, secret: SECRET, now: Date.now(), headers: { get }, payload: body }).ok;
      },
    ],
    [
      'Your receiver makes one mistake: the signed string was "{body}" instead of "{timestamp}.{body}".',
      ({ body, headers }) => headers['service-signature'] === sign(body),
    ],
  ])('signature.genuine finds the mistake of a receiver: %s', async (meaning, isAuthentic) => {
    const { check: result } = await check({ isAuthentic }, 'signature.genuine');
    expect(result).toMatchObject({ status: 'failed', meaning: expect.stringContaining(meaning) });
  });

  it('signature.genuine names no mistake of a receiver that accepts any signature of another length', async () => {
    const isAuthentic: ReceiverParts['isAuthentic'] = ({ headers }) =>
      String(headers['service-signature']).length !== 67;
    const { check: result } = await check({ isAuthentic }, 'signature.genuine');
    expect(result?.meaning).toMatch(
      /^Your receiver rejects a valid delivery\. Check that it uses the secret/,
    );
  });
});

describe('a receiver that accepts only some valid deliveries', () => {
  it.each([2, 3])('a receiver that rejects every delivery number %i is intermittent', async (period) => {
    let count = 0;
    const refuse = () => (++count % period === 0 ? 400 : null);
    const { check: result } = await check({ refuse }, 'signature.second');
    expect(result?.meaning).toMatch(
      /^Your receiver accepts a delivery and rejects the next one\. It keeps state/,
    );
  });

  it('signature.leading-zero blames the digest', async () => {
    const matches = (signature: string, expected: string) => signature === expected.replace(/^v1=0+/, 'v1=');
    const { check: result } = await check({ matches }, 'signature.leading-zero');
    expect(result?.meaning).toMatch(/^Your receiver loses zeros at the start of the digest/);
  });
});
