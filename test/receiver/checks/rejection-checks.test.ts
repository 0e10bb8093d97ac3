import { describe, expect, it } from 'vitest';
import type { SignatureScheme } from '../../../src/domain/signature/scheme.ts';
import { schemes } from '../../../src/domain/signature/schemes.ts';
import { verifyMessage } from '../../../src/domain/signature/verify.ts';
import { listTamperedDeliveries } from '../../../src/receiver/tampered-deliveries.ts';
import { type CheckRun, type CheckSetup, idOf, NOW, respond, runCheck, SECRET } from './check-setup.ts';

const tamperedCount = listTamperedDeliveries(schemes.svc).length;

/** Whether each message that was sent is valid. */
function verifySent({ sent }: CheckRun, scheme: SignatureScheme = schemes.svc): boolean[] {
  return sent.map(({ body, headers }) => {
    const get = (name: string) => [headers[name] ?? []].flat().join(', ') || null;
    return verifyMessage({ scheme, secret: SECRET, now: NOW, headers: { get }, payload: body }).ok;
  });
}

describe('rejection.status', () => {
  it.each([
    [[204, 204], 'failed', '2 × status 204'],
    [[204, 400, 400], 'inconclusive', 'status 204, 2 × status 400'],
    [[400, 499], 'passed', 'status 400, status 499'],
    [[400, 500], 'failed', 'status 400, status 500'],
    [[204, 500], 'failed', 'status 204, status 500'],
    [[302], 'failed', 'status 302'],
  ])('rejection.status evaluates the responses %j: %s [§6.4]', async (statuses, status, received) => {
    const sendTampered = async () => statuses.map((each) => respond(each));
    expect(await runCheck('rejection.status', { context: { sendTampered } })).toMatchObject({
      status,
      received,
    });
  });
});

it('rejection.status sends every kind of tampered delivery', async () => {
  const run = await runCheck('rejection.status', { responses: [400] });
  expect(run.received).toBe(`${tamperedCount} × status 400`);
  expect(verifySent(run)).toEqual(Array(tamperedCount).fill(false));
});

describe('rejection.no-side-effect', () => {
  /** Accepts this many tampered deliveries, and the valid one. */
  const accepting = (count: number): CheckSetup => ({
    responses: (_, index) => respond(index < count || index === tamperedCount ? 204 : 400),
  });

  it.each([
    [0, 1, 'passed', '1 accepted, side effects: 1'],
    [0, 2, 'failed', '1 accepted, side effects: 2'],
    [1, 2, 'failed', '2 accepted, side effects: 2'],
    [1, 1, 'passed', '2 accepted, side effects: 1'],
    [tamperedCount, 7, 'failed', `${tamperedCount + 1} accepted, side effects: 7`],
    [0, 0, 'inconclusive', '1 accepted, side effects: 0'],
  ])(
    'rejection.no-side-effect with %i accepted tampered deliveries and %i side effects is %s [§6.4]',
    async (accepted, sideEffects, status, received) => {
      const run = await runCheck('rejection.no-side-effect', { ...accepting(accepted), sideEffects });
      expect(run).toMatchObject({ status, received });
      expect(verifySent(run)).toEqual([...Array(tamperedCount).fill(false), true]);
    },
  );

  it.each([
    [0, 1, 1, 'passed', 'Only the valid delivery has a side effect.'],
    [0, 1, 0, 'failed', 'Your receiver processes deliveries that it rejects.'],
    [1, 1, 0, 'failed', 'Your receiver processes tampered deliveries. '],
    [1, 3, 1, 'failed', 'Your receiver processes deliveries that it rejects.'],
    [tamperedCount, tamperedCount + 2, 1, 'failed', 'Your receiver processes tampered deliveries. '],
  ])(
    'rejection.no-side-effect with %i accepted tampered deliveries and %i side effects, %i of them of the valid delivery, is %s: %s',
    async (accepted, count, validCount, status, meaning) => {
      const sideEffects: CheckSetup['sideEffects'] = {
        measure: async (action) => ({ result: await action(), count }),
        countOf: () => validCount,
      };
      const run = await runCheck('rejection.no-side-effect', { ...accepting(accepted), sideEffects });
      expect(run).toMatchObject({ status, meaning: expect.stringContaining(meaning) });
    },
  );

  it('rejection.no-side-effect is inconclusive without side effects', async () => {
    expect(await runCheck('rejection.no-side-effect')).toMatchObject({ status: 'inconclusive', sent: [] });
  });
});

describe('rejection.same-event', () => {
  it.each<[number[], number | undefined, string]>([
    [[400, 400, 204], 1, 'passed'],
    [[400, 400, 204], 2, 'passed'],
    [[400, 400, 204], 0, 'failed'],
    [[400, 400, 409], 1, 'failed'],
    [[400, 400, 204], undefined, 'inconclusive'],
    [[400, 400, 409], undefined, 'failed'],
  ])(
    'rejection.same-event with the statuses %j and %s side effects is %s [§6.4, §6.6]',
    async (responses, sideEffects, status) => {
      const run = await runCheck('rejection.same-event', {
        responses,
        ...(sideEffects !== undefined && { sideEffects }),
      });
      expect(run).toMatchObject({ status, received: expect.stringContaining('2 × status 400') });
      expect(verifySent(run)).toEqual([false, false, true]);
      expect(new Set(run.sent.map(idOf)).size).toBe(1);
      expect(run.sent[1]?.body).toBe(run.sent[2]?.body);
    },
  );

  it('rejection.same-event sends no old delivery with a scheme without timestamps', async () => {
    const run = await runCheck('rejection.same-event', { scheme: schemes.github, sideEffects: 1 });
    expect(verifySent(run, schemes.github)).toEqual([false, true]);
  });
});
