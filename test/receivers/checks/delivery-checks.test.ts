/** What the checks of single deliveries send, and what it means if a receiver does not accept a valid one. */
import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { listSignatureChecks } from '../../../src/receivers/checks/signature-checks.ts';
import type { CheckId } from '../../../src/receivers/receiver-check.ts';
import { listChecks } from '../../../src/receivers/run-checks.ts';
import { type SchemeName, schemes } from '../../../src/signature/schemes.ts';
import { createSignatureHeaders } from '../../../src/signature/sign.ts';
import { verifyMessage } from '../../../src/signature/verify.ts';
import { checkReceiver } from '../check-receiver.ts';
import { API_KEY, type ReceiverParts, type Receiving, SECRET } from '../configurable-receiver.ts';
import { startInProcessReceiver, useInProcessReceivers } from '../in-process-receiver.ts';

beforeEach(useInProcessReceivers);

/** The last delivery that a correct receiver gets from the check with this ID. */
async function receive(id: CheckId): Promise<Receiving> {
  const received: Receiving[] = [];
  await using receiver = await startInProcessReceiver({
    beforeVerifying: (receiving) => void received.push(receiving),
  });
  await checkReceiver({ url: receiver.url, only: [id] });
  return received.at(-1) ?? expect.fail(`${id} sent nothing`);
}

describe('a delivery that a correct receiver accepts', () => {
  it('robustness.large-body sends a body that is almost as large as the service allows', async () => {
    const { body } = await receive('robustness.large-body');
    expect(body.length).toBeGreaterThan(255 * 1024);
    expect(body.length).toBeLessThanOrEqual(256 * 1024);
  });

  it.each([
    ['signature.rotated-first', 0],
    ['signature.rotated-last', 1],
  ] as const)('%s sends two signatures, the valid one at index %i [§6.2]', async (id, index) => {
    const { body, headers } = await receive(id);
    const message = {
      id: String(headers['service-delivery-id']),
      timestamp: String(headers['service-timestamp']),
      body: body.toString(),
    };
    const valid = createSignatureHeaders(schemes.svc, [SECRET], message);
    const signatures = String(headers['service-signature']).split(/, ?/);
    expect([signatures.length, signatures[index]]).toEqual([2, valid['Service-Signature']]);
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
    const general = ['signature.genuine', 'signature.second', 'signature.leading-zero'];
    const others = [...general, 'timestamp.whole-minute', 'signature.other-secret'];
    const required = listChecks(schemes.svc, API_KEY).flatMap(({ id, requires = [] }) => {
      const own = requires.filter((required) => !others.includes(required));
      return own.length > 0 ? [[id, ...own]] : [];
    });
    expect(required).toEqual([
      ['robustness.big-number', 'robustness.unknown-field'],
      ['robustness.large-body', 'robustness.unknown-field'],
      ['raw-body.big-number', 'robustness.big-number'],
      ['raw-body.non-ascii', 'robustness.unknown-field'],
      ['raw-body.decomposed', 'raw-body.non-ascii'],
      ['raw-body.re-spaced', 'signature.altered-body'],
      ['rejection.same-event', 'timestamp.old'],
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
    [404, /^There is probably no POST route at this path/],
    [405, /^There is probably no POST route at this path/],
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
      /^Your receiver does not respond with 2xx to 4 more valid deliveries\. .* It keeps state/,
    );
  });

  it('signature.leading-zero blames the digest', async () => {
    const matches = (signature: string, expected: string) => signature === expected.replace(/^v1=0+/, 'v1=');
    const { check: result } = await check({ matches }, 'signature.leading-zero');
    expect(result?.meaning).toMatch(/ It loses zeros at the start of the digest/);
  });
});
