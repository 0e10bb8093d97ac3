import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { StreamInput, StreamItem } from '../../src/contract/stream-schemas.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';

/** A frozen emulator whose deliveries succeed. */
async function setUp() {
  const emulator = await startTestEmulator();
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
  const follow = (input: StreamInput) => {
    const client = new AbortController();
    onTestFinished(() => client.abort());
    return control.stream(input, client.signal)[Symbol.asyncIterator]();
  };
  return { control, receiver, path, createListener, deliver, follow };
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

it('a slow client gets what was committed while it handled an item', async () => {
  const { control, deliver, follow, receiver } = await setUp();
  await control.createWebhook({ url: receiver.url });
  const items = follow({ types: 'attempt', since_sequence: 0 });
  const first = await deliver();
  expect(await items.next()).toMatchObject(attemptOf(first));
  const second = await deliver();
  expect(await items.next()).toMatchObject(attemptOf(second));
});

it('the stream of a listener ends with the reset that removes its endpoint', async () => {
  const { control, createListener, follow } = await setUp();
  const items = follow({ listener: await createListener() });
  const next = items.next();
  await control.reset({});
  expect(await next).toMatchObject({ value: { type: 'reset' } });
  expect(await items.next()).toEqual(done);
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
