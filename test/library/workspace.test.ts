import { describe, expect, it } from 'vitest';
import { createEmulator, createReceiver, type Emulator } from '../../src/index.ts';

const TESTS = 100;

/** What one of many tests does: is refused once, fails twice, advances its own clock, and looks at what is its own. */
async function liveThrough(emulator: Emulator, number: number): Promise<void> {
  await using receiver = await createReceiver([500, 503, 200], { timeoutMs: 15_000 });
  await using workspace = await emulator.createWorkspace({ clock: { frozen: true } });
  const type = `order.shipped_${number % 3}`;
  const { secret } = await workspace.webhooks.create({ url: receiver.url, events: [type] });
  receiver.verifyWith(secret);
  await workspace.faults.add({ on: 'request', method: 'POST', status: 500 + number, count: 1 });
  await expect(workspace.trigger(type)).rejects.toMatchObject({ code: 'internal_error' });
  const { event } = await workspace.trigger(type, { number });
  await receiver.waitFor(1);
  const { now: before } = await workspace.clock.show();
  const waiting = workspace.deliveries.wait({ type }, { status: 'succeeded', timeout: '15s' });
  const { now } = await workspace.clock.advance('35m');
  expect(Date.parse(now) - Date.parse(before)).toBe(35 * 60_000);
  expect(await waiting).toMatchObject([{ event_id: event.id, attempt_count: 3 }]);
  expect(receiver.requests.map(({ eventId }) => eventId)).toEqual([event.id, event.id, event.id]);
  expect(receiver.requests.every(({ verification }) => verification?.ok)).toBe(true);
  expect(await workspace.deliveries.list()).toHaveLength(1);
  const requests = await workspace.requests.list();
  expect(requests.map(({ status }) => status)).toEqual([201, 500 + number]);
  expect(await workspace.faults.list()).toMatchObject([{ fired: 1 }]);
}

describe('a workspace of a test', () => {
  it('sees nothing of the others', async () => {
    await using emulator = await createEmulator({ clock: { frozen: true } });
    const [one, other] = [await emulator.createWorkspace(), await emulator.createWorkspace()];
    await one.webhooks.create({ url: 'http://127.0.0.1:9/' });
    const { event } = await one.trigger('order.shipped');
    await one.clock.advance('1h');
    for (const stranger of [other, emulator]) {
      expect(await stranger.webhooks.list()).toEqual([]);
      expect(await stranger.deliveries.list()).toEqual([]);
      expect(await stranger.requests.list()).toEqual([]);
      const { now } = await stranger.clock.show();
      expect(Date.parse(now)).toBeLessThan(Date.parse(event.created_at) + 60_000);
    }
    expect((await other.fetch(`/v1/events/${event.id}`)).status).toBe(404);
  });

  it('has a clock as it was wished for', async () => {
    await using emulator = await createEmulator({ clock: { speed: 10 } });
    const rates = [{}, { clock: { speed: 60 } }, { clock: { frozen: true } }].map(async (options) => {
      const { clock } = await emulator.createWorkspace(options);
      return (await clock.show()).rate;
    });
    expect(await Promise.all(rates)).toEqual([10, 60, 0]);
  });

  it('has faults of its own', async () => {
    await using emulator = await createEmulator();
    const { faults } = await emulator.createWorkspace();
    const { id } = await faults.add({ on: 'delivery', kind: 'drop' });
    await faults.add({ on: 'delivery', kind: 'duplicate' });
    await emulator.faults.clear();
    expect(await faults.list()).toHaveLength(2);
    await faults.clear(id);
    expect(await faults.list()).toMatchObject([{ kind: 'duplicate' }]);
    await faults.clear();
    expect(await faults.list()).toEqual([]);
  });

  it('sends nothing any more once it is closed, and can still be read', async () => {
    await using receiver = await createReceiver(500);
    await using emulator = await createEmulator({ clock: { frozen: true } });
    const workspace = await emulator.createWorkspace();
    await workspace.webhooks.create({ url: receiver.url });
    await workspace.trigger('order.shipped');
    await receiver.waitFor(1);
    await workspace.close();
    await workspace.clock.settle();
    expect(receiver.requests).toHaveLength(1);
    expect(await workspace.deliveries.list()).toMatchObject([{ status: 'canceled' }]);
  });

  it('is one of a hundred on one emulator, each with its endpoints and clock', async () => {
    await using emulator = await createEmulator();
    await Promise.all(Array.from({ length: TESTS }, (_, number) => liveThrough(emulator, number)));
    expect(await emulator.deliveries.list()).toEqual([]);
  });
});
