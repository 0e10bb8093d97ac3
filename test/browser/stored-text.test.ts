/** Stored text never becomes markup, wherever the dashboard shows it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { startEmulator, startReceiver } from './open-emulator.ts';

const SCRIPT = `"'><img src=x onerror="window.hit=1"><script>window.hit=1</script>`;

/** An emulator with markup in every text that a client or receiver can store. */
async function openPoisoned() {
  const emulator = await startEmulator();
  const receiver = await startReceiver({ status: 500, body: SCRIPT, headers: { 'x-note': SCRIPT } });
  const { control } = emulator;
  await control.createWorkspace({ name: SCRIPT });
  const webhook = await control.createWebhook({
    url: `${receiver.url}/?<svg/onload=window.hit=1>`,
    headers: { 'X-Note': SCRIPT },
  });
  const { json: event } = await emulator.api('POST', '/events', {
    type: 'order.shipped',
    payload: { [SCRIPT]: SCRIPT },
  });
  await control.advanceClock({ ms: 0 });
  await fetch(`${emulator.status().base_url}/events/${encodeURIComponent(SCRIPT)}`);
  const [delivery] = (await control.listDeliveries({})).data;
  const [request] = (await control.listRequests({ path: '/v1/events/' })).data;
  return { emulator, webhook, event, delivery, request };
}

async function expectOnlyText(page: Page, shown: string): Promise<void> {
  await page.getByRole('main').getByText(shown).filter({ visible: true }).first().waitFor();
  expect(
    await page.evaluate(`[window.hit, document.querySelectorAll('img[src=x], script:not([src])').length]`),
  ).toEqual([undefined, 0]);
}

describeInBrowser('stored text', () => {
  it('stored text is not rendered as markup in a delivery, its request, its response, its signature and the replay dialog [dashboard.text]', async () => {
    const { emulator, delivery } = await openPoisoned();
    const page = await openDashboard(emulator, { hash: `/deliveries/${delivery?.id}` });
    for (const tab of ['Response and payload', 'Signature']) {
      await page.getByRole('tab', { name: tab }).click();
      await expectOnlyText(page, 'window.hit=1');
    }
    await page.getByRole('button', { name: 'Edit and replay' }).click();
    await expectOnlyText(page, 'Replay');
  });

  it('stored text is not rendered as markup in an event, an endpoint, the request log and the workspace list [dashboard.text]', async () => {
    const { emulator, event, webhook, request } = await openPoisoned();
    const places = [
      `/events/${event.id}`,
      `/webhooks/${webhook.id}`,
      '/requests',
      `/requests/${request?.id}`,
    ];
    for (const at of places) {
      const page = await openDashboard(emulator, { hash: at });
      await expectOnlyText(page, at.startsWith('/requests') ? 'onerror' : 'window.hit=1');
    }
  });
});
