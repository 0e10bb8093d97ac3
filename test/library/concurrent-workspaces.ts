/** Runs many workspaces at the same time on one emulator. */
import { expect } from 'vitest';
import { createReceiver, type Emulator } from '../../src/index.ts';

/** All workspaces share two processors. */
const TIMEOUT_MS = 45_000;

/** Uses each workspace like a test would. The default workspace must not see any of them. */
export async function useWorkspacesConcurrently(emulator: Emulator, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, number) => useWorkspace(emulator, number)));
  expect(await emulator.deliveries.list()).toEqual([]);
}

/** One rejected request, two failed attempts and a clock move, and then checks of its own data. */
async function useWorkspace(emulator: Emulator, number: number): Promise<void> {
  const type = `order.shipped_${number % 3}`;
  await using receiver = await createReceiver();
  receiver.respondTo(type, [500, 503, 200]);
  await using workspace = await emulator.createWorkspace({ clock: { frozen: true } });
  const { secret } = await workspace.webhooks.create({ url: receiver.url, events: [type] });
  receiver.verifyWith(secret);
  await workspace.faults.add({ on: 'request', method: 'POST', status: 500 + number, count: 1 });
  await expect(workspace.trigger(type, { number })).rejects.toMatchObject({ code: 'api_failure' });
  const { event } = await workspace.trigger(type, { number });
  // Another test may poll the port, which a server of that test had before. Its requests contain no event.
  const getAttempts = () => receiver.requests.filter(({ eventId }) => eventId !== null);
  await expect.poll(() => getAttempts().length, { timeout: TIMEOUT_MS }).toBe(1);
  const { now: before } = await workspace.clock.show();
  const waiting = workspace.deliveries.wait({ type }, { status: 'succeeded', timeout: TIMEOUT_MS });
  const { now } = await workspace.clock.advance('35m');
  expect(Date.parse(now) - Date.parse(before)).toBe(35 * 60_000);
  expect(await waiting).toMatchObject([{ event_id: event.id, attempt_count: 3 }]);
  expect(getAttempts().map(({ eventId }) => eventId)).toEqual([event.id, event.id, event.id]);
  expect(getAttempts().every(({ verification }) => verification?.ok)).toBe(true);
  expect(await workspace.deliveries.list()).toHaveLength(1);
  const requests = await workspace.requests.list();
  expect(requests.map(({ status }) => status)).toEqual([201, 500 + number]);
  expect(await workspace.faults.list()).toMatchObject([{ applied_count: 1 }]);
}
