import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/duration.ts';
import type { EmulatorOptions } from '../../../src/emulator.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { between, openEmulator, openReceiver } from './delivery-setup.ts';

/** A database file, and a function that opens an emulator on it. */
function createPlace() {
  const db = join(createTemporaryFolder(), 'sandbox.db');
  return { db, open: (options: Partial<EmulatorOptions> = {}) => openEmulator({ db, ...options }) };
}

it('deliveries that fell due while the emulator was off are sent at once, and those past their window have failed [§6.retries.window]', async () => {
  const receiver = await openReceiver({ status: 500 });
  const { open } = createPlace();
  const wall = createTestWallClock();
  const first = await open({ wall, clock: { frozen: false } });
  await first.subscribe(receiver.url);
  const late = await first.trigger();
  await first.deliveriesOf(late);
  await first.close();
  wall.advance(10 * HOUR_MS);
  const second = await open({ wall, clock: undefined });
  await receiver.waitFor(2);
  const [held] = await second.deliveriesOf(late);
  // Delayed by ten hours: the next gap counts from when the attempt started.
  expect(between(held?.created_at, held?.next_attempt_at)).toBe(10 * HOUR_MS + 30 * MINUTE_MS);
  await second.close();
  wall.advance(80 * HOUR_MS);
  const third = await open({ wall, clock: undefined });
  const [failed] = await third.deliveriesOf(late);
  expect(failed).toMatchObject({ status: 'failed', settled_reason: 'window_elapsed', attempt_count: 2 });
  expect(receiver.requests).toHaveLength(2);
});

it('a replay that was requested before a restart is sent [replay]', async () => {
  const receiver = await openReceiver();
  const { open } = createPlace();
  const first = await open();
  const { id: webhook } = await first.subscribe(receiver.url);
  const [delivery] = await first.deliveriesOf(await first.trigger());
  await first.control.updateWebhook({ id: webhook, disabled: true });
  await first.control.replayDelivery({ id: delivery?.id ?? '' });
  await first.close();
  const again = await open();
  await again.control.updateWebhook({ id: webhook, disabled: false });
  await receiver.waitFor(2);
  await again.control.advanceClock({ ms: 0 });
  expect(await again.control.getDelivery({ id: delivery?.id ?? '' })).toMatchObject({
    attempt_count: 2,
    status: 'succeeded',
  });
});
