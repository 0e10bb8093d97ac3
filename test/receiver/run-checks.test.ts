import { describe, expect, it } from 'vitest';
import type { SignatureScheme } from '../../src/domain/signature/scheme.ts';
import { schemeNames, schemes } from '../../src/domain/signature/schemes.ts';
import { verifyMessage } from '../../src/domain/signature/verify.ts';
import { SvcError } from '../../src/errors.ts';
import { serializers } from '../../src/receiver/serializers.ts';
import { createReceiver, type ReceivedRequest } from '../support/test-receiver.ts';
import { checkReceiver, idsOf } from './check-receiver.ts';
import { API_KEY, SECRET, startDefectiveReceiver } from './defective-receiver.ts';

const needsObserver = [
  'rejection.no-effect',
  'acceptance.before-work',
  'deduplication.same-delivery',
  'deduplication.other-delivery',
  'deduplication.at-once',
];

/** Answers what verification says, and does nothing. */
function verifier(scheme: SignatureScheme, secret = SECRET) {
  return ({ headers, body }: ReceivedRequest) => {
    const lookup = { get: (name: string) => (headers[name.toLowerCase()] as string | undefined) ?? null };
    const { ok } = verifyMessage({ scheme, secret, now: Date.now(), headers: lookup, payload: body });
    return { status: ok ? 204 : 400 };
  };
}

