import { expect, it, vi } from 'vitest';
import { startDeliverySetup } from '../emulator/deliveries/delivery-setup.ts';
import { loadPageOf } from './fake-browser.ts';

async function start() {
  const { emulator, control, webhook, deliver, deliveryOf } = await startDeliverySetup([503, 404]);
  const { event_id } = await deliver();
  await control.nextClock({});
  const delivery = await deliveryOf(event_id);
  await loadPageOf(emulator);
  const { loadMarkdown } = await import('../../src/dashboard/views/delivery/load-markdown.ts');
  const load = (index: number) => loadMarkdown(delivery, delivery.attempts[index] ?? expect.fail());
  return { control, webhook, load };
}

it('the Markdown of an attempt contains its own cause, also after the endpoint was deleted', async () => {
  const { control, webhook, load } = await start();
  expect(await load(0)).toContain('Your receiver returned 503.');
  await control.deleteWebhook({ id: webhook.id });
  expect(await load(1)).toContain('Your receiver returned 404.');
});

it('an attempt is not copied as Markdown when its secrets are unknown', async () => {
  const { load } = await start();
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (url: URL, init: RequestInit) =>
    url.pathname.endsWith('/reveal-secret') ? Promise.reject(new TypeError()) : fetch(url, init),
  );
  await expect(load(0)).rejects.toMatchObject({ code: 'no_emulator' });
});
