import { describe, expect, it } from 'vitest';
import {
  createEmulator,
  createReceiver,
  type SvcError,
  type WaitOptions,
  type Workspace,
} from '../../src/index.ts';

const SHORT = '50ms';

async function startSetup(responses: Parameters<typeof createReceiver>[0] = 200, events = ['order.shipped']) {
  const receiver = await createReceiver(responses);
  const emulator = await createEmulator({ clock: { frozen: true } });
  await emulator.webhooks.create({ url: receiver.url, events });
  return {
    emulator,
    receiver,
    async [Symbol.asyncDispose]() {
      await Promise.all([emulator.close(), receiver.close()]);
    },
  };
}

/** The error of a wait, without ids and durations. */
async function findReason(
  { deliveries }: Workspace,
  filter: Parameters<typeof deliveries.wait>[0],
  options: WaitOptions = {},
) {
  const { code, message } = await deliveries.wait(filter, { timeout: SHORT, ...options }).then(
    () => expect.unreachable('The wait resolved.'),
    (error: SvcError) => error,
  );
  const report = message.replace(/\b(evt|del|wh)_\w+/g, '$1_…').replace(/after \d+(\.\d+)?m?s/g, 'after …ms');
  return { code, report };
}

describe('deliveries.wait', () => {
  it('deliveries.wait resolves when all matching deliveries have settled, whether they existed before or came later', async () => {
    await using setup = await startSetup();
    const { deliveries, trigger } = setup.emulator;
    const early = deliveries.wait({ type: 'order.shipped' });
    const { event } = await trigger('order.shipped');
    expect(await early).toMatchObject([{ event_id: event.id, status: 'succeeded' }]);
    expect(await deliveries.wait({ event_id: event.id })).toEqual(await early);
    expect(await deliveries.wait({ scheduled: event.created_at })).toEqual(await early);
    const second = deliveries.wait({}, { count: 2 });
    await trigger('order.shipped');
    expect(await second).toHaveLength(2);
    setup.receiver.respond(500);
    await trigger('order.shipped');
    await setup.receiver.request(3);
    expect(await deliveries.wait({}, { count: 2 })).toHaveLength(2);
  });

  it('deliveries.wait rejects before the timeout when no delivery can settle before it, and says how to send the next attempt', async () => {
    await using setup = await startSetup(500);
    const { emulator } = setup;
    await emulator.trigger('order.shipped');
    await setup.receiver.request(1);
    expect(await findReason(emulator, { type: 'order.shipped' }, { timeout: '1h' })).toMatchObject({
      code: 'stalled',
      report: [
        '1 delivery cannot settle within 1h: the next attempt is due in 5m, and the clock is frozen.',
        '  del_… failing after 1 attempt, next attempt in 5m: the receiver responded with 500 Internal Server Error',
        '  Move the clock to the next attempt with clock.next().',
      ].join('\n'),
    });
    const kept = await findReason(emulator, {}, { keepWaiting: true });
    expect(kept).toMatchObject({
      code: 'timeout',
      report: expect.stringMatching(/^1 delivery has not settled after …ms\.\n/),
    });
  });

  it('deliveries.wait continues while the code that waits moves the clock', async () => {
    await using setup = await startSetup([500, 500, 200]);
    const { deliveries, trigger, clock } = setup.emulator;
    const early = deliveries.wait({}, { status: 'succeeded', timeout: '1h' });
    await trigger('order.shipped');
    await setup.receiver.request(1);
    await clock.advance('5m');
    const [[delivery]] = await Promise.all([
      deliveries.wait({}, { status: 'succeeded', timeout: '1h' }),
      clock.advance('30m'),
    ]);
    expect(delivery?.attempt_count).toBe(3);
    expect(await early).toEqual([delivery]);
  });
});