describe('conductChecks', () => {
  it('never passes what only effects could tell when they are not counted [§6.5, §6.6]', async () => {
    await using receiver = await startDefectiveReceiver();
    const report = await checkReceiver({ url: receiver.url });
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(idsOf(report, 'not_observable')).toEqual(needsObserver);
    expect(report).toMatchObject({ ok: true, not_observable: needsObserver.length, observer_problem: null });
  });

  it.each([
    ['does not rise', 0, 'did not rise within 300ms'],
    ['rises by two', 2, 'rose by 2'],
  ])('does not judge by a count that %s with a genuine delivery', async (_, each, why) => {
    await using receiver = await createReceiver({ status: 204 });
    const count = async () => receiver.requests.length * each;
    const only = ['deduplication.at-once'];
    const report = await checkReceiver({ url: receiver.url, count, timeoutMs: 300, only });
    // A receiver that believes everybody: what else it does cannot be told either.
    expect(report.checks[0]).toMatchObject({
      status: 'not_observable',
      meaning: expect.stringContaining(why),
    });
    expect(report.ok).toBe(false);
  });

  it('goes on where the count of effects fails, and tells nothing of that check alone', async () => {
    await using receiver = await startDefectiveReceiver();
    let asked = 0;
    const count = async () => {
      if (++asked === 1) throw new SvcError('usage', 'The count is locked.', { hint: 'Wait for it.' });
      return receiver.count();
    };
    const report = await checkReceiver({ url: receiver.url, count, timeoutMs: 500, only: ['deduplication'] });
    expect(report.checks).toMatchObject([
      { status: 'not_observable', meaning: 'The count is locked. Wait for it.' },
      { status: 'passed' },
      { status: 'passed' },
    ]);
    expect(report).toMatchObject({ ok: false, observer_problem: 'The count is locked.' });
  });

  it.each(schemeNames)('passes a receiver that verifies the scheme %s as it should', async (name) => {
    const secret = 'whsec_c3ZjLWNoZWNrLXNlY3JldA==';
    await using receiver = await createReceiver(verifier(schemes[name], secret));
    const report = await checkReceiver({ url: receiver.url, secret, scheme: schemes[name] });
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(idsOf(report, 'not_observable')).toEqual(needsObserver);
  });

  it('passes a receiver that verifies a scheme of its own as it should', async () => {
    const key = { form: 'hex', prefix: '' } as const;
    const scheme: SignatureScheme = { ...schemes.svc, name: 'own', key, timestampFormat: 'unix_ms' };
    const secret = '00ff'.repeat(16);
    await using receiver = await createReceiver(verifier(scheme, secret));
    const report = await checkReceiver({ url: receiver.url, secret, scheme });
    expect(idsOf(report, 'failed')).toEqual([]);
  });

  it.each(Object.keys(serializers) as (keyof typeof serializers)[])(
    'recognises a body that is printed anew with %s before it is verified [§6.1]',
    async (printer) => {
      await using receiver = await startDefectiveReceiver({
        toSigned: (body) => serializers[printer](JSON.parse(body.toString())),
      });
      const report = await checkReceiver({ url: receiver.url, only: ['signature', 'timestamp', 'raw-body'] });
      expect(new Set(idsOf(report, 'failed').map((id) => id.split('.')[0]))).toEqual(new Set(['raw-body']));
    },
  );

  it('says which scheme a receiver takes that takes another one', async () => {
    await using receiver = await createReceiver(verifier(schemes.stripe));
    const report = await checkReceiver({ url: receiver.url });
    expect(report.checks[0]).toMatchObject({
      status: 'failed',
      received: 'status 400',
      meaning: expect.stringContaining('--scheme stripe'),
    });
    expect(report).toMatchObject({ ok: false, passed: 0, failed: 1 });
  });

  it('recognises a receiver that takes the API key for the secret [§5.7]', async () => {
    await using receiver = await startDefectiveReceiver({ keys: [API_KEY] });
    const { checks } = await checkReceiver({ url: receiver.url, only: ['signature.genuine'] });
    expect(checks.map(({ meaning }) => meaning)).toEqual([expect.stringContaining('the API key')]);
  });

  it.each([
    [
      'nothing listens there',
      { drop: true },
      'connection closed without an answer',
      'No delivery reaches it',
    ],
    ['it redirects', { status: 308 }, 'status 308', 'redirects'],
    ['the path is another', { status: 404 }, 'status 404', 'path of the URL'],
    ['it breaks', { status: 500 }, 'status 500', 'It breaks'],
  ])('says what is wrong when %s', async (_, script, received, meaning) => {
    await using receiver = await createReceiver(script);
    const { checks } = await checkReceiver({
      url: receiver.url,
      only: ['signature.genuine', 'signature.missing'],
    });
    expect(checks).toMatchObject([
      { status: 'failed', received, meaning: expect.stringContaining(meaning) },
      // Also where it is asked for alone.
      { status: 'not_observable', meaning: expect.stringContaining(meaning) },
    ]);
  });

  it('gives up on an answer that does not come in time', async () => {
    await using receiver = await createReceiver({ after: new Promise(() => {}) });
    const { checks } = await checkReceiver({ url: receiver.url, timeoutMs: 50, only: ['signature.genuine'] });
    expect(checks).toMatchObject([{ status: 'failed', received: 'no answer within 50ms' }]);
  });

  it('names the check that takes the receiver down, and judges none after it', async () => {
    await using receiver = await createReceiver();
    const verify = verifier(schemes.svc);
    let isDown = false;
    receiver.respond((request) => {
      isDown ||= request.headers['service-signature'] === undefined;
      return isDown ? { drop: true } : verify(request);
    });
    const report = await checkReceiver({ url: receiver.url, only: ['signature', 'rejection'] });
    expect(idsOf(report, 'failed')).toEqual(['signature.missing']);
    expect(report.checks.at(-1)).toMatchObject({
      status: 'not_observable',
      meaning: 'The receiver has been down since signature.missing.',
    });
  });

  it('judges by no answer that limits the rate of requests', async () => {
    await using receiver = await createReceiver();
    const verify = verifier(schemes.svc);
    receiver.respond((request, index) => (index === 0 ? verify(request) : { status: 429 }));
    const report = await checkReceiver({ url: receiver.url, only: ['signature', 'rejection.status'] });
    expect(report).toMatchObject({ passed: 1, failed: 0 });
  });

  it('runs those of the rules and the checks that are named, and what they need beside', async () => {
    await using receiver = await createReceiver(verifier(schemes.svc));
    const report = await checkReceiver({ url: receiver.url, only: ['timestamp', 'raw-body.big-number'] });
    expect(report.checks.map(({ id }) => id)).toEqual([
      'timestamp.missing',
      'timestamp.old',
      'timestamp.replaced',
      'timestamp.recent',
      'raw-body.big-number',
    ]);
    expect(report).toMatchObject({ ok: true, passed: 5 });
  });

  it('refuses a rule that there is not, and names the nearest', async () => {
    await expect(checkReceiver({ url: 'http://127.0.0.1:9', only: ['timestmap'] })).rejects.toMatchObject({
      code: 'usage',
      hint: 'Did you mean timestamp?',
    });
  });

  it('tells how far it is', async () => {
    await using receiver = await createReceiver(verifier(schemes.svc));
    const seen: string[] = [];
    const onProgress = (done: number, total: number) => void seen.push(`${done}/${total}`);
    await checkReceiver({ url: receiver.url, only: ['raw-body'], onProgress });
    expect(seen).toEqual(['0/5', '1/5', '2/5', '3/5', '4/5', '5/5']);
  });

  it('does not wait for a receiver that is down once it is interrupted', { timeout: 2_500 }, async () => {
    await using receiver = await createReceiver();
    const interruption = new AbortController();
    receiver.respond((_request, index) => {
      if (index > 0) interruption.abort();
      return index === 0 ? { status: 204 } : { drop: true };
    });
    const checking = checkReceiver({
      url: receiver.url,
      signal: interruption.signal,
      only: ['signature.missing'],
    });
    await expect(checking).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('ends when it is interrupted', async () => {
    await using receiver = await createReceiver({ after: new Promise(() => {}) });
    const interruption = new AbortController();
    const checking = checkReceiver({ url: receiver.url, signal: interruption.signal });
    await receiver.waitFor(1);
    interruption.abort();
    await expect(checking).rejects.toMatchObject({ code: 'interrupted' });
  });
});
