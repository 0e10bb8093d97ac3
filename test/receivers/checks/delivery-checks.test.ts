/** What the checks of single deliveries send. */
import { describe, expect, it } from 'vitest';
import type { CheckSession } from '../../../src/receivers/check-session.ts';
import { listSignatureChecks } from '../../../src/receivers/checks/delivery-checks.ts';
import { DeliveryFactory } from '../../../src/receivers/delivery-factory.ts';
import type { CheckId } from '../../../src/receivers/receiver-check.ts';
import type { DeliveryMessage } from '../../../src/receivers/receiver-client.ts';
import { listChecks } from '../../../src/receivers/run-checks.ts';
import type { PlayedStep } from '../../../src/receivers/sequence.ts';
import { type SchemeName, schemes } from '../../../src/signature/schemes.ts';
import { createSignatureHeaders } from '../../../src/signature/sign.ts';
import { verifyMessage } from '../../../src/signature/verify.ts';
import { API_KEY, SECRET } from '../configurable-receiver.ts';

const NOW = Date.UTC(2026, 10, 20);
const factory = new DeliveryFactory({
  ...{ scheme: schemes.svc, secret: SECRET, eventType: 'order.shipped', payload: '{"order_id":"ord_1"}' },
  now: () => NOW,
});

/** The message of the check with this ID, and the result if it gets this status. */
async function send(id: CheckId, status = 204) {
  const check = listChecks(schemes.svc, API_KEY).find((each) => each.id === id);
  let message: DeliveryMessage | undefined;
  const session: Partial<CheckSession> = {
    isSlow: false,
    unobservable: 'Side effects are not counted.',
    async check([step]: readonly PlayedStep[]) {
      if (step?.kind !== 'custom') throw new Error('not a single delivery');
      const event = factory.createEventId();
      message = step.create(factory, factory.createBody({ id: event }), event);
      expect(JSON.parse(message.body).data.id).toBe(event);
      const response = {
        ...{ status, problem: null, failure: null, durationMs: 1, serverTimeMs: null, retryAfterMs: null },
      };
      const exchange = {
        step: 0,
        attempt: 1,
        event: { id: event, index: 0 },
        isDuringRestart: false,
        response,
      };
      const exchanges = [{ ...exchange, isGenuine: step.isGenuine }];
      const sequence = { events: [], steps: [step] };
      return { record: { sequence, exchanges, hasAccepted: true, sideEffects: null }, violations: [] };
    },
  };
  const outcome = await check?.run(session as CheckSession);
  if (message === undefined) throw new Error(`${id} sent nothing`);
  const { body, headers } = message;
  const get = (name: string) => String(headers[name] ?? '');
  const { ok } = verifyMessage({
    scheme: schemes.svc,
    secret: SECRET,
    now: NOW,
    headers: { get },
    payload: body,
  });
  return { body, headers, isValid: ok, outcome };
}

const serialized = (body: string) => JSON.stringify(JSON.parse(body));

