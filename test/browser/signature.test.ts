/** The signature tab: signed content, secrets and verification. */
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startDeliverySetup } from '../delivery/delivery-setup.ts';
import { expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, type OpenOptions, openDashboard, reload } from '../support/browser.ts';
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
const checkOf = (page: Page) => page.locator('.signature details');
const openCheck = (page: Page) => page.getByText('Verify with other values').click();
const sectionOf = (page: Page, name: string) =>
  page.locator('.signature > section', { has: page.getByRole('heading', { name }) });

describeInBrowser('the signature tab of an attempt', () => {
  it('the signature tab of an attempt shows the signed content with its parts named, and the signature headers', async () => {
    const { page, sent } = await openSignature();
    await expect
      .poll(() => stringOf(page).locator('.signed-part-name').allTextContents())
      .toEqual(['timestamp', 'constant text', 'body']);
    await expect
      .poll(async () => (await stringOf(page).locator('code').allTextContents()).join(''))
      .toBe(sent?.signed_content);
    const headers = sectionOf(page, 'Headers');
    await headers.getByText(`${sent?.headers['Service-Signature']}`).waitFor();
    await headers.getByText(`${sent?.headers['Service-Timestamp']}`).waitFor();
    await page.getByText('The signature is valid').waitFor();
  });

  it('the signature tab of an attempt names the delivery ID when the scheme signs it', async () => {
    const { page, delivery } = await openSignature({ scheme: 'standard-webhooks' });
    const id = stringOf(page).locator('.signed-part.id');
    await expect.poll(() => id.textContent()).toBe(`delivery ID${delivery.id}`);
  });

  it('the signature tab of an attempt never contains the secret, and says whether its signature matches', async () => {
    const { page, webhook, sent } = await openSignature();
    const secrets = sectionOf(page, 'Endpoint secret');
    await secrets.getByText(`${sent?.headers['Service-Signature']}`).waitFor();
    await secrets.getByText('matches the header').waitFor();
    expect(await page.content()).not.toContain(webhook.secret);
  });

  it('the signature tab of an attempt shows the current and the previous secret after a rotation', async () => {
    const { page, control, webhook } = await openSignature();
    await control.rotateWebhookSecret({ id: webhook.id });
    await reload(page);
    const secrets = sectionOf(page, 'Endpoint secret');
    await secrets.getByText('Previous secret').waitFor();
    await expect
      .poll(() => secrets.locator('.badge').allTextContents())
      .toEqual(['✗ does not match the header', '✓ matches the header']);
  });

  it('the signature tab of an attempt verifies the attempt and updates the result after each change', async () => {
    const { page, webhook, sent } = await openSignature();
    await openCheck(page);
    const verdict = checkOf(page);
    await verdict.getByText('The signature is valid').waitFor();
    await checkOf(page).getByText(`${sent?.headers['Service-Signature']}`).waitFor();

    await page.getByRole('button', { name: 'Line break added' }).click();
    await verdict.getByText('a line ending was added at its end').waitFor();
    const signed = `${sent?.signed_content}\n`;
    const signature = createHmac('sha256', webhook.secret).update(signed).digest('hex');
    await checkOf(page).getByText(`v1=${signature}`).waitFor();

    await page.getByRole('button', { name: 'Reset' }).click();
    await verdict.getByText('The signature is valid').waitFor();
    await page.getByLabel('Secret', { exact: true }).fill('svc_test_0123456789');
    await verdict.getByText('api_key_as_secret').waitFor();

    await page.getByRole('button', { name: 'Ten minutes late' }).click();
    await verdict.getByText('timestamp_too_old').waitFor();
    await page.getByLabel('Tolerance in minutes').fill('15');
    await verdict.getByText('The signature is valid').waitFor();

    await page.getByLabel('Body that your receiver received').fill('{}');
    await verdict.getByText('body_changed').waitFor();
  });

  it('the signature tab of an attempt names the mistake behind an entered digest', async () => {
    const { page, webhook, sent } = await openSignature();
    await openCheck(page);
    const digest = createHmac('sha256', webhook.secret).update(`${sent?.body}`).digest('hex');
    await page.getByLabel('Digest that your receiver computed').fill(digest);
    await checkOf(page).getByText('content_changed').waitFor();
  });

  it('the signature tab of an attempt shows the signature of a parsed and re-serialized body', async () => {
    const { page, webhook, sent } = await openSignature();
    await openCheck(page);
    await page.getByRole('button', { name: 'Body parsed and serialized again' }).click();
    const again = JSON.stringify(JSON.parse(sent?.body ?? ''));
    const signed = `${sent?.headers['Service-Timestamp']}.${again}`;
    const signature = createHmac('sha256', webhook.secret).update(signed).digest('hex');
    await checkOf(page).getByText(`v1=${signature}`).waitFor();
    await checkOf(page).getByText('its JSON was parsed and serialized again').waitFor();
  });

  it('the signature tab of an attempt explains that a fault changed the body after signing', async () => {
    const { emulator, control, deliver } = await startDeliverySetup();
    await control.addFault({ on: 'delivery', kind: 'tamper-body' });
    const { id, attempts } = await deliver();
    const page = await openDashboard(emulator, { hash: `/deliveries/${id}?tab=signature` });
    const verdict = page.locator('.verification-result').first();
    await verdict.getByText('body_changed').waitFor();
    await verdict.getByText(`${attempts[0]?.verification?.remedy}`).waitFor();
    await sectionOf(page, 'Endpoint secret').getByText('matches the header').waitFor();
  });

  it('the signature tab of an attempt shows the attempt of the URL', async () => {
    const { emulator, control, deliver } = await startDeliverySetup([500, 200]);
    const { id } = await deliver();
    await control.nextClock({});
    const { attempts } = await control.getDelivery({ id });
    const signatures = attempts.map(({ request }) => request.headers['Service-Signature']);
    const at = `/deliveries/${id}?tab=signature&attempt=`;
    const page = await openDashboard(emulator, { hash: `${at}1` });
    await sectionOf(page, 'Headers').getByText(`${signatures[0]}`).waitFor();
    await page.evaluate(`location.hash = '${at}2'`);
    await sectionOf(page, 'Headers').getByText(`${signatures[1]}`).waitFor();
  });

  it('the signature tab of an attempt has no accessibility violations in light and dark mode, wide and narrow', async () => {
    const { page } = await openSignature();
    await openCheck(page);
    await page.getByRole('button', { name: 'Wrong secret' }).click();
    await page.getByText('wrong_secret').waitFor();
    await expectAccessibleAt(page, [360, 1920]);
  });
});
