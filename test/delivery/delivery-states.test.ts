import { expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/duration.ts';
import { startDeliverySetup } from './delivery-setup.ts';

/** The status of a delivery now. */
async function open(script: Parameters<typeof startDeliverySetup>[0]) {
  const { control, deliver, webhook } = await startDeliverySetup(script);
  const { id } = await deliver();
  const status = async () => (await control.getDelivery({ id })).status;
  return { control, id, status, webhook };
}

it('a delivery is pending until an attempt succeeds, and again while a replay waits [delivery.states]', async () => {
  const { control, id, status } = await open([500, 200, 200]);
  expect(await status()).toBe('pending');
  await control.nextClock({});
  expect(await status()).toBe('succeeded');
  expect((await control.replayDelivery({ id })).status).toBe('pending');
  await control.advanceClock({ ms: 0 });
  expect(await status()).toBe('succeeded');
});

it('a delivery is failed when its last attempt has failed [delivery.states]', async () => {
  const { control, status } = await open(500);
  await control.advanceClock({ ms: 80 * HOUR_MS });
  expect(await status()).toBe('failed');
});

it('a pending delivery is canceled when its endpoint is deleted [delivery.states]', async () => {
  const { control, status, webhook } = await open(500);
  await control.deleteWebhook({ id: webhook.id });
  expect(await status()).toBe('canceled');
});
