import { describe, expect, it } from 'vitest';
import { type SchemeName, schemes } from '../../../src/domain/signature/schemes.ts';
import { createSignatureHeaders } from '../../../src/domain/signature/sign.ts';
import { listSignatureChecks } from '../../../src/receiver/checks/signature-checks.ts';
import type { CheckOutcome } from '../../../src/receiver/receiver-check.ts';
import type { DeliveryMessage } from '../../../src/receiver/receiver-client.ts';
import type { SideEffectCounter } from '../../../src/receiver/side-effect-counter.ts';
import { getTamperedDelivery, NOT_PROCESSED_EXPLANATION } from '../../../src/receiver/tampered-deliveries.ts';
import { API_KEY, createFactory, idOf, NOW, respond, runCheck, SECRET } from './check-setup.ts';

const listIds = (scheme: SchemeName, apiKey: string | null = API_KEY) =>
  listSignatureChecks(schemes[scheme], apiKey).map(({ id }) => id);

/** What it means if `signature.missing` fails. */
const meaning = getTamperedDelivery('missing-signature').explanation;

describe('the checks of signatures', () => {
  it.each<[SchemeName, boolean, boolean]>([
    ['svc', true, true],
    ['github', false, false],
  ])(
    'the scheme %s has checks of a rotation (%s) and of timestamps (%s)',
    (scheme, hasRotation, hasTimestamps) => {
      const ids = listIds(scheme);
      expect(ids.includes('signature.rotated-first')).toBe(hasRotation);
      expect(ids.includes('timestamp.recent')).toBe(hasTimestamps);
      expect(ids.some((id) => id === 'timestamp.old')).toBe(hasTimestamps);
      expect(ids).toContain('signature.missing');
    },
  );

  it.each([
    [204, 'failed'],
    [400, 'passed'],
    [500, 'passed'],
  ])('a tampered delivery that gets %i makes its check %s [§6.2]', async (status, result) => {
    const run = await runCheck('signature.missing', { responses: [status] });
    expect([run.status, run.received, run.sent.length]).toEqual([result, `status ${status}`, 1]);
    expect(run.sent[0]?.headers).not.toHaveProperty('Service-Signature');
    if (status === 204) expect(run.meaning).toBe(meaning);
  });

  it.each<[string, number, readonly (number | null)[], Partial<CheckOutcome>]>([
    ['a count that includes it', 2, [null, null], { received: 'status 204, side effects: 1', meaning }],
    [
      'a count of the valid one',
      1,
      [null, null],
      { meaning: NOT_PROCESSED_EXPLANATION, acceptedUnseen: true },
    ],
    ['no side effect', 0, [null, null], { received: 'status 204', meaning, acceptedUnseen: true }],
    ['the ID of its event', 1, [1, 0], { received: 'status 204, side effects: 1', meaning }],
    ['the ID of the valid one', 1, [0, 1], { meaning: NOT_PROCESSED_EXPLANATION, acceptedUnseen: true }],
    ['the ID of an earlier event', 1, [0, 0], { received: 'status 204', meaning, acceptedUnseen: true }],
  ])(
    'an accepted tampered delivery is judged by side effects, here %s',
    async (_, count, countsById, outcome) => {
      const ids: string[] = [];
      const sideEffects: Partial<SideEffectCounter> = {
        measure: async (action) => ({ result: await action(), count }),
        countOf: (id) => countsById[ids.indexOf(id)] ?? null,
      };
      const responses = (message: DeliveryMessage, index: number) => {
        if (index > 0) ids.push(idOf(message));
        return respond(204);
      };
      const run = await runCheck('signature.missing', { responses, sideEffects });
      expect(run).toMatchObject({ status: 'failed', ...outcome });
      expect(run.acceptedUnseen).toBe(outcome.acceptedUnseen);
    },
  );

  it.each([
    ['signature.rotated-first', 0],
    ['signature.rotated-last', 1],
  ] as const)('%s sends two signatures, the valid one at index %i [§6.2]', async (id, index) => {
    const run = await runCheck(id);
    const [message] = run.sent;
    if (message === undefined) throw new Error('nothing was sent');
    const {
      'Service-Signature': header = '',
      'Service-Timestamp': timestamp,
      'Service-Delivery-Id': delivery,
    } = message.headers;
    const valid = createSignatureHeaders(schemes.svc, [SECRET], {
      ...{ id: String(delivery), timestamp: String(timestamp), body: message.body },
    });
    const signatures = String(header).split(/, ?/);
    expect([run.status, signatures.length, signatures[index]]).toEqual([
      'passed',
      2,
      valid['Service-Signature'],
    ]);
    expect(await runCheck(id, { responses: [400] })).toMatchObject({ status: 'failed' });
  });

  it('signature.api-key sends a delivery signed with the API key, or is skipped without one [§5.7]', async () => {
    expect(await runCheck('signature.api-key', { responses: [400] })).toMatchObject({ status: 'passed' });
    expect(await runCheck('signature.api-key')).toMatchObject({ status: 'failed' });
    expect(await runCheck('signature.api-key', { apiKey: null })).toMatchObject({
      status: 'skipped',
      sent: [],
    });
  });

  it('timestamp.recent sends a delivery that is four minutes old [§6.3]', async () => {
    const run = await runCheck('timestamp.recent');
    expect(run.status).toBe('passed');
    const age = NOW - Date.parse(String(run.sent[0]?.headers['Service-Timestamp']));
    expect(age).toBe(240_000);
    expect(createFactory().createValid().timestamp).toBe(new Date(NOW).toISOString().replace('.000', ''));
  });
});
