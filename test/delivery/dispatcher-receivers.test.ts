import { describe, expect, it } from 'vitest';
import type { Receiver } from '../support/test-receiver.ts';
import { header, openEmulator, openReceiver } from './delivery-setup.ts';
import { createGate } from './sender-setup.ts';

/** A receiver that holds its requests until the test releases them, and counts the held ones. */
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
    /** Releases the request with this number, from 0. */
    release: (index: number) => gates[index]?.(),
  };
}

const isOf = (ids: ReadonlySet<string>) => (request: Receiver['requests'][number]) =>
  ids.has(header(request, 'service-delivery-id'));

describe('the dispatcher over real connections', () => {
  it('the dispatcher keeps eight requests per endpoint open and sends the next one after each response [delivery.concurrency]', async () => {
    const { receiver, most, release } = await openGatedReceiver();
    const emulator = await openEmulator();
    await emulator.subscribe(receiver.url);
    await Promise.all(Array.from({ length: 20 }, () => emulator.trigger()));
    await receiver.waitFor(8);
    for (let number = 0; number < 12; number++) {
      release(number);
      await receiver.waitFor(9 + number);
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
  ])(
    'the dispatcher keeps as many requests open as configured: %j [delivery.concurrency]',
    async (limits, count) => {
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
    },
  );

  it('the dispatcher keeps sixty-four requests open in total [delivery.concurrency]', async () => {
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

  it('a receiver that hangs delays no other receiver [delivery.concurrency]', async () => {
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

  it('the dispatcher never has two requests of one delivery open while it is replayed repeatedly [delivery.concurrency, replay]', async () => {
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
