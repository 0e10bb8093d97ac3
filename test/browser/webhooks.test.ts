/** The endpoint pages: creating, editing, probing and deleting endpoints, their statistics and faults. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import {
  describeInBrowser,
  expectFocused,
  type OpenOptions,
  openDashboard,
  skipToNextPoll,
} from '../support/browser.ts';
import type { ReceiverResponses } from '../support/test-receiver.ts';
import { startEmulator, startPair } from './open-emulator.ts';

/** An emulator with one endpoint whose receiver responds with `responses`, and the page of the endpoint. */
async function startOne(responses: ReceiverResponses, openOptions: OpenOptions = {}) {
  const { emulator, receiver, webhook } = await startPair(responses);
  const { id, secret } = webhook;
  const trigger = async (type = 'order.shipped') => {
    await emulator.api('POST', '/events', { type });
  };
  const page = await openDashboard(emulator, { hash: `/webhooks/${id}`, ...openOptions });
  await page.getByRole('heading', { name: `${receiver.url}/hooks` }).waitFor();
  return { emulator, receiver, page, id, secret, trigger };
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describeInBrowser('the endpoint pages', () => {
  it('the first page registers an endpoint and sends it a first event in three steps', async () => {
    const page = await openDashboard(await startEmulator(), { hash: '/webhooks' });
    await page.getByText('svc listen http').waitFor();
    await expectAccessible(page);
    await page.getByLabel('URL of your receiver').fill('localhost:9/hooks');
    await press(page, 'Register');
    await page.getByText('http://localhost:9/hooks').first().waitFor();
    await page.getByLabel('Payload').getByText('tracking_number').waitFor();
    await page.getByRole('region', { name: 'Endpoints' }).getByText('no attempts').waitFor();
    await expectAccessible(page);
    await press(page, 'Send order.shipped');
    await page.getByRole('heading', { name: 'order.shipped' }).waitFor();
    await expect.poll(() => page.url()).toContain('#/deliveries/del_');
  });

  it('the endpoint pages register an endpoint with errors at each field, show its secret and send it a test event', async () => {
    const emulator = await startEmulator();
    const page = await openDashboard(emulator, { hash: '/webhooks', expectedErrors: /422/ });
    await page.getByText('No deliveries yet').waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    const create = () => dialog.getByRole('button', { name: 'Register endpoint' }).click();
    await dialog.getByLabel('URL').fill('http://example.com/hooks');
    await dialog.getByLabel('Events').fill('order.shipped, invoice.paid');
    await dialog.getByLabel('Headers').fill('no header');
    await create();
    await dialog
      .getByText(
        "Cannot be added: 'no header' must have the form Name: value, such as 'Authorization: Bearer abc'",
      )
      .waitFor();
    await dialog.getByLabel('Headers').fill('X-Gateway: open');
    await create();
    await dialog.getByText('Must use HTTPS').waitFor();
    await expect.poll(() => dialog.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    // The scheme is added.
    await dialog.getByLabel('URL').fill('localhost:9/hooks');
    await expectAccessible(page);
    await create();
    const secret = await dialog.getByText(/^whsec_/).textContent();
    await press(page, 'Send a test event');
    await page.getByRole('heading', { name: 'Attempt 1 of 1' }).waitFor();
    const { data } = await emulator.control.listWebhooks({});
    expect(data).toMatchObject([
      { events: ['order.shipped', 'invoice.paid'], headers: { 'X-Gateway': 'open' } },
    ]);
    const [{ id } = { id: '' }] = data;
    await expect.poll(async () => (await emulator.control.revealSecret({ id })).secret).toBe(secret);
  });

  it('the endpoint pages show the results of the latest attempts, and link the deliveries', async () => {
    const { page, receiver, trigger } = await startOne([200, 503]);
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('No attempts yet').waitFor();
    await trigger();
    await receiver.waitFor(1);
    await attempts.getByText('1 of the last 1').waitFor();
    await trigger('invoice.paid');
    await receiver.waitFor(2);
    await attempts.getByText('1 of the last 2').waitFor();
    await attempts.getByText(/Duration: median .+, 95th percentile/).waitFor();
    await attempts.getByRole('group', { name: /: 1 attempt succeeded, 1 failed, 1 scheduled/ }).waitFor();
    await attempts.getByRole('link', { name: 'All deliveries' }).click();
    await expect.poll(() => page.url()).toMatch(/#\/deliveries\?webhook_id=wh_\w+$/);
  });

  it('the endpoint pages hide the secret until it is shown, and rotate it with an overlap', async () => {
    const { emulator, page, id, secret } = await startOne(200, { expectedErrors: /4[02]\d/ });
    expect(await page.getByText(secret).count()).toBe(0);
    await press(page, 'Copy secret');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    expect(await page.getByText(secret).count()).toBe(0);
    await press(page, 'Show');
    await page.getByText(secret).waitFor();
    await press(page, 'Hide');
    await page.getByText(secret).waitFor({ state: 'detached' });
    const opener = page.getByRole('button', { name: 'Rotate', exact: true });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: 'Rotate secret' });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectFocused(opener);
    await opener.click();
    const rotate = () => dialog.getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByLabel('Keep the previous secret valid for').fill('long');
    await rotate();
    await dialog.getByText('Must be a duration').waitFor();
    await dialog.getByLabel('Keep the previous secret valid for').fill('400d');
    await rotate();
    await dialog.getByText(/365d/).waitFor();
    await dialog.getByLabel('Keep the previous secret valid for').fill('1h');
    await rotate();
    const shown = page.getByRole('dialog', { name: 'New secret' });
    const fresh = await shown.getByText(/^whsec_/).textContent();
    await press(page, 'Done');
    await page.getByText('expires in').waitFor();
    await expect
      .poll(() => emulator.control.revealSecret({ id }))
      .toEqual({ secret: fresh, previous_secret: secret });
  });

  it('the endpoint pages edit, disable and enable an endpoint', async () => {
    const { emulator, page, id } = await startOne(200);
    await press(page, 'Edit');
    await page.getByRole('dialog').getByLabel('Events').fill('invoice.paid');
    await press(page, 'Save');
    await page.getByText('invoice.paid', { exact: true }).waitFor();
    const badge = page.getByText('‖ disabled');
    await press(page, 'Disable');
    await badge.waitFor();
    await expect
      .poll(() => emulator.control.getWebhook({ id }))
      .toMatchObject({
        events: ['invoice.paid'],
        disabled: true,
      });
    await press(page, 'Enable');
    await badge.waitFor({ state: 'detached' });
  });

  it('the endpoint pages delete an endpoint after a confirmation, and show how many deliveries were canceled', async () => {
    // The page can poll the endpoint between its deletion and the navigation to the list.
    const openOptions = { expectedErrors: /404/ };
    const { emulator, receiver, page, trigger } = await startOne(503, openOptions);
    await trigger();
    await trigger();
    await receiver.waitFor(2);
    await press(page, 'Delete');
    await page.getByRole('dialog').getByText('Its pending deliveries will be canceled.').waitFor();
    await press(page, 'Delete endpoint');
    await page.getByText('Endpoint deleted, 2 deliveries canceled.').waitFor();
    await page.getByText('No endpoints.').waitFor();
    await expect.poll(async () => (await emulator.control.listWebhooks({})).data).toEqual([]);
  });

  it('the endpoint pages send a test event with one click, and open its delivery', async () => {
    const { page, receiver, emulator, id } = await startOne(200);
    await emulator.control.updateWebhook({ id, events: ['invoice.paid'] });
    await page.reload();
    await press(page, 'Send a test event');
    await page.getByRole('heading', { name: 'Attempt 1 of 1' }).waitFor();
    expect((await receiver.request(1)).envelope?.type).toBe('invoice.paid');
    await expect.poll(() => page.url()).toContain('#/deliveries/del_');
  });

  it('the endpoint pages add and remove faults and show how often they were applied', async () => {
    const { emulator, receiver, page, id, trigger } = await startOne(200, {
      expectedErrors: /4[02]\d/,
      hasFakeTimers: true,
    });
    const faults = page.getByRole('region', { name: 'Make it fail' });
    await faults.getByText('No faults.').waitFor();
    const form = faults.getByRole('form', { name: 'Make it fail' });
    await form.getByLabel('Fault', { exact: true }).selectOption('delay');
    await form.getByLabel('Duration').fill('soon');
    await press(page, 'Make it fail');
    await form.getByText('Must be a duration').waitFor();
    await form.getByLabel('Duration').fill('10m');
    await form.getByLabel('Probability').fill('200');
    await press(page, 'Make it fail');
    await form.getByText('Must be a number above 0 and at most 1').waitFor();
    await form.getByLabel('Probability').fill('');
    await form.getByLabel('Count').fill('2');
    await press(page, 'Make it fail');
    await faults.getByText('delay 10m').waitFor();
    await faults.getByText('applied 0 of 2 times').waitFor();
    await emulator.control.addFault({ on: 'delivery', kind: 'bad-signature' });
    await skipToNextPoll(page);
    await faults.getByText('all event types, all endpoints').waitFor();
    await expect
      .poll(async () => (await emulator.control.listFaults({})).data[1])
      .toMatchObject({ kind: 'delay', delay_ms: 600_000, webhook_id: id, count: 2 });
    await press(page, 'Remove fault delay 10m');
    await faults.getByText('delay 10m').waitFor({ state: 'detached' });
    await trigger();
    await receiver.waitFor(1);
    await faults.getByText('applied 1 time', { exact: true }).waitFor();
  });

  it('the endpoint pages make the next three attempts fail with one click, show how many are left, and remove the fault', async () => {
    const { emulator, receiver, page, id, trigger } = await startOne(200, {
      hasFakeTimers: true,
      expectedErrors: /4[02]\d/,
    });
    const faults = page.getByRole('region', { name: 'Make it fail' });
    const form = faults.getByRole('form', { name: 'Make it fail' });
    await form.getByLabel('Count').fill('0');
    await press(page, 'Make it fail');
    await form.getByText(/^Must be a whole number/).waitFor();
    await page.reload();
    await press(page, 'Make it fail');
    await faults.getByText('error-response, status 503').waitFor();
    await faults.getByText('applied 0 of 3 times').waitFor();
    await trigger();
    await faults.getByText('applied 1 of 3 times').waitFor();
    expect((await emulator.control.listDeliveries({})).data).toMatchObject([
      { webhook_id: id, attempt_count: 1, last_attempt: { outcome: 'http_error', response_status: 503 } },
    ]);
    expect(receiver.requests).toEqual([]);
    await press(page, 'Remove fault error-response, status 503');
    await faults.getByText('No faults.').waitFor();
    await emulator.control.settleClock({});
    expect(receiver.requests).toHaveLength(1);
  });
});
