import { expect, it } from 'vitest';
import { createEmulator } from '../src/index.ts';
import { createReceiver } from './support/receiver.ts';

it('boots in this process, answers requests without the network, and delivers over it', async () => {
  await using receiver = await createReceiver();
  await using emulator = await createEmulator({
    forwardTo: { url: receiver.url, events: ['order.shipped'] },
  });
  const answer = await emulator.fetch(
    new Request(`${emulator.baseUrl}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
      body: '{"type":"order.shipped"}',
    }),
  );
  expect(answer.status).toBe(201);
  await receiver.waitFor(1);
  expect((await emulator.control.listDeliveries({ workspace_id: emulator.workspaceId })).data).toHaveLength(
    1,
  );
});

it('takes its rules from a profile and single rows', async () => {
  await using emulator = await createEmulator({ profile: 'strict', overrides: { 'webhook.url': 'local' } });
  expect(emulator.status().profile).toBe('strict');
});

it('is gone after close', async () => {
  const emulator = await createEmulator();
  await emulator.close();
  await expect(fetch(`${emulator.url}/healthz`)).rejects.toThrow();
});
