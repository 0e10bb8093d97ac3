import { expect, it, vi } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { startReceiver, writeReceiver } from './receiver-process.ts';

const PAYLOAD =
  '{"city":"Zürich 東京","total":12.50,"big":9007199254740993,"tiny":1e-400,"escaped":"\\u00e9\\ud83d\\ude00"}';

it('a receiver that does not use our code accepts deliveries, retries and replays of the emulator [§6.delivery, §6.1, §6.2, signature.algorithm]', async () => {
  await using emulator = await startTestEmulator();
  const { workspace_id } = emulator.status();
  // The first attempt goes to a closed port: the receiver needs the secret before it has a port.
  const webhook = await emulator.api('POST', '/webhooks', {
    workspace_id,
    url: 'http://127.0.0.1:9/webhooks',
    events: ['order.shipped'],
  });
  const event = await emulator.api('POST', '/events', `{"type":"order.shipped","payload":${PAYLOAD}}`);
  const folder = await writeReceiver('node', createTemporaryFolder());
  const receiver = await startReceiver('node', { secret: webhook.json.secret, folder });
  try {
    await emulator.control.updateWebhook({
      id: webhook.json.id,
      url: receiver.url,
    });
    const { attempts } = await emulator.control.settleClock({});
    expect(attempts.at(-1)).toMatchObject({ number: 2, outcome: 'succeeded' });
    await vi.waitFor(async () => expect(await receiver.readSideEffects()).toEqual([event.json.id]), 20_000);
    const { data } = await emulator.control.listDeliveries({});
    const id = data[0]?.id ?? '';
    await emulator.control.replayDelivery({ id });
    await emulator.control.settleClock({});
    const replayed = await emulator.control.getDelivery({ id });
    expect(replayed.attempts.at(-1)).toMatchObject({ trigger: 'manual', outcome: 'succeeded' });
  } finally {
    await receiver.stop();
  }
});
