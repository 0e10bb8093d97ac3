import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/duration.ts';
import { between, header, openReceiver, startDeliverySetup } from './delivery-setup.ts';
import { failedResult, NOW, runEventLoop, startDispatcher } from './dispatcher-setup.ts';

describe('replayDelivery', () => {
  it('a replay of a failed delivery is another attempt [replay, §6.retries.replay]', async () => {
    const { receiver, control, deliver } = await startDeliverySetup({ status: 500 });
    const { id } = await deliver();
    await control.advanceClock({ ms: 80 * HOUR_MS });
    receiver.respond({});
    expect(await control.replayDelivery({ id })).toMatchObject({ id, status: 'pending', settled_at: null });
    await control.advanceClock({ ms: 0 });
    const delivery = await control.getDelivery({ id });
    expect(delivery).toMatchObject({ status: 'succeeded', settled_reason: null, attempt_count: 9 });
    expect(delivery.attempts.at(-1)).toMatchObject({ number: 9, trigger: 'manual', outcome: 'succeeded' });
  });

  it.each([
    ['keeps_success', 'succeeded'],
    ['fails', 'failed'],
  ] as const)(
    'a failed replay of a succeeded delivery under %s leads to %s and is not retried [replay, replay.failed]',
    async (choice, status) => {
      const overrides = { 'replay.failed': choice };
      const { control, deliver } = await startDeliverySetup([{}, { status: 500 }], { overrides });
      const { id } = await deliver();
      await control.replayDelivery({ id });
      const move = await control.advanceClock({ ms: 80 * HOUR_MS });
      expect(move.attempts).toEqual([]);
      expect(await control.getDelivery({ id })).toMatchObject({
        ...{ status, settled_reason: 'replay_failed', next_attempt_at: null, attempt_count: 2 },
      });
    },
  );

  it('a failed replay of a pending delivery takes the place of its next retry [replay]', async () => {
    const { failFirst, attempt, replay, moveTo, nextDueAt } = startDispatcher();
    const { id } = await failFirst();
    await replay(id);
    await (await attempt(2)).respond(failedResult);
    expect(nextDueAt()).toBe(NOW + 30 * MINUTE_MS);
    await moveTo(NOW + 30 * MINUTE_MS);
    await (await attempt(3)).respond(failedResult);
    expect(nextDueAt()).toBe(NOW + 150 * MINUTE_MS);
  });

  it('a replay with a new id is a separate delivery with its own retry schedule [replay]', async () => {
    const { control, deliver, receiver } = await startDeliverySetup({ status: 500 });
    const original = await deliver();
    await control.advanceClock({ ms: HOUR_MS });
    const before = receiver.requests.length;
    const copy = await control.replayDelivery({ id: original.id, new_id: true });
    expect(copy).toMatchObject({ replay_of: original.id, event_id: original.event_id, attempt_count: 0 });
    expect(copy.id).not.toBe(original.id);
    await control.advanceClock({ ms: 0 });
    const sent = receiver.requests[before];
    expect(header(sent, 'service-delivery-id')).toBe(copy.id);
    expect(sent?.body.equals(receiver.requests[0]?.body ?? Buffer.alloc(0))).toBe(true);
    const { attempts, next_attempt_at } = await control.getDelivery({ id: copy.id });
    expect(attempts).toMatchObject([{ trigger: 'schedule', number: 1 }]);
    expect(between(copy.created_at, next_attempt_at)).toBe(5 * MINUTE_MS);
    expect(await control.getDelivery({ id: original.id })).toMatchObject({
      status: 'pending',
      attempt_count: before,
    });
  });

  it('a replay to another URL is a new delivery whose retries go to that URL [replay]', async () => {
    const { control, deliver, receiver, webhook } = await startDeliverySetup();
    const elsewhere = await openReceiver([{ status: 500 }, {}]);
    const { id } = await deliver();
    const copy = await control.replayDelivery({ id, url: `${elsewhere.url}/hook?a=1` });
    await control.advanceClock({ ms: HOUR_MS });
    expect(copy).toMatchObject({ replay_of: id, url: `${elsewhere.url}/hook?a=1`, webhook_id: webhook.id });
    expect(elsewhere.requests.map(({ path }) => path)).toEqual(['/hook?a=1', '/hook?a=1']);
    expect(receiver.requests).toHaveLength(1);
  });

  it('a replay with another body is a new delivery that sends that body byte for byte [replay]', async () => {
    const { control, deliver, receiver } = await startDeliverySetup();
    const { id } = await deliver();
    const copy = await control.replayDelivery({ id, body: '{ "data": {"id": "evt_x", "n": 12.50} }' });
    await control.advanceClock({ ms: 0 });
    expect(receiver.requests[1]?.body.toString()).toBe('{"data":{"id":"evt_x","n":12.50}}');
    const again = await control.replayDelivery({ id: copy.id, new_id: true });
    await control.advanceClock({ ms: 0 });
    expect(again.replay_of).toBe(copy.id);
    expect(receiver.requests[2]?.body.toString()).toBe('{"data":{"id":"evt_x","n":12.50}}');
  });

  it.each([
    ['an empty URL', { url: '' }, 'validation_failed'],
    ['an empty body', { body: '' }, 'invalid_request'],
    ['a URL that the rules reject', { url: 'http://example.com/' }, 'validation_failed'],
    ['a body that is not an object', { body: '[]' }, 'invalid_request'],
  ])('a replay to %s is rejected and stores nothing', async (_, change, code) => {
    const { control, deliver, receiver } = await startDeliverySetup();
    const { id } = await deliver();
    await expect(control.replayDelivery({ id, ...change })).rejects.toMatchObject({ code });
    await control.advanceClock({ ms: 0 });
    expect(receiver.requests).toHaveLength(1);
    expect((await control.listDeliveries({})).data).toHaveLength(1);
  });

  it('a replay of a delivery whose endpoint was deleted is a conflict [replay]', async () => {
    const { control, deliver, webhook, receiver } = await startDeliverySetup({ status: 500 });
    const { id } = await deliver();
    await control.deleteWebhook({ id: webhook.id });
    for (const change of [{}, { new_id: true }, { url: receiver.url }]) {
      await expect(control.replayDelivery({ id, ...change })).rejects.toMatchObject({ code: 'conflict' });
    }
    expect(await control.getDelivery({ id })).toMatchObject({ status: 'canceled', attempt_count: 1 });
  });

  it('a replay that meets the deletion of its endpoint leaves no pending delivery [replay]', async () => {
    const { endpoint, trigger, attempt, remove, replay, get, sent, store } = startDispatcher();
    const { id: webhook } = endpoint();
    const [id = ''] = await trigger();
    await (await attempt(1)).respond();
    const [, replayed] = await Promise.allSettled([remove(webhook), replay(id)]);
    await runEventLoop();
    expect(replayed).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
    expect(get(id)).toMatchObject({ status: 'succeeded', replays_waiting: 0 });
    expect(sent).toHaveLength(1);
    expect(store.deliveries.countPending()).toBe(0);
  });
});
