/** The signature tab: signed content, secrets and verification. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startDeliverySetup } from '../emulator/deliveries/delivery-setup.ts';
import { describeInBrowser, type OpenOptions, openDashboard } from '../support/browser.ts';
import type { TestEmulatorOptions } from '../support/test-emulator.ts';

/** A body that changes when it is parsed and serialized again. */
const event = '{"type":"order.shipped","payload":{"customer":"Zoë","total":12.50}}';

async function openSignature(options: TestEmulatorOptions = {}, openOptions: OpenOptions = {}) {
  const place = await startDeliverySetup({}, options);
  const { json } = await place.emulator.api('POST', '/events', event);
  const delivery = await place.deliveryOf(json.id);
  const at = `/deliveries/${delivery.id}?tab=signature`;
  const page = await openDashboard(place.emulator, { hash: at, ...openOptions });
  await page.getByRole('heading', { name: 'Signed content' }).waitFor();
  return { ...place, delivery, sent: delivery.attempts[0]?.request, page };
}

const stringOf = (page: Page) => page.getByRole('region', { name: 'Signed content' });
const sectionOf = (page: Page, name: string) =>
  page.getByRole('tabpanel').locator('section', { has: page.getByRole('heading', { name }) });

describeInBrowser('the signature tab of an attempt', () => {
  it('the signature tab of an attempt shows the signed content with its parts named, the signature headers, and which secret matches after a rotation, but never the secret', async () => {
    const { page, sent, control, webhook } = await openSignature();
    await expect
      .poll(() => stringOf(page).locator('small').allTextContents())
      .toEqual(['timestamp', 'constant text', 'body']);
    await expect
      .poll(async () => (await stringOf(page).locator('code').allTextContents()).join(''))
      .toBe(sent?.signed_content);
    const headers = sectionOf(page, 'Headers');
    await headers.getByText(`${sent?.headers['Service-Signature']}`).waitFor();
    await headers.getByText(`${sent?.headers['Service-Timestamp']}`).waitFor();
    await page.getByText('The signature is valid').waitFor();
    expect(await page.content()).not.toContain(webhook.secret);
    await control.rotateWebhookSecret({ id: webhook.id });
    await page.reload();
    const secrets = sectionOf(page, 'Endpoint secret');
    await secrets.getByText('Previous secret', { exact: true }).waitFor();
    await expect
      .poll(() => secrets.locator('.badge').allTextContents())
      .toEqual(['✗ does not match the header', '✓ matches the header']);
  });

  it('the signature tab of an attempt names the delivery ID when the scheme signs it', async () => {
    const { page, delivery } = await openSignature({ scheme: 'standard-webhooks' });
    const id = stringOf(page).locator('mark[data-state="highlighted"]');
    await expect.poll(() => id.textContent()).toBe(`delivery ID${delivery.id}`);
  });

  it('the signature tab of an attempt explains that a fault changed the body after signing', async () => {
    const { emulator, control, deliver } = await startDeliverySetup();
    await control.addFault({ on: 'delivery', kind: 'tamper-body' });
    const { id } = await deliver();
    const { verification } = await control.describeSignature({ id });
    const page = await openDashboard(emulator, { hash: `/deliveries/${id}?tab=signature` });
    const verdict = page.locator('.notice');
    await verdict.getByText('body_changed').waitFor();
    await verdict.getByText(`${verification?.remedy}`).waitFor();
    await sectionOf(page, 'Endpoint secret').getByText('matches the header').waitFor();
  });
});