describe('a delivery that a correct receiver accepts', () => {
  it.each<[CheckId, (body: string) => boolean]>([
    [
      'raw-body.member-order',
      (body) => Object.keys(JSON.parse(body)).join() !== Object.keys(JSON.parse(body)).sort().join(),
    ],
    ['raw-body.white-space', (body) => /^\{\n {2}"[\s\S]*\}\n$/.test(body) && serialized(body) !== body],
    ['raw-body.unicode-escape', (body) => /\\u00[67][\da-f]/.test(body) && serialized(body) !== body],
    ['raw-body.big-number', (body) => body.includes(':9007199254740993') && serialized(body) !== body],
    ['raw-body.non-ascii', (body) => body.includes('"Zürich 東京 😀"')],
    ['raw-body.decomposed', (body) => body.includes('"Zu\u0308rich"') && body.normalize('NFC') !== body],
    ['robustness.unknown-type', (body) => JSON.parse(body).type === 'svc_check.unknown'],
    ['robustness.unknown-field', (body) => body.includes('"svc_check":{"is":"unknown"}')],
    ['robustness.big-number', (body) => body.includes('"svc_check":9007199254740992')],
    ['robustness.large-body', (body) => Buffer.byteLength(body) === 256 * 1024],
    ['timestamp.recent', () => true],
  ])('%s sends a valid delivery that the receiver must accept [§6.1, §6.3]', async (id, isExpected) => {
    const { body, isValid, outcome } = await send(id);
    expect([isValid, isExpected(body), outcome?.status]).toEqual([true, true, 'passed']);
    expect((await send(id, 400)).outcome).toMatchObject({ status: 'failed', received: 'status 400' });
  });

  it('timestamp.recent sends a delivery that is four minutes old [§6.3]', async () => {
    const { headers } = await send('timestamp.recent');
    expect(NOW - Date.parse(String(headers['Service-Timestamp']))).toBe(240_000);
  });

  it('robustness.lower-case-headers sends header names in lower case', async () => {
    const { headers } = await send('robustness.lower-case-headers');
    expect(Object.keys(headers)).toEqual(['service-signature', 'service-timestamp', 'service-delivery-id']);
  });

  it.each([
    ['signature.rotated-first', 0],
    ['signature.rotated-last', 1],
  ] as const)('%s sends two signatures, the valid one at index %i [§6.2]', async (id, index) => {
    const { body, headers } = await send(id);
    const message = {
      ...{
        id: String(headers['Service-Delivery-Id']),
        timestamp: String(headers['Service-Timestamp']),
        body,
      },
    };
    const valid = createSignatureHeaders(schemes.svc, [SECRET], message);
    const signatures = String(headers['Service-Signature']).split(/, ?/);
    expect([signatures.length, signatures[index]]).toEqual([2, valid['Service-Signature']]);
  });
});

describe('a delivery that a correct receiver rejects', () => {
  it.each([
    [204, 'failed'],
    [400, 'passed'],
    [500, 'passed'],
  ])('a tampered delivery that gets %i makes its check %s [§6.2]', async (status, result) => {
    const { headers, isValid, outcome } = await send('signature.missing', status);
    expect([isValid, outcome?.status, outcome?.received]).toEqual([false, result, `status ${status}`]);
    expect(headers).not.toHaveProperty('Service-Signature');
  });

  it('raw-body.re-spaced sends a signature of the body before it was formatted [§6.1]', async () => {
    const { body, isValid, outcome } = await send('raw-body.re-spaced', 400);
    expect([isValid, outcome?.status]).toEqual([false, 'passed']);
    expect(body).toMatch(/^\{\n {2}"[\s\S]*\}\n$/);
  });

  it('signature.api-key sends a delivery signed with the API key, or is skipped without one [§5.7]', async () => {
    expect((await send('signature.api-key')).outcome?.status).toBe('failed');
    const skipped = listSignatureChecks(schemes.svc, null).find(({ id }) => id === 'signature.api-key');
    expect(await skipped?.run({} as CheckSession)).toMatchObject({ status: 'skipped' });
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

  it('a check that a receiver can also fail because of a more general defect requires the check of that defect', () => {
    const required = listChecks(schemes.svc, API_KEY).flatMap(({ id, requires }) =>
      requires && !/^(?:signature|timestamp)\./.test(id) ? [[id, ...requires]] : [],
    );
    expect(required).toEqual([
      ['raw-body.big-number', 'robustness.big-number'],
      ['raw-body.non-ascii', 'robustness.unknown-field'],
      ['raw-body.decomposed', 'raw-body.non-ascii'],
      ['raw-body.re-spaced', 'signature.altered-body'],
      ['rejection.same-event', 'signature.other-secret', 'timestamp.old'],
      ['robustness.big-number', 'robustness.unknown-field'],
      ['robustness.large-body', 'robustness.unknown-field'],
    ]);
  });
});
