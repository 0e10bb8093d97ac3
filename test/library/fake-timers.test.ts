import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEmulator, createReceiver } from '../../src/index.ts';
import { createGate } from '../emulator/deliveries/sender-setup.ts';

const A_DAY_LONG_AGO = new Date('2020-02-29T12:00:00Z');
const FAKED = ['setTimeout', 'setInterval', 'setImmediate', 'Date'] as const;

/** Everything that depends on time in one go: commits, attempts, time limits, the clock, waiting, the end. */
async function liveThrough() {
  const gate = createGate();
  await using receiver = await createReceiver([500, { after: gate.opened }, { delayMs: 5 }]);
  await using emulator = await createEmulator({
    clock: { frozen: true },
    overrides: { 'delivery.timeout': { attempt: '2s' } },
  });
  const workspace = await emulator.createWorkspace();
  const { secret } = await workspace.webhooks.create({ url: receiver.url });
  receiver.verifyWith(secret);
  const { event } = await workspace.trigger('order.shipped');
  await receiver.request(1);
  await workspace.clock.advance('35m');
  gate.open();
  await workspace.deliveries.wait({ event_id: event.id }, { status: 'succeeded' });
  const [delivery] = await workspace.deliveries.list();
  const { attempts } = await workspace.deliveries.get(delivery?.id ?? '');
  await expect(workspace.deliveries.wait({}, { count: 2, timeout: 10 })).rejects.toMatchObject({
    code: 'timeout',
  });
  await expect(receiver.waitFor(9, { timeout: 10 })).rejects.toMatchObject({ code: 'timeout' });
  return {
    outcomes: attempts.map(({ outcome }) => outcome),
    sentAt: attempts.map(({ sent_at }) => sent_at),
    createdAt: event.created_at,
    genuine: receiver.requests.map(({ verification }) => verification?.ok),
  };
}

describe.each([
  {
    name: 'Vitest and of Jest',
    use: () => vi.useFakeTimers({ now: A_DAY_LONG_AGO }),
    leave: () => vi.useRealTimers(),
  },
  {
    name: 'node:test',
    use: () => mock.timers.enable({ apis: [...FAKED], now: A_DAY_LONG_AGO }),
    leave: () => mock.timers.reset(),
  },
])('the fake timers of $name', ({ use, leave }) => {
  beforeEach(use);
  afterEach(leave);

  it('fake timers stop the time of the test, not the emulator, and set the time that it signs with', async () => {
    const { outcomes, genuine, sentAt, createdAt } = await liveThrough();
    expect(outcomes).toEqual(['http_error', 'timeout', 'succeeded']);
    expect(genuine).toEqual([true, true, true]);
    expect(new Set([createdAt, ...sentAt])).toEqual(new Set([A_DAY_LONG_AGO.toISOString()]));
  });
});

describe('fake timers that are installed before svc-emulator is imported', () => {
  beforeEach(() => void vi.resetModules());

  it('fake timers of Vitest that are installed before the import do not stop the emulator', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { createEmulator } = await import('../../src/index.ts');
    await using emulator = await createEmulator({ clock: { frozen: true } });
    await emulator.trigger('order.shipped');
    await emulator.clock.settle();
  });
});
