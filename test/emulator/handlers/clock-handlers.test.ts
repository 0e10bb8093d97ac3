import { expect, it, onTestFinished } from 'vitest';
import { MINUTE_MS } from '../../../src/domain/duration.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createGate } from '../deliveries/sender-setup.ts';

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
});

type Move = (
  control: ControlPlane,
  detached: boolean,
  signal: AbortSignal,
  dueAt: string,
) => Promise<unknown>;

it.each<[string, Move]>([
  [
    'advanceClock by a duration',
    (control, detached, signal) => control.advanceClock({ ms: 5 * MINUTE_MS, detached }, signal),
  ],
  [
    'advanceClock to a time',
    (control, detached, signal, to) => control.advanceClock({ to, detached }, signal),
  ],
  ['nextClock', (control, detached, signal) => control.nextClock({ detached }, signal)],
  ['settleClock', (control, detached, signal) => control.settleClock({ detached }, signal)],
])('%s does nothing if its client has disconnected, unless it is detached', async (_, move) => {
  const { control, receiver, now, dueAt } = await setUp();
  await move(control, false, AbortSignal.abort(), dueAt);
  expect(await control.getClock({})).toMatchObject({ now, next_due_at: dueAt });
  expect(receiver.requests).toHaveLength(1);
  await move(control, true, AbortSignal.abort(), dueAt);
  expect(await control.getClock({})).toMatchObject({ now: dueAt, next_due_at: null });
  expect(receiver.requests).toHaveLength(2);
});

it('cancelClock stops a move at the due time that it has reached', async () => {
  const { control, receiver, dueAt } = await setUp();
  const gate = createGate();
  receiver.respond({ status: 503, after: gate.opened });
  const move = control.settleClock({});
  await receiver.waitFor(2);
  expect(await control.getClock({})).toMatchObject({ moving: { canceled: false } });
  expect(await control.cancelClock({})).toMatchObject({ moving: { canceled: true } });
  gate.open();
  expect(await move).toMatchObject({ now: dueAt, attempts: [{ number: 2 }], pending: 1 });
  expect(await control.getClock({})).not.toHaveProperty('moving');
});
