import { describe, expect, it } from 'vitest';
import type { WaitOptions } from '../../src/index.ts';
import { createEmulator, createReceiver, type SvcError, type Workspace } from '../../src/index.ts';

const SHORT = '50ms';

async function createScene(answers: Parameters<typeof createReceiver>[0] = 200, events = ['order.shipped']) {
  const receiver = await createReceiver(answers);
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

/** Why a wait was in vain, without what differs from run to run. */
async function findReason(
  { deliveries }: Workspace,
  filter: Parameters<typeof deliveries.wait>[0],
  options: WaitOptions = {},
) {
  const { code, message, hint } = await deliveries.wait(filter, { timeout: SHORT, ...options }).then(
    () => expect.unreachable('The wait was granted.'),
    (error: SvcError) => error,
  );
  const account = message
    .replace(/\b(evt|del|wh)_\w+/g, '$1_…')
    .replace(/after \d+(\.\d+)?m?s/g, 'after …ms');
  return { code, account, hint };
}

describe('waiting for deliveries', () => {
  it('is over when all that match have settled, whether they were there or came later', async () => {
    await using scene = await createScene();
    const { deliveries, trigger } = scene.emulator;
    const early = deliveries.wait({ type: 'order.shipped' });
    const { event } = await trigger('order.shipped');
    expect(await early).toMatchObject([{ event_id: event.id, status: 'succeeded' }]);
    expect(await deliveries.wait({ event_id: event.id })).toEqual(await early);
    const second = deliveries.wait({}, { count: 2 });
    await trigger('order.shipped');
    expect(await second).toHaveLength(2);
  });

  it('tells when the next attempt is due, and that the clock is frozen', async () => {
    await using scene = await createScene(500);
    await scene.emulator.trigger('order.shipped');
    await scene.receiver.nth(1);
    await scene.emulator.clock.next();
    expect(await findReason(scene.emulator, { type: 'order.shipped' }, { status: 'succeeded' })).toEqual({
      code: 'timeout',
      account: [
        '0 of 1 delivery of order.shipped succeeded within 50ms.',
        '  del_… pending after 2 attempts, the next in 30m: the receiver answered 500 Internal Server Error',
        '    attempt 1: http_error 500 after …ms',
        '    attempt 2: http_error 500 after …ms',
        "  The clock is frozen: clock.advance('30m') sends the next attempt.",
      ].join('\n'),
      hint: "The clock is frozen: clock.advance('30m') sends the next attempt.",
    });
  });

  it('ends at once when one has settled otherwise', async () => {
    await using scene = await createScene();
    await scene.emulator.trigger('order.shipped');
    const wish = { status: 'failed', timeout: '1h' } as const;
    expect(await findReason(scene.emulator, {}, wish)).toEqual({
      code: 'settled_otherwise',
      account: '0 of 1 delivery failed: one succeeded.\n  del_… succeeded after 1 attempt',
      hint: undefined,
    });
  });

  it('tells of events that nobody is subscribed to', async () => {
    await using scene = await createScene(200, ['invoice.paid']);
    await scene.emulator.trigger('order.shipped');
    const { account } = await findReason(scene.emulator, { type: 'order.shipped' });
    expect(account).toBe(
      [
        '0 of 1 delivery of order.shipped settled within 50ms.',
        '  evt_… order.shipped was created, and has no delivery.',
        '  No endpoint is subscribed to order.shipped: wh_… takes invoice.paid.',
      ].join('\n'),
    );
  });

  it('tells of events of other types, and of those that the API refused', async () => {
    await using scene = await createScene();
    await scene.emulator.trigger('invoice.paid');
    await scene.emulator.fetch('/v1/events', { method: 'POST', body: '{"type":"Order"}' });
    const { account } = await findReason(scene.emulator, { type: 'order.shipped' });
    expect(account).toBe(
      [
        '0 of 1 delivery of order.shipped settled within 50ms.',
        '  No event of order.shipped was created.',
        '  There were events of invoice.paid.',
        '  POST /v1/events was refused: 422 validation_failed.',
      ].join('\n'),
    );
  });

  it('ends at once when all that are left are paused, and says which endpoint to enable [delivery.paused]', async () => {
    await using scene = await createScene(500);
    const { emulator } = scene;
    await emulator.trigger('order.shipped');
    await scene.receiver.nth(1);
    await emulator.clock.advance(0);
    const [{ id } = { id: '' }] = await emulator.webhooks.list();
    await emulator.webhooks.update(id, { disabled: true });
    expect(await findReason(emulator, {}, { timeout: '1h' })).toEqual({
      code: 'timeout',
      account: [
        '0 of 1 delivery settled: the rest is paused.',
        '  del_… paused after 1 attempt, wh_… is disabled: the receiver answered 500 Internal Server Error',
        "  wh_… is disabled: webhooks.update('wh_…', { disabled: false }) enables it.",
      ].join('\n'),
      hint: `${id} is disabled: webhooks.update('${id}', { disabled: false }) enables it.`,
    });
    expect((await findReason(emulator, {}, { count: 1 })).account).toMatch(
      /within 50ms\.\n.*paused.*is disabled/,
    );
  });

  it('tells that there is no endpoint, or that it is disabled', async () => {
    await using scene = await createScene();
    const [webhook] = await scene.emulator.webhooks.list();
    await scene.emulator.webhooks.update(webhook?.id ?? '', { disabled: true });
    await scene.emulator.trigger('order.shipped');
    expect((await findReason(scene.emulator, {})).hint).toMatch(/^wh_\w+ is disabled\.$/);
    const workspace = await scene.emulator.createWorkspace();
    expect(await findReason(workspace, {})).toEqual({
      code: 'timeout',
      account: [
        '0 of 1 delivery settled within 50ms.',
        '  No event was created.',
        '  There is no endpoint: webhooks.create({ url }) registers one.',
      ].join('\n'),
      hint: 'There is no endpoint: webhooks.create({ url }) registers one.',
    });
  });

  it('tells of a receiver that has not answered yet, and how fast a clock runs', async () => {
    let answer = () => {};
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await using scene = await createScene([{ after, status: 500 }]);
    await scene.emulator.clock.resume();
    await scene.emulator.trigger('order.shipped');
    await scene.receiver.nth(1);
    expect((await findReason(scene.emulator, {})).hint).toMatch(/the receiver has not answered yet/);
    answer();
    await scene.emulator.clock.advance(0);
    expect((await findReason(scene.emulator, {})).hint).toMatch(/^It runs at 1: clock.advance\('5m'\)/);
  });

  it('tells it all even where its own look at the events is refused', async () => {
    await using emulator = await createEmulator({ profile: 'strict' });
    const { data: keys } = await emulator.control.listKeys({});
    await emulator.control.revokeKey({ id: keys[0]?.id ?? '' });
    expect((await findReason(emulator, {})).code).toBe('timeout');
  });
});
