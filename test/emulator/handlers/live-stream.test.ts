import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/duration.ts';
import type { StreamInput, StreamItem } from '../../../src/operations/stream-schemas.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';

/** A frozen emulator whose deliveries succeed. */
async function setUp() {
  const wall = createTestWallClock();
  const emulator = await startTestEmulator({ wall });
  onTestFinished(emulator.close);
  const receiver = await createReceiver();
  onTestFinished(receiver.close);
  const { control } = emulator;
  const path = join(createTemporaryFolder(), 'state.svc');
  const createListener = async () => (await control.createWebhook({ url: receiver.url, listener: true })).id;
  /** Creates an event and waits until it is delivered and everything about it is committed. */
  const deliver = async () => {
    const { json } = await emulator.api('POST', '/events', { type: 'order.shipped' });
    await control.advanceClock({ ms: 0 });
    await control.listRequests({});
    return String(json.id);
  };
  /** Reads the stream item by item. */
  const follow = (input: StreamInput, client = new AbortController()) => {
    onTestFinished(() => client.abort());
    return control.stream(input, client.signal)[Symbol.asyncIterator]();
  };
  return { control, wall, receiver, path, createListener, deliver, follow };
}

const done = { done: true, value: undefined };
const attemptOf = (event_id: string) => ({ value: { type: 'attempt', delivery: { event_id } } });

it('a client that was away during a reset gets one reset, and then only later changes', async () => {
  const { control, path, deliver, follow, receiver } = await setUp();
  await control.createWebhook({ url: receiver.url });
  await control.saveSnapshot({ path });
  await control.loadSnapshot({ path });
  await deliver();
  const first = await follow({ types: 'attempt', since_sequence: 0 }).next();
  const { sequence } = first.value as Extract<StreamItem, { type: 'attempt' }>;
  for (let count = 0; count < 2; count++) await control.reset({});
  const items = follow({ types: 'attempt', since_sequence: sequence });
  expect(await items.next()).toMatchObject({ value: { type: 'reset' } });
  const event = await deliver();
  expect(await items.next()).toMatchObject(attemptOf(event));
});

it('a stream that begins after a reset does not contain it', async () => {
  const { control, deliver, follow, receiver } = await setUp();
  await control.reset({});
  await control.createWebhook({ url: receiver.url });
  const [fromStart, fromNow] = [
    follow({ types: 'attempt', since_sequence: 0 }),
    follow({ types: 'attempt' }),
  ];
  const next = fromNow.next();
  const event = await deliver();
  expect(await fromStart.next()).toMatchObject(attemptOf(event));
  expect(await next).toMatchObject(attemptOf(event));
});

it('the stream of several listeners ends when a snapshot has removed one of them', async () => {
  const { control, createListener, follow, path } = await setUp();
  const kept = await createListener();
  await control.saveSnapshot({ path });
  const items = follow({ listener: `${kept},${await createListener()}` });
  const next = items.next();
  await control.loadSnapshot({ path });
  expect(await next).toMatchObject({ value: { type: 'reset' } });
  expect(await items.next()).toEqual(done);
});

it('the stream of a listener continues after a snapshot that contains its endpoint', async () => {
  const { control, createListener, deliver, follow, path } = await setUp();
  const id = await createListener();
  await control.saveSnapshot({ path });
  const items = follow({ listener: id, types: 'attempt' });
  const next = items.next();
  await control.loadSnapshot({ path });
  expect(await next).toMatchObject({ value: { type: 'reset' } });
  const event = await deliver();
  expect(await items.next()).toMatchObject(attemptOf(event));
});

it('the stream of a listener ends after what the deletion of its endpoint cancels', async () => {
  const { control, receiver, createListener, deliver, follow } = await setUp();
  receiver.respond(503);
  const id = await createListener();
  const items = follow({ listener: id, types: 'delivery' });
  const next = items.next();
  const event_id = await deliver();
  expect(await next).toMatchObject({ value: { delivery: { event_id, status: 'pending' } } });
  await control.deleteWebhook({ id });
  expect(await items.next()).toMatchObject({ value: { delivery: { event_id, status: 'canceled' } } });
  expect(await items.next()).toEqual(done);
});

it('a client that disconnects while it handles an item gets no further one', async () => {
  const { deliver, follow } = await setUp();
  for (let count = 0; count < 2; count++) await deliver();
  const client = new AbortController();
  const items = follow({ types: 'request', since_sequence: 0 }, client);
  expect(await items.next()).toMatchObject({ value: { type: 'request' } });
  client.abort();
  expect(await items.next()).toEqual(done);
});

it('a stream with since_sequence continues there, even if since is later', async () => {
  const { control, receiver, wall, deliver, follow } = await setUp();
  await control.createWebhook({ url: receiver.url });
  const first = await deliver();
  wall.advance(HOUR_MS);
  await deliver();
  const items = follow({ types: 'attempt', since: '1m', since_sequence: 0 });
  expect(await items.next()).toMatchObject(attemptOf(first));
});

it('a stream with since contains the past attempts of the deliveries that the list with since contains', async () => {
  const { control, receiver, wall, deliver, follow } = await setUp();
  await control.createWebhook({ url: receiver.url });
  await deliver();
  // The schedule clock is now an hour ahead of the wall clock.
  await control.advanceClock({ ms: HOUR_MS });
  const second = await deliver();
  wall.advance(MINUTE_MS);
  const { data } = await control.listDeliveries({ since: '30m' });
  expect(data.map(({ event_id }) => event_id)).toEqual([second]);
  const items = follow({ types: 'attempt', since: '30m' });
  expect(await items.next()).toMatchObject(attemptOf(second));
  const third = await deliver();
  expect(await items.next()).toMatchObject(attemptOf(third));
});

it('a stream with until contains only earlier requests', async () => {
  const { wall, deliver, follow } = await setUp();
  const first = await deliver();
  wall.advance(HOUR_MS);
  await deliver();
  const client = new AbortController();
  const items = follow({ types: 'request', since_sequence: 0, until: '1m' }, client);
  expect(await items.next()).toMatchObject({ value: { request: { resource_id: first } } });
  const next = items.next();
  client.abort();
  expect(await next).toEqual(done);
});
