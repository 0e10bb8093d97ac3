import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/duration.ts';
import { openReceiver, startDeliverySetup } from './delivery-setup.ts';
import { failedResult, NOW, startDispatcher } from './dispatcher-setup.ts';

it('deleting an endpoint cancels its pending deliveries and keeps settled ones [delivery.states]', async () => {
  const { control, deliver, webhook, receiver, trigger } = await startDeliverySetup([{}, { status: 500 }]);
  const done = await deliver();
  const pending = await deliver();
  expect(await control.deleteWebhook({ id: webhook.id })).toMatchObject({
    deleted: true,
    canceled_deliveries: 1,
  });
  await trigger();
  await control.advanceClock({ ms: 80 * HOUR_MS });
  expect(receiver.requests).toHaveLength(2);
  expect(await control.getDelivery({ id: done.id })).toMatchObject({ status: 'succeeded' });
  expect(await control.getDelivery({ id: pending.id })).toMatchObject({
    ...{ status: 'canceled', settled_reason: 'endpoint_deleted', next_attempt_at: null, attempt_count: 1 },
  });
});

describe('a disabled endpoint', () => {
  it('a disabled endpoint gets no deliveries of new events, and its pending ones at once when it is enabled, if they are due [delivery.paused]', async () => {
    const { control, deliver, webhook, receiver, trigger } = await startDeliverySetup([{ status: 500 }, {}]);
    const { id } = await deliver();
    await control.updateWebhook({ id: webhook.id, disabled: true });
    await trigger();
    const frozen = await control.advanceClock({ ms: HOUR_MS });
    expect(frozen).toMatchObject({ attempts: [], pending: 1, next_due_at: null });
    await control.updateWebhook({ id: webhook.id, disabled: false });
    await receiver.waitFor(2);
    await control.advanceClock({ ms: 0 });
    expect(await control.getDelivery({ id })).toMatchObject({ status: 'succeeded', attempt_count: 2 });
    expect((await control.listDeliveries({})).data).toHaveLength(1);
  });

  it('settle leaves out the paused deliveries of a disabled endpoint and names the endpoint [delivery.paused]', async () => {
    const { control, deliver, webhook } = await startDeliverySetup({ status: 500 });
    const { id } = await deliver();
    const { now } = await control.getClock({});
    await control.updateWebhook({ id: webhook.id, disabled: true });
    expect(await control.getDelivery({ id })).toMatchObject({
      ...{ status: 'pending', paused: true, next_attempt_at: null },
    });
    const paused = [{ webhook_id: webhook.id, deliveries: 1 }];
    expect(await control.settleClock({})).toMatchObject({ now, pending: 1, paused, attempts: [] });
    await control.updateWebhook({ id: webhook.id, disabled: false });
    const { data } = await control.listDeliveries({});
    expect(data).toMatchObject([{ paused: false, next_attempt_at: expect.any(String) }]);
    expect(await control.settleClock({})).toMatchObject({ pending: 0, paused: [] });
  });
});

it('retries go to the new URL of an endpoint', async () => {
  const { control, deliver, webhook, receiver } = await startDeliverySetup({ status: 500 });
  const moved = await openReceiver();
  const { id } = await deliver();
  await control.updateWebhook({ id: webhook.id, url: `${moved.url}/new` });
  await control.advanceClock({ ms: 5 * MINUTE_MS });
  expect([receiver.requests.length, moved.requests.map(({ path }) => path)]).toEqual([1, ['/new']]);
  const { attempts } = await control.getDelivery({ id });
  expect(attempts.map(({ request }) => request.url)).toEqual([receiver.url, `${moved.url}/new`]);
});

describe('a paused delivery', () => {
  const WINDOW_MS = 72 * HOUR_MS;

  it('a paused delivery that was never attempted fails 72 hours after its creation [delivery.paused]', async () => {
    const { endpoint, trigger, update, moveTo, get } = startDispatcher({
      overrides: { 'delivery.concurrency': { per_endpoint: 1, total: 1 } },
    });
    const { id: busy } = endpoint('http://127.0.0.1:9/busy');
    const { id } = endpoint();
    const [, waiting = ''] = await trigger();
    await update(id, { disabled: true });
    expect(busy).not.toBe(id);
    await moveTo(NOW + WINDOW_MS - 1);
    expect(get(waiting)).toMatchObject({ status: 'pending', attempt_count: 0 });
    await moveTo(NOW + WINDOW_MS);
    expect(get(waiting)).toMatchObject({
      ...{
        status: 'failed',
        settled_reason: 'window_elapsed',
        settled_at: NOW + WINDOW_MS,
        attempt_count: 0,
      },
    });
  });

  it('an attempt that is in flight when its endpoint is disabled is recorded, and the delivery then waits [delivery.paused]', async () => {
    const { endpoint, trigger, attempt, update, moveTo, get } = startDispatcher();
    const { id } = endpoint();
    const [delivery = ''] = await trigger();
    const sent = await attempt(1);
    await update(id, { disabled: true });
    await moveTo(NOW + WINDOW_MS + HOUR_MS);
    expect(get(delivery)).toMatchObject({ status: 'pending' });
    await sent.respond(failedResult);
    expect(get(delivery).attempt_count).toBe(1);
    await moveTo(NOW + 3 * WINDOW_MS);
    expect(get(delivery)).toMatchObject({ status: 'failed', settled_reason: 'window_elapsed' });
  });
});
