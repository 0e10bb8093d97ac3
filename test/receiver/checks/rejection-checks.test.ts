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
    [[204, 204], 'not_observable', '2 × status 204'],
    [[204, 400, 499], 'passed', 'status 400, status 499'],
    [[400, 500], 'failed', 'status 400, status 500'],
    [[302], 'failed', 'status 302'],
  ])(
    'rejection.status evaluates the responses %j that do not accept: %s [§6.4]',
    async (statuses, status, received) => {
      const sendAllTampered = async () => statuses.map((each) => respond(each));
      expect(await runCheck('rejection.status', { context: { sendAllTampered } })).toMatchObject({
        status,
        received,
      });
    },
  );
});

describe('rejection.no-effect', () => {
  /** Accepts this many tampered deliveries, and the valid one. */
  const accepting = (count: number): CheckSetup => ({
    responses: (_, index) => respond(index < count || index === tamperedCount ? 204 : 400),
  });

  it.each([
    [0, 1, 'passed', '1 accepted, effects: 1'],
    [0, 2, 'failed', '1 accepted, effects: 2'],
    [1, 2, 'passed', '2 accepted, effects: 2'],
    [0, 0, 'not_observable', '1 accepted, effects: 0'],
  ])(
    'rejection.no-effect with %i accepted tampered deliveries and %i effects is %s [§6.4]',
    async (accepted, effects, status, received) => {
      const run = await runCheck('rejection.no-effect', { ...accepting(accepted), effects });
      expect(run).toMatchObject({ status, received });
      expect(verifySent(run)).toEqual([...Array(tamperedCount).fill(false), true]);
    },
  );

  it('rejection.no-effect is not observable without effects', async () => {
    expect(await runCheck('rejection.no-effect')).toMatchObject({ status: 'not_observable', sent: [] });
  });
});

describe('rejection.same-event', () => {
  it.each<[number[], number | undefined, string]>([
    [[400, 400, 204], 1, 'passed'],
    [[400, 400, 204], 2, 'passed'],
    [[400, 400, 204], 0, 'failed'],
    [[400, 400, 409], 1, 'failed'],
    [[400, 400, 204], undefined, 'not_observable'],
    [[400, 400, 409], undefined, 'failed'],
  ])(
    'rejection.same-event with the statuses %j and %s effects is %s [§6.4, §6.6]',
    async (responses, effects, status) => {
      const run = await runCheck('rejection.same-event', {
        responses,
        ...(effects !== undefined && { effects }),
      });
      expect(run).toMatchObject({ status, received: expect.stringContaining('2 × status 400') });
      expect(verifySent(run)).toEqual([false, false, true]);
      expect(new Set(run.sent.map(idOf)).size).toBe(1);
      expect(run.sent[1]?.body).toBe(run.sent[2]?.body);
    },
  );

  it('rejection.same-event sends no old delivery with a scheme without timestamps', async () => {
    const run = await runCheck('rejection.same-event', { scheme: schemes.github, effects: 1 });
    expect(verifySent(run, schemes.github)).toEqual([false, true]);
  });
});
