import { expect, it } from 'vitest';
import { createEmulator } from '../src/index.ts';
import { authority, getCertificate } from './support/certificates.ts';
import { createProxy } from './support/proxy.ts';
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

it('delivers through the proxy that it is given', async () => {
  await using receiver = await createReceiver({}, { certificate: getCertificate('elsewhere') });
  await using proxy = await createProxy({ leadTo: receiver.port });
  await using emulator = await createEmulator({
    ...{ proxy: { url: proxy.url }, ca: authority },
    forwardTo: { url: 'https://elsewhere.example/hooks', events: ['*'] },
  });
  const { apiKey, baseUrl } = emulator;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = '{"type":"order.shipped"}';
  await emulator.fetch(new Request(`${baseUrl}/events`, { method: 'POST', headers, body }));
  await receiver.waitFor(1);
  expect(proxy.requests.map(({ url }) => url)).toEqual(['elsewhere.example:443']);
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
