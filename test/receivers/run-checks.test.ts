import { describe, expect, it } from 'vitest';
import { verifyReceivedRequest } from '../../src/receivers/received-request.ts';
import { createReceiver, type ReceivedRequest } from '../support/test-receiver.ts';
import { checkReceiver, idsOf } from './check-receiver.ts';
import { SECRET } from './configurable-receiver.ts';

/** Responds with the result of verification and does no work. */
const verify = (request: ReceivedRequest) =>
  verifyReceivedRequest(request, { secret: SECRET }).ok ? 204 : 400;

// Most of the time is spent waiting for side effects.
describe('runChecks', { concurrent: true, timeout: 300_000 }, () => {
  it('runChecks stops waiting for a response after its timeout [§6.5]', async () => {
    await using receiver = await createReceiver({ after: new Promise(() => {}) });
    const { checks } = await checkReceiver({ url: receiver.url, timeoutMs: 50, only: ['signature.genuine'] });
    expect(checks).toMatchObject([
      {
        status: 'failed',
        received: 'no response within 50ms',
        meaning: expect.stringContaining('does not respond to a valid delivery in time'),
      },
    ]);
  });

  it('runChecks names the check that stops the receiver and runs no check after it', async () => {
    await using receiver = await createReceiver();
    let isDown = false;
    receiver.respond((request) => {
      isDown ||= request.headers['service-signature'] === undefined;
      return isDown ? { drop: true } : verify(request);
    });
    const report = await checkReceiver({ url: receiver.url, only: ['signature', 'rejection'] });
    expect(idsOf(report, 'failed')).toEqual(['signature.missing']);
    expect(report.checks.at(-1)).toMatchObject({
      status: 'inconclusive',
      meaning: 'Not checked, because your receiver has been down since signature.missing.',
    });
  });

  it('runChecks does not fail a receiver for rate-limit responses', async () => {
    await using receiver = await createReceiver();
    receiver.respond((request, index) => (index === 0 ? verify(request) : { status: 429 }));
    const report = await checkReceiver({ url: receiver.url, only: ['signature', 'rejection.status'] });
    expect(report).toMatchObject({ passed: 1, failed: 0 });
  });

  it('runChecks runs the named rules and checks and the checks that they require', async () => {
    await using receiver = await createReceiver(verify);
    const report = await checkReceiver({ url: receiver.url, only: ['timestamp', 'raw-body.big-number'] });
    expect(report.checks.map(({ id }) => id)).toEqual([
      'timestamp.whole-minute',
      'timestamp.missing',
      'timestamp.old',
      'timestamp.slightly-old',
      'timestamp.unreadable',
      'timestamp.future',
      'timestamp.replaced',
      'timestamp.unsigned',
      'timestamp.doubled',
      'timestamp.recent',
      'raw-body.big-number',
    ]);
    expect(report).toMatchObject({ ok: true, passed: 11 });
  });

  it('runChecks rejects an unknown rule and suggests the closest one', async () => {
    await expect(checkReceiver({ url: 'http://127.0.0.1:9', only: ['timestmap'] })).rejects.toMatchObject({
      code: 'usage',
      hint: { text: 'Did you mean timestamp?' },
    });
  });

  it('runChecks reports its progress', async () => {
    await using receiver = await createReceiver(verify);
    const progress: string[] = [];
    const onProgress = (completedCount: number, totalCount: number, current: string | null) =>
      void progress.push(`${completedCount}/${totalCount} ${current}`);
    await checkReceiver({ url: receiver.url, only: ['timestamp.old', 'timestamp.recent'], onProgress });
    expect(progress).toEqual(['0/2 timestamp.old', '1/2 timestamp.recent', '2/2 null']);
  });

  it('runChecks returns the results of the checks that ended before an interrupt, and does not wait for a receiver that is down', async () => {
    await using receiver = await createReceiver();
    const interruption = new AbortController();
    let interruptedAt = 0;
    receiver.respond((_request, index) => {
      if (index > 0) {
        interruptedAt ||= performance.now();
        interruption.abort();
      }
      return index === 0 ? { status: 204 } : { drop: true };
    });
    const checking = checkReceiver({
      url: receiver.url,
      signal: interruption.signal,
      only: ['signature.genuine', 'signature.missing'],
    });
    const checks = [{ id: 'signature.genuine', status: 'passed' }];
    expect(await checking).toMatchObject({ ok: false, interrupted: true, checks });
    expect(performance.now() - interruptedAt).toBeLessThan(2_500);
  });

  it.each([
    ['for a response', () => new Promise<number>(() => {}), undefined],
    ['for a side effect', async () => 204, async () => 0],
  ])(
    'runChecks ends at once if it is interrupted while it waits %s',
    // A third of the time limit for a response.
    { timeout: 20_000 },
    async (_, respond, countSideEffects) => {
      const interruption = new AbortController();
      let reads = 0;
      await using receiver = await createReceiver(async () => ({ status: await respond() }));
      const checking = checkReceiver({
        url: receiver.url,
        only: ['deduplication'],
        timeoutMs: 60_000,
        signal: interruption.signal,
        ...(countSideEffects && {
          countSideEffects() {
            if (++reads === 20) interruption.abort();
            return countSideEffects();
          },
        }),
      });
      if (countSideEffects === undefined) {
        await receiver.waitFor(1);
        interruption.abort();
      }
      expect(await checking).toMatchObject({ ok: false, interrupted: true, checks: [] });
      const readsAtEnd = reads;
      await new Promise(setImmediate);
      expect(reads).toBeLessThanOrEqual(readsAtEnd + 1);
    },
  );
});
