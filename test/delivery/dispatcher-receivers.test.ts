import { describe, expect, it } from 'vitest';
import type { Receiver } from '../support/test-receiver.ts';
import { header, openEmulator, openReceiver } from './delivery-setup.ts';
import { createGate } from './sender-setup.ts';

/** A receiver whose requests wait until the test lets them go; it counts those that wait. */
async function openGatedReceiver() {
  const gates: Array<() => void> = [];
  let waiting = 0;
  let most = 0;
  const receiver = await openReceiver(() => {
    const gate = createGate();
    gates.push(gate.open);
    most = Math.max(most, ++waiting);
    return { after: gate.opened.then(() => waiting--) };
  });
  return {
    receiver,
    most: () => most,
    /** Lets the request of that number go, from 0. */
    release: (index: number) => gates[index]?.(),
  };
}

const isOf = (ids: ReadonlySet<string>) => (request: Receiver['requests'][number]) =>
  ids.has(header(request, 'service-delivery-id'));

describe('over real connections the dispatcher', () => {
  it('has eight requests of an endpoint open, and the next one with each answer [delivery.concurrency]', async () => {
    const { receiver, most, release } = await openGatedReceiver();
    const emulator = await openEmulator();
    await emulator.subscribe(receiver.url);
    await Promise.all(Array.from({ length: 20 }, () => emulator.trigger()));
    await receiver.waitFor(8);
    for (let answered = 0; answered < 12; answered++) {
      release(answered);
      await receiver.waitFor(9 + answered);
    }
    expect(most()).toBe(8);
    for (let index = 12; index < 20; index++) release(index);
    await emulator.control.advanceClock({ ms: 0 });
    expect(new Set(receiver.requests.map((request) => header(request, 'service-delivery-id'))).size).toBe(20);
  });

  it.each([
    [{ per_endpoint: 1 }, 1],
    [{ per_endpoint: 3 }, 3],
    [{ total: 2 }, 2],
  ])('has as many open as is configured: %j [delivery.concurrency]', async (limits, count) => {
    const { receiver, most, release } = await openGatedReceiver();
    const emulator = await openEmulator({ overrides: { 'delivery.concurrency': limits } });
    await emulator.subscribe(receiver.url);
    await Promise.all(Array.from({ length: 6 }, () => emulator.trigger()));
    for (let index = 0; index < 6; index++) {
      await receiver.waitFor(Math.min(6, index + count));
      release(index);
    }
    await emulator.control.advanceClock({ ms: 0 });
    expect(most()).toBe(count);
    expect(receiver.requests).toHaveLength(6);
  });

  it('has sixty-four requests open in all [delivery.concurrency]', async () => {
    const { receiver, most, release } = await openGatedReceiver();
    const emulator = await openEmulator();
    for (let i = 0; i < 80; i++) await emulator.subscribe(`${receiver.url}/${i}`);
    await emulator.trigger();
    await receiver.waitFor(64);
    for (let index = 0; index < 80; index++) {
      release(index);
      await receiver.waitFor(Math.min(80, 65 + index));
    }
    await emulator.control.advanceClock({ ms: 0 });
    expect(most()).toBe(64);
  });

  it('lets a receiver that hangs delay no other [delivery.concurrency]', async () => {
    const hanging = await openGatedReceiver();
    const prompt = await openReceiver();
    const emulator = await openEmulator();
    await emulator.subscribe(hanging.receiver.url);
    await emulator.subscribe(prompt.url);
    await Promise.all(Array.from({ length: 100 }, () => emulator.trigger()));
    await prompt.waitFor(100);
    expect(hanging.receiver.requests).toHaveLength(8);
    hanging.receiver.respond({});
    for (let index = 0; index < 8; index++) hanging.release(index);
    await hanging.receiver.waitFor(100);
  });

  it('never has two requests of one delivery open, while it is replayed again and again [delivery.concurrency, replay]', async () => {
    const { receiver, most, release } = await openGatedReceiver();
    const emulator = await openEmulator();
    await emulator.subscribe(receiver.url);
    await emulator.trigger();
    const { data } = await emulator.control.listDeliveries({});
    const [{ id } = { id: '' }] = data;
    for (let i = 0; i < 4; i++) await emulator.control.replayDelivery({ id });
    for (let index = 0; index < 5; index++) {
      await receiver.waitFor(index + 1);
      release(index);
    }
    await emulator.control.advanceClock({ ms: 0 });
    expect(most()).toBe(1);
    expect(receiver.requests.filter(isOf(new Set([id])))).toHaveLength(5);
    expect((await emulator.control.getDelivery({ id })).attempts.map(({ trigger }) => trigger)).toEqual([
      'schedule',
      'manual',
      'manual',
      'manual',
      'manual',
    ]);
  });
});
