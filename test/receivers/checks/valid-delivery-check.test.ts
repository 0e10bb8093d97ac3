/** What it means if a receiver does not accept a valid delivery. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { schemes } from '../../../src/signature/schemes.ts';
import { verifyMessage } from '../../../src/signature/verify.ts';
import { checkReceiver } from '../check-receiver.ts';
import { type ReceiverParts, SECRET } from '../configurable-receiver.ts';
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
      'Your receiver makes one mistake: the scheme github was verified instead of svc. Verify the scheme svc, or let svc sign with the other one: --scheme github.',
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
