import { describe, expect, it } from 'vitest';
import type { CheckId } from '../../../src/receiver/receiver-check.ts';
import { type CheckSetup, idOf, respond, runCheck } from './check-setup.ts';

const down: CheckSetup = { context: { isResponsive: async () => false } };

describe('an unusual event', () => {
  it.each<[CheckId, (body: string) => boolean]>([
    ['robustness.unknown-type', (body) => JSON.parse(body).type === 'svc_check.unknown'],
    ['robustness.unknown-field', (body) => body.includes('"svc_check":{"is":"unknown"}')],
    ['robustness.big-number', (body) => body.includes('"svc_check":9007199254740992')],
    ['robustness.large-body', (body) => Buffer.byteLength(body) === 256 * 1024],
  ])('%s sends an event that the receiver must accept without stopping', async (id, isExpected) => {
    const run = await runCheck(id);
    expect(run).toMatchObject({ status: 'passed', meaning: expect.stringContaining('keeps accepting') });
    expect(run.sent.map(({ body }) => isExpected(body))).toEqual([true]);
    expect(await runCheck(id, { responses: [422] })).toMatchObject({
      status: 'failed',
      received: 'status 422',
    });
    expect(await runCheck(id, down)).toMatchObject({
      ...{ status: 'failed', meaning: expect.stringContaining('stopped accepting deliveries') },
    });
    const slow = await runCheck(id, { context: { ...down.context, isSlow: true } });
    expect(slow).toMatchObject({ status: 'passed', meaning: 'Your receiver accepts it.' });
  });
});

describe('robustness.at-once', () => {
  it.each<[string, (index: number) => number, string]>([
    ['accepts all', () => 204, 'passed'],
    ['accepts one and limits the rate', (index) => (index === 49 ? 204 : 429), 'passed'],
    ['accepts one and is unavailable', (index) => (index === 0 ? 204 : 503), 'passed'],
    ['only limits the rate', () => 429, 'failed'],
    ['fails once', (index) => (index === 20 ? 500 : 204), 'failed'],
  ])('robustness.at-once of a receiver that %s is %s', async (_, toStatus, status) => {
    const run = await runCheck('robustness.at-once', {
      responses: (_message, index) => respond(toStatus(index)),
    });
    expect(run.status).toBe(status);
    expect([run.concurrency, new Set(run.sent.map(idOf)).size]).toEqual([50, 50]);
  });

  it('robustness.at-once fails if the receiver stops', async () => {
    expect(await runCheck('robustness.at-once', down)).toMatchObject({
      status: 'failed',
      received: '50 × status 204',
    });
  });
});
