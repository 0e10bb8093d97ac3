/** Endpoints: made, changed, tried out and taken away; how they fare, and the faults that they are put through. */
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, type OpenOptions, openDashboard } from '../support/browser.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { type Answers, createReceiver } from '../support/test-receiver.ts';

async function start() {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  return emulator;
}

/** An emulator with one endpoint, which `answers` stand behind, and the page of that endpoint. */
async function startOne(answers: Answers, openOptions: OpenOptions = {}) {
  const emulator = await start();
  const receiver = await createReceiver(answers);
  onTestFinished(receiver.close);
  const { id, secret } = await emulator.control.createWebhook({ url: `${receiver.url}/hooks` });
  const trigger = async (type = 'order.shipped') => {
    await emulator.api('POST', '/events', { type });
  };
  const page = await openDashboard(emulator, { hash: `/webhooks/${id}`, ...openOptions });
  await page.getByRole('heading', { name: `${receiver.url}/hooks` }).waitFor();
  return { emulator, receiver, page, id, secret, trigger };
}

const noScroll = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describeInBrowser('the endpoints', () => {
  it('begin with how the first one comes', async () => {
    const page = await openDashboard(await start(), { hash: '/webhooks' });
    await page.getByText('No endpoints yet').waitFor();
    await page.getByText('svc listen --forward-to').waitFor();
    await expectAccessible(page);
  });

  it('are created by a form that says at each field what is wrong, and shows the secret', async () => {
    const emulator = await start();
    const page = await openDashboard(emulator, { hash: '/webhooks', expectedErrors: /422/ });
    await press(page, 'New endpoint');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('http://example.com/hooks');
    await dialog.getByRole('button', { name: 'order.shipped' }).click();
    await dialog.getByRole('button', { name: 'invoice.paid' }).click();
    await dialog.getByLabel('Headers to add').fill('no header');
    await press(page, 'Create the endpoint');
    await dialog.getByText("Must be written like 'Authorization: Bearer abc'").waitFor();
    await dialog.getByLabel('Headers to add').fill('X-Gateway: open');
    await press(page, 'Create the endpoint');
    await dialog.getByText('Must use HTTPS').waitFor();
    await expect.poll(() => dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Address').fill('http://localhost:9/hooks');
    await expectAccessible(page);
    await press(page, 'Create the endpoint');
    const secret = await dialog.getByText(/^whsec_/).textContent();
    await press(page, 'Done');
    await page.getByRole('heading', { name: 'http://localhost:9/hooks' }).waitFor();
    const { data } = await emulator.control.listWebhooks({});
    expect(data).toMatchObject([
      { events: ['order.shipped', 'invoice.paid'], headers: { 'X-Gateway': 'open' } },
    ]);
    const [{ id } = { id: '' }] = data;
    await expect.poll(async () => (await emulator.control.revealSecret({ id })).secret).toBe(secret);
  });

  it('tell in the list how each fares, live', async () => {
    const { emulator, receiver, page, trigger } = await startOne([200, 200, 503]);
    await page.getByRole('link', { name: 'All endpoints' }).click();
    await page.getByText('no attempt yet').waitFor();
    for (const count of [1, 2, 3]) {
      await trigger();
      await receiver.waitFor(count);
    }
    await page.getByRole('img', { name: 'Newest 3 attempts: 2 succeeded, 1 failed' }).waitFor();
    await page.getByText('67%').waitFor();
    await emulator.control.createWebhook({ url: 'http://localhost:9/second', events: ['invoice.paid'] });
    await page.getByRole('link', { name: 'http://localhost:9/second' }).waitFor();
  });

  it('say of one what its attempts came to, and lead to them', async () => {
    const { page, receiver, trigger } = await startOne([200, 503]);
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('None yet').waitFor();
    await trigger();
    await receiver.waitFor(1);
    await attempts.getByText('1 of the newest 1').waitFor();
    await trigger('invoice.paid');
    await receiver.waitFor(2);
    await attempts.getByText('1 of the newest 2').waitFor();
    await attempts.getByRole('img', { name: /^Durations of the newest 2 attempts: half within/ }).waitFor();
    await expect
      .poll(() => attempts.getByRole('listitem').allTextContents())
      .toEqual([
        expect.stringMatching(/^invoice\.paid attempt 1.*http_error 503/),
        expect.stringMatching(/^order\.shipped attempt 1.*succeeded 200/),
      ]);
    await attempts.getByRole('link', { name: 'invoice.paid' }).click();
    await expect.poll(() => page.url()).toMatch(/#\/deliveries\/del_\w+\?attempt=1$/);
  });

  it('hide the secret until it is asked for', async () => {
    const { page, secret } = await startOne(200);
    expect(await page.getByText(secret).count()).toBe(0);
    await press(page, 'Copy the secret');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    expect(await page.getByText(secret).count()).toBe(0);
    await press(page, 'Show');
    await page.getByText(secret).waitFor();
    await press(page, 'Hide');
    await page.getByText(secret).waitFor({ state: 'detached' });
  });

  it('get another secret, with the old one for a while', async () => {
    const { emulator, page, id, secret } = await startOne(200);
    await press(page, 'Rotate the secret');
    const dialog = page.getByRole('dialog', { name: 'Rotate the secret' });
    await dialog.getByLabel('The old one signs as well for').fill('long');
    await press(page, 'Rotate');
    await dialog.getByText('Must be a duration').waitFor();
    await dialog.getByLabel('The old one signs as well for').fill('1h');
    await press(page, 'Rotate');
    const shown = page.getByRole('dialog', { name: 'The new secret' });
    const fresh = await shown.getByText(/^whsec_/).textContent();
    await press(page, 'Done');
    await page.getByText('signs as well until').waitFor();
    await expect
      .poll(() => emulator.control.revealSecret({ id }))
      .toEqual({ secret: fresh, previous_secret: secret });
  });

  it('are edited, disabled and enabled', async () => {
    const { emulator, page, id } = await startOne(200);
    await press(page, 'Edit');
    await page.getByRole('dialog').getByLabel('Event types').fill('invoice.paid');
    await press(page, 'Save');
    await page.getByText('invoice.paid', { exact: true }).waitFor();
    await press(page, 'Disable');
    await page.getByText('disabled').waitFor();
    await expect
      .poll(() => emulator.control.getWebhook({ id }))
      .toMatchObject({
        ...{ events: ['invoice.paid'], disabled: true },
      });
    await press(page, 'Enable');
    await page.getByText('disabled').waitFor({ state: 'detached' });
  });

  it('are deleted once it is said how many deliveries that cancels', async () => {
    const { emulator, receiver, page, trigger } = await startOne(503);
    await trigger();
    await trigger();
    await receiver.waitFor(2);
    await press(page, 'Delete');
    await page.getByRole('dialog').getByText('2 pending deliveries will be canceled.').waitFor();
    await press(page, 'Delete it');
    await page.getByText('pending deliveries canceled: 2').waitFor();
    await page.getByText('No endpoints yet').waitFor();
    await expect.poll(async () => (await emulator.control.listWebhooks({})).data).toEqual([]);
  });

  it('are tried out, and judged in words', async () => {
    const { emulator, page } = await startOne(200);
    await press(page, 'Send a probe');
    const probe = page.getByRole('region', { name: 'Try it out' });
    await probe.getByText('answered 200: anybody can send it events').waitFor();
    await probe.getByText('Verify the signature before anything else').waitFor();
    await expect.poll(async () => (await emulator.control.listDeliveries({})).data).toEqual([]);
  });

  it('are put through faults, which say how often they have fired', async () => {
    const { emulator, receiver, page, id, trigger } = await startOne(200, { expectedErrors: /422/ });
    const faults = page.getByRole('region', { name: 'Faults' });
    await faults.getByText('None.').waitFor();
    await press(page, 'Add a fault');
    await faults.getByLabel('What becomes of a delivery').selectOption('delay');
    await faults.getByLabel('For how long').fill('soon');
    await press(page, 'Add the fault');
    await faults.getByText('Must be a duration').waitFor();
    await faults.getByLabel('For how long').fill('10m');
    await faults.getByLabel('By chance').fill('200');
    await press(page, 'Add the fault');
    await faults.getByText('Must be above 0 and at most 1').waitFor();
    await faults.getByLabel('By chance').fill('');
    await faults.getByLabel('How often').fill('2');
    await press(page, 'Add the fault');
    await faults.getByText('delay 10m').waitFor();
    await faults.getByText('fired 0 of 2').waitFor();
    await emulator.control.addFault({ on: 'delivery', kind: 'bad-signature' });
    await faults.getByText('every event at every endpoint').waitFor();
    await expect
      .poll(async () => (await emulator.control.listFaults({})).data[1])
      .toMatchObject({
        ...{ kind: 'delay', delay_ms: 600_000, webhook_id: id, count: 2 },
      });
    await press(page, 'Clear the fault delay 10m');
    await faults.getByText('delay 10m').waitFor({ state: 'detached' });
    await trigger();
    await receiver.waitFor(1);
    await faults.getByText('fired 1', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  it('say which one is not there', async () => {
    const emulator = await start();
    const { id } = await emulator.control.createWebhook({ url: 'http://localhost:9/' });
    await emulator.control.deleteWebhook({ id });
    const page = await openDashboard(emulator, { hash: `/webhooks/${id}`, expectedErrors: /404/ });
    await page.getByRole('alert').getByText(id).waitFor();
    await page.getByRole('link', { name: 'All endpoints' }).click();
    await page.getByText('No endpoints yet').waitFor();
  });

  it.each([
    ['light', 360],
    ['dark', 1920],
  ] as const)('are accessible in %s, at %i px', async (colorScheme, width) => {
    const { page, receiver, trigger } = await startOne([200, 503], { colorScheme, width });
    for (const count of [1, 2]) {
      await trigger();
      await receiver.waitFor(count);
    }
    await page.getByText('1 of the newest 2').waitFor();
    await press(page, 'Add a fault');
    await expectAccessible(page);
    await expect.poll(() => noScroll(page)).toBe(true);
    await page.getByRole('link', { name: 'All endpoints' }).click();
    await page.getByText('50%').waitFor();
    await expectAccessible(page);
    await expect.poll(() => noScroll(page)).toBe(true);
  });
});
