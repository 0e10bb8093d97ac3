/** Stored text never becomes markup, wherever the dashboard shows it. */
import type { Locator } from 'playwright-core';
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

async function expectOnlyText(part: Locator, shown = 'window.hit=1'): Promise<void> {
  await part.getByText(shown).filter({ visible: true }).first().waitFor();
  expect(
    await part
      .page()
      .evaluate(`[window.hit, document.querySelectorAll('img[src=x], script:not([src])').length]`),
  ).toEqual([undefined, 0]);
}

describeInBrowser('stored text', () => {
  it('stored text is not rendered as markup in an endpoint, the request log, an event, a delivery, its replay dialog and the workspace list [dashboard.text]', async () => {
    const { emulator, webhook, request, event, delivery } = await openPoisoned();
    const page = await openDashboard(emulator, { hash: `/webhooks/${webhook.id}` });
    const open = (hash: string) => page.evaluate(`location.hash = '${hash}'`);
    await expectOnlyText(page.getByRole('main'));
    await open('/requests');
    await expectOnlyText(page.getByRole('list', { name: 'Requests' }), 'onerror');
    await open(`/requests/${request?.id}`);
    await expectOnlyText(page.getByRole('article', { name: 'Request' }), 'onerror');
    await open(`/events/${event.id}`);
    await expectOnlyText(page.getByRole('article', { name: 'Event' }));
    await open(`/deliveries/${delivery?.id}`);
    const payload = page.getByRole('region', { name: 'Request' });
    await expectOnlyText(payload);
    await payload.getByRole('button', { name: 'Raw' }).click();
    await expectOnlyText(payload);
    await expectOnlyText(page.getByRole('region', { name: 'Response' }));
    await page.getByRole('tab', { name: 'Signature' }).click();
    await expectOnlyText(page.getByRole('tabpanel', { name: 'Signature' }));
    await page.getByRole('button', { name: 'Edit and replay' }).click();
    await expectOnlyText(page.getByRole('dialog'));
  });
});
