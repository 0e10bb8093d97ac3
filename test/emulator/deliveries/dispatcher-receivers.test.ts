import { describe, expect, it } from 'vitest';
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
});
