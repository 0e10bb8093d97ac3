import { describe, expect, it } from 'vitest';
import { createEmulator, createReceiver } from '../../src/index.ts';
import { useWorkspacesConcurrently } from './concurrent-workspaces.ts';

describe('createWorkspace', () => {
  it('a workspace does not see the events, endpoints and deliveries of others', async () => {
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
    expect(
      (
        await fetch(`${other.baseUrl}/events/${event.id}`, {
          headers: { authorization: `Bearer ${other.apiKey}` },
        })
      ).status,
    ).toBe(404);
  });

  it('a workspace has the clock that its options set', async () => {
    await using emulator = await createEmulator({ clock: { speed: 10 } });
    const rates = [{}, { clock: { speed: 60 } }, { clock: { frozen: true } }].map(async (options) => {
      const { clock } = await emulator.createWorkspace(options);
      return (await clock.show()).speed;
    });
    expect(await Promise.all(rates)).toEqual([10, 60, 0]);
  });

  it('a closed workspace sends nothing and can still be read', async () => {
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

  it('thirty workspaces run on one emulator, each with its own endpoints and clock', async () => {
    await using emulator = await createEmulator();
    await useWorkspacesConcurrently(emulator, 30);
  });
});
