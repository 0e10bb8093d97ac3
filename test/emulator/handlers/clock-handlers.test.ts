import { expect, it, onTestFinished } from 'vitest';
import { MINUTE_MS } from '../../../src/domain/duration.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';

/** A frozen emulator with a delivery whose second attempt is due in five minutes. */
async function setUp() {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const receiver = await createReceiver([503, 200]);
  onTestFinished(receiver.close);
  const { control } = emulator;
  await control.createWebhook({ url: receiver.url });
  await emulator.api('POST', '/events', { type: 'order.shipped' });
  await control.advanceClock({ ms: 0 });
  const { now } = await control.getClock({});
  const dueAt = new Date(Date.parse(now) + 5 * MINUTE_MS).toISOString();
  return { control, receiver, now, dueAt };
}

it('the clock shows when the next attempt is due, or null if none is scheduled', async () => {
  const { control, dueAt } = await setUp();
  expect(await control.getClock({})).toMatchObject({ next_due_at: dueAt });
  expect(await control.nextClock({})).toMatchObject({ now: dueAt, next_due_at: null });
  expect(await control.nextClock({})).toMatchObject({ now: dueAt, attempts: [], pending: 0 });
});

type Move = (control: ControlPlane, signal: AbortSignal, dueAt: string) => Promise<unknown>;

it.each<[string, Move]>([
  ['advanceClock by a duration', (control, signal) => control.advanceClock({ ms: 5 * MINUTE_MS }, signal)],
  ['advanceClock to a time', (control, signal, to) => control.advanceClock({ to }, signal)],
  ['nextClock', (control, signal) => control.nextClock({}, signal)],
  ['settleClock', (control, signal) => control.settleClock({}, signal)],
])('%s does nothing if its client has disconnected', async (_, move) => {
  const { control, receiver, now, dueAt } = await setUp();
  await move(control, AbortSignal.abort(), dueAt);
  expect(await control.getClock({})).toMatchObject({ now, next_due_at: dueAt });
  expect(receiver.requests).toHaveLength(1);
  await move(control, new AbortController().signal, dueAt);
  expect(await control.getClock({})).toMatchObject({ now: dueAt, next_due_at: null });
  expect(receiver.requests).toHaveLength(2);
});
