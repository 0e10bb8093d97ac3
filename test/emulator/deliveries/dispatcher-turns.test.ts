import { describe, expect, it } from 'vitest';
import { decodePhases } from '../../../src/domain/attempt-phases.ts';
import { HOUR_MS } from '../../../src/domain/duration.ts';
import type { SendResult } from '../../../src/emulator/deliveries/sender.ts';
import { failedResult, runEventLoop, runTurn, startDispatcher } from './dispatcher-setup.ts';

const sent: Partial<SendResult> = {
  phases: { queued: 0, dns: null, connect: null, tls: null, send: 0, wait: 0, receive: 0 },
};

/** A dispatcher that knows how long the last attempt of a delivery was queued. */
function startMeasuredDispatcher(frozen: boolean) {
  const dispatch = startDispatcher({ frozen });
  const queuedMs = (id: string) => {
    const phases = dispatch.store.attempts.listByDelivery(dispatch.get(id).seq).at(-1)?.phases;
    return phases ? decodePhases(phases).queued : null;
  };
  return { ...dispatch, queuedMs };
}

it.each([
  ['success', {}],
  ['failure', failedResult],
])(
  'a replay recorded just before the end of an attempt, in the same group, is sent [replay]: %s',
  async (_, result) => {
    const { endpoint, trigger, attempt, replay, get, sent } = startDispatcher();
    endpoint();
    const [id = ''] = await trigger();
    const ended = (await attempt(1)).respond(result);
    await runTurn();
    await replay(id);
    await ended;
    await runEventLoop();
    expect(sent.map(({ deliveryId }) => deliveryId)).toEqual([id, id]);
    await sent[1]?.respond();
    expect(get(id)).toMatchObject({
      status: 'succeeded',
      attempt_count: 2,
      replays_waiting: 0,
      due_at: null,
    });
  },
);

describe('the due deliveries of an endpoint', () => {
  it.each([
    ['the schedule clock runs', false],
    ['the schedule clock is frozen', true],
  ])(
    'the queued phase of an attempt begins when its delivery is due, even if it waits for other attempts: %s',
    async (_, frozen) => {
      const { endpoint, trigger, inFlight, pass, queuedMs } = startMeasuredDispatcher(frozen);
      endpoint();
      pass(HOUR_MS);
      const [first = ''] = await trigger(8);
      pass(1_000);
      const ids = await trigger(300);
      pass(500);
      while (inFlight.size > 0) await Promise.all(Array.from(inFlight, (attempt) => attempt.respond(sent)));
      expect(queuedMs(first)).toBe(0);
      expect(ids.map(queuedMs)).toEqual(Array(300).fill(500));
    },
  );

  it('the queued phase of a paused delivery begins when its endpoint is enabled', async () => {
    const { endpoint, trigger, replay, update, attempt, pass, queuedMs } = startMeasuredDispatcher(true);
    const { id: webhookId } = endpoint();
    const [id = ''] = await trigger();
    await (await attempt(1)).respond(sent);
    await update(webhookId, { disabled: true });
    await replay(id);
    pass(HOUR_MS);
    await update(webhookId, { disabled: false });
    await (await attempt(2)).respond(sent);
    expect(queuedMs(id)).toBe(0);
  });
});
