import { expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';

async function trigger(emulator: TestEmulator, count: number) {
  for (let number = 0; number < count; number++)
    await emulator.api('POST', '/events', { type: 'order.shipped' });
}

it('a mark of the schedule counts the deliveries that the filter by its times lists', async () => {
  await using receiver = await createReceiver([503, 200, 503, 503]);
  await using emulator = await startTestEmulator({ clock: { frozen: true } });
  const { control } = emulator;
  const { id } = await control.createWebhook({ url: receiver.url });
  for (const count of [1, 2, 3]) {
    await trigger(emulator, 1);
    await receiver.waitFor(count);
    await control.advanceClock({ ms: 60_000 });
  }
  const before = await control.getSchedule({});
  expect(before.marks).toMatchObject([
    { webhook_id: id, deliveries: 1, succeeded: 0, failed: 1, due: 0 },
    { webhook_id: id, deliveries: 2, succeeded: 1, failed: 1, due: 0 },
    { webhook_id: id, deliveries: 1, due: 1 },
    { webhook_id: id, deliveries: 1, due: 1 },
  ]);
  await control.advanceClock({ ms: 5 * 60_000 });
  const after = await control.getSchedule({ at: before.at });
  expect(after.at).toBe(before.at);
  expect(after.marks.map(({ due, failed }) => [failed, due])).toContainEqual([1, 0]);
  for (const { marks } of [before, after, await control.getSchedule({})]) {
    for (const { webhook_id, first_at, last_at, deliveries } of marks) {
      const { data } = await control.listDeliveries({ webhook_id, scheduled: `${first_at}/${last_at}` });
      expect(data).toHaveLength(deliveries);
    }
  }
  await control.updateWebhook({ id, disabled: true });
  expect((await control.getSchedule({})).marks.every(({ due }) => due === 0)).toBe(true);
});

it('the overview counts attempts, and summarizes the endpoint', async () => {
  await using receiver = await createReceiver([503, 200, 200]);
  await using emulator = await startTestEmulator();
  const { id } = await emulator.control.createWebhook({ url: receiver.url });
  await trigger(emulator, 1);
  await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
  const failing = await emulator.control.getOverview({});
  const [delivery] = (await emulator.control.listDeliveries({ status: 'failing' })).data;
  expect(delivery).toMatchObject({
    status: 'pending',
    last_attempt: { number: 1, outcome: 'http_error', response_status: 503 },
  });
  expect(failing).toMatchObject({
    has_deliveries: true,
    delivery_counts: { pending: 1, failing: 1 },
    endpoints: [
      {
        webhook_id: id,
        attempts: 1,
        succeeded: 0,
        failing: true,
        last_failure: { delivery_id: delivery?.id, response_status: 503 },
      },
    ],
  });
  await emulator.control.settleClock({});
  await trigger(emulator, 1);
  await expect.poll(() => receiver.requests.length).toBe(3);
  await expect.poll(async () => (await emulator.control.countDeliveries({})).pending).toBe(0);
  const { endpoints } = await emulator.control.getOverview({});
  expect(endpoints[0]).toMatchObject({ attempts: 3, succeeded: 2, failing: false });
});

it('the overview shows only the selected workspace, and whether an endpoint is disabled', async () => {
  await using receiver = await createReceiver(503);
  await using emulator = await startTestEmulator();
  const { id } = await emulator.control.createWebhook({ url: receiver.url });
  await trigger(emulator, 1);
  await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
  await emulator.control.updateWebhook({ id, disabled: true });
  expect(await emulator.control.countDeliveries({})).toMatchObject({ pending: 1, failing: 0, paused: 1 });
  const [endpoint] = (await emulator.control.getOverview({})).endpoints;
  expect(endpoint).toMatchObject({ disabled: true });
  const { id: other } = await emulator.control.createWorkspace({ name: 'Other' });
  expect(await emulator.control.getOverview({ workspace_id: other })).toMatchObject({
    has_deliveries: false,
    endpoints: [],
  });
});

it('the overview shows the 100 newest endpoints, and no failure of one that has none', async () => {
  await using emulator = await startTestEmulator({ overrides: { 'webhook.limit': 101 } });
  const { control } = emulator;
  const { id: oldest } = await control.createWebhook({ url: 'http://127.0.0.1:9/' });
  for (let count = 0; count < 99; count++) await control.createWebhook({ url: 'http://127.0.0.1:9/' });
  const hundred = await control.getOverview({});
  expect(hundred.endpoints.at(-1)).toMatchObject({ webhook_id: oldest, last_failure: null, failing: false });
  expect(hundred).toMatchObject({ has_more_endpoints: false });
  await control.createWebhook({ url: 'http://127.0.0.1:9/' });
  const { endpoints, has_more_endpoints } = await control.getOverview({});
  expect([endpoints.length, has_more_endpoints]).toEqual([100, true]);
  expect(endpoints.map(({ webhook_id }) => webhook_id)).not.toContain(oldest);
});

it('the overview lists the faults that can still apply to the workspace', async () => {
  await using emulator = await startTestEmulator();
  const { control } = emulator;
  const { id: other } = await control.createWorkspace({ name: 'Other' });
  const everywhere = await control.addFault({ on: 'request', status: 503, count: 2 });
  await control.addFault({ on: 'request', status: 503, workspace_id: other });
  const usedUp = await control.addFault({ on: 'request', status: 500, method: 'GET', count: 1 });
  const list = async () =>
    (await control.getOverview({})).faults.map(({ id, applied_count }) => ({ id, applied_count }));
  expect(await list()).toEqual([
    { id: everywhere.id, applied_count: 0 },
    { id: usedUp.id, applied_count: 0 },
  ]);
  await emulator.api('POST', '/events', { type: 'order.shipped' });
  expect(await list()).toContainEqual({ id: everywhere.id, applied_count: 1 });
  await emulator.api('GET', '/events');
  await emulator.api('GET', '/events');
  expect(await list()).toEqual([]);
});
