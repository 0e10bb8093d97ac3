import { expect, it } from 'vitest';
import {
  startTestEmulator,
  type TestEmulator,
  type TestEmulatorOptions,
} from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';

/** Runs all operations and returns the responses and deliveries. */
async function play(emulator: TestEmulator, receiver: string) {
  const { api, control } = emulator;
  const { workspace_id, api_key } = emulator.status();
  const endpoint = { workspace_id, url: receiver, events: ['order.shipped'] };
  const webhook = (await api('POST', '/webhooks', endpoint)).json;
  const event = (await api('POST', '/events', { type: 'order.shipped', payload: { order: 1 } })).json;
  const { key } = await control.createKey({ scopes: ['events:read'] });
  const workspace = await control.createWorkspace({ name: 'Second' });
  await control.advanceClock({ ms: 600_000 });
  const { data } = await control.listDeliveries({});
  const deliveries = await Promise.all(data.map(({ id }) => control.getDelivery({ id })));
  const requestId = (await api('GET', `/events/${event.id}`)).headers.get('request-id');
  return { api_key, webhook, event, key, workspace, deliveries, requestId };
}

async function run(receiver: string, options: TestEmulatorOptions, between = async (_: TestEmulator) => {}) {
  await using emulator = await startTestEmulator({ randomSeed: 7, ...options });
  await between(emulator);
  return await play(emulator, receiver);
}

/** Removes wall time and responses of the receiver. */
function withoutWall({ deliveries, ...made }: Awaited<ReturnType<typeof play>>) {
  const facts = deliveries.map(({ attempts, last_attempt: last, ...delivery }) => ({
    ...delivery,
    last_attempt: last && { ...last, duration_ms: 0 },
    attempts: attempts.map(({ id, scheduled_at, request: { body } }) => ({ id, scheduled_at, body })),
  }));
  return JSON.stringify({ ...made, deliveries: facts });
}

it('two runs create the same ids, secrets, envelopes and deliveries at any time [id.format]', async () => {
  await using receiver = await createReceiver([{ status: 503 }, {}, { status: 503 }, {}]);
  const first = withoutWall(await run(receiver.url, {}));
  expect(withoutWall(await run(receiver.url, {}))).toBe(first);
  expect(withoutWall(await run(receiver.url, { randomSeed: 8 }))).not.toBe(first);
});

it('a pinned wall clock gives the signature timestamp, while durations are measured in real time [signature.timestamp]', async () => {
  await using receiver = await createReceiver();
  const { event, deliveries } = await run(receiver.url, { wallClock: new Date('1970-01-01T00:00:00Z') });
  const [request] = await receiver.waitFor(1);
  expect(request?.headers['service-timestamp']).toBe('1970-01-01T00:00:00Z');
  expect(event.created_at).toBe('1970-01-01T00:00:00.000Z');
  expect(deliveries[0]?.attempts[0]).toMatchObject({
    sent_at: '1970-01-01T00:00:00.000Z',
    duration_ms: expect.any(Number),
  });
  expect(deliveries[0]?.attempts[0]?.duration_ms).toBeGreaterThan(0);
});
