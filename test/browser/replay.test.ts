/** Replays from the dashboard: with one click, with changes, and in bulk. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openReceiver, startDeliverySetup } from '../delivery/delivery-setup.ts';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import type { ReceiverResponses } from '../support/test-receiver.ts';

const dialogOf = (page: Page) => page.getByRole('dialog');
/** Console errors of a replay that the emulator rejects. */
const expectedErrors = /status of (?:409|422)/;
const replay = { name: 'Replay', exact: true };

/** The page of a delivery whose first attempt failed. */
async function openFailing(responses: ReceiverResponses = [503, 200], width = 1280) {
  const place = await startDeliverySetup(responses);
  const { id } = await place.deliver();
  const page = await openDashboard(place.emulator, { hash: `/deliveries/${id}`, width, expectedErrors });
  return { ...place, id, page };
}

/** The same, with the dialog for changes open. */
async function openChoices(responses: ReceiverResponses = [503, 200], width = 1280) {
  const place = await openFailing(responses, width);
  await place.page.getByRole('button', { name: 'Replay with changes' }).click();
  await dialogOf(place.page).waitFor();
  return { ...place, dialog: dialogOf(place.page) };
}

/** `count` failed deliveries, and the dialog that replays them. */
async function openFailed(count: number, hasFakeTimers = false) {
  const place = await startDeliverySetup(500);
  for (let number = 0; number < count; number++) await place.trigger();
  await place.control.settleClock({});
  const page = await openDashboard(place.emulator, {
    hash: '/deliveries?status=failed',
    expectedErrors,
    hasFakeTimers,
  });
  await page.getByRole('button', { name: 'Replay all matches' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay all matches' });
  await dialog.getByRole('button', { name: `Replay ${count} deliveries` }).waitFor();
  return { ...place, page, dialog };
}

/** Stops the timers of a page with fake timers until `page.clock.resume`, or until the test ends. */
async function stopTimers(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 60_000);
}

describeInBrowser('a replay', () => {
  it('a replay takes one click and shows its outcome', async () => {
    const { page, id, receiver } = await openFailing();
    await page.getByRole('button', replay).click();
    await page.getByRole('link', { name: 'Open attempt 2' }).click();
    await expect.poll(() => page.url()).toContain(`/deliveries/${id}?attempt=2`);
    await page.getByText('✓ 200').first().waitFor();
    expect(receiver.requests.map(({ headers }) => headers['service-delivery-id'])).toEqual([id, id]);
  });

  it('a replay does not move the buttons next to it', async () => {
    const { page } = await openFailing();
    const other = page.getByRole('button', { name: 'Copy as…' });
    const before = await other.boundingBox();
    await page.getByRole('button', replay).click();
    await page.getByRole('link', { name: 'Open attempt 2' }).waitFor();
    await expect.poll(async () => (await other.boundingBox())?.x).toBe(before?.x);
  });

  it('a replay shows the error when the emulator rejects it', async () => {
    const { page, control, webhook } = await openFailing();
    await control.deleteWebhook({ id: webhook.id });
    await page.getByRole('button', replay).click();
    await page.getByText('Not replayed: The endpoint').waitFor();
  });

  it('a replay opens from the list with r, starts with Enter and closes with Escape', async () => {
    const { emulator, deliver, receiver } = await startDeliverySetup([503, 200]);
    const { id } = await deliver();
    const page = await openDashboard(emulator);
    await page.getByRole('row').filter({ hasText: 'order.shipped' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', replay);
    await dialog.getByText(id).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText('✓ 200').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(receiver.requests).toHaveLength(2);
  });

  it('a replay creates a new delivery on request and links it', async () => {
    const { page, dialog, id, control } = await openChoices();
    await dialog.getByLabel('Send as a new delivery').check();
    await dialog.getByRole('button', replay).click();
    await dialog.getByRole('link', { name: 'Open the new delivery' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Replay of', { exact: true }).waitFor();
    const { data } = await control.listDeliveries({});
    expect(data.map(({ replay_of: original }) => original)).toEqual([id, null]);
    await expect.poll(() => page.url()).toContain(`/deliveries/${data[0]?.id}`);
  });

  it('a replay sends an edited body once it is valid JSON, with its numbers unchanged', async () => {
    const { page, dialog, receiver } = await openChoices();
    await dialog.getByLabel('With a different body').check();
    const editor = dialog.getByRole('textbox', { name: 'Body' });
    await expect.poll(() => editor.innerText()).toContain('"type": "order.shipped"');
    await editor.fill('{\n  "total": 12.50,\n  "n": }');
    await dialog.getByText('Line 3, column 8').waitFor();
    await expect.poll(() => dialog.getByRole('button', replay).isDisabled()).toBe(true);
    await editor.fill('{ "total": 12.50, "n": 9007199254740993 }');
    await dialog.getByRole('button', { name: 'Format' }).click();
    await expect.poll(() => editor.innerText()).toContain('\n  "total": 12.50,');
    await dialog.getByRole('button', replay).click();
    await dialog.getByText('✓ 200').waitFor();
    expect((await receiver.request(2)).body.toString()).toBe('{"total":12.50,"n":9007199254740993}');
    await editor.fill('{}');
    await dialog.getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => editor.innerText()).toContain('order.shipped');
    await expectAccessible(page);
  });

  it('a replay sends to a different URL after checking it', async () => {
    const other = await openReceiver();
    const { dialog, receiver } = await openChoices();
    await dialog.getByRole('checkbox', { name: 'To a different URL' }).check();
    const address = dialog.getByRole('textbox', { name: 'URL' });
    await address.fill('localhost:4000');
    await dialog.getByText('must be an absolute').waitFor();
    await expect.poll(() => dialog.getByRole('button', replay).isDisabled()).toBe(true);
    await address.fill('http://example.com/');
    await dialog.getByRole('button', replay).click();
    await dialog.getByText('Not replayed: url must use HTTPS').waitFor();
    await address.fill(`${other.url}/elsewhere`);
    await dialog.getByRole('button', replay).click();
    await dialog.getByText('✓ 200').waitFor();
    expect(other.requests.map(({ path }) => path)).toEqual(['/elsewhere']);
    expect(receiver.requests).toHaveLength(1);
  });

  it('a replay fits a narrow screen with its button visible', async () => {
    const { page, dialog } = await openChoices([503], 360);
    await dialog.getByLabel('With a different body').check();
    await dialog.getByRole('textbox', { name: 'Body' }).waitFor();
    await dialog.evaluate((window) => window.scrollTo(0, 0));
    const box = () => dialog.getByRole('button', replay).boundingBox();
    await expect.poll(async () => ((await box())?.y ?? 800) + ((await box())?.height ?? 0)).toBeLessThan(800);
    await expectAccessible(page);
  });
});

describeInBrowser('a bulk replay', () => {
  it('a bulk replay replays the deliveries of the filter, counts the results and sums them up', async () => {
    const { page, dialog, receiver, control } = await openFailed(4);
    await dialog.getByText('failed', { exact: true }).waitFor();
    await expectAccessible(page);
    const { data } = await control.listDeliveries({});
    const stubborn = data[0]?.id;
    receiver.respond(({ headers }) => (headers['service-delivery-id'] === stubborn ? 500 : 200));
    await dialog.getByRole('button', { name: 'Replay 4 deliveries' }).click();
    await dialog.getByText('3 of 4 succeeded.').waitFor();
    await expect.poll(() => dialog.getByRole('progressbar').getAttribute('value')).toBe('4');
    await expectAccessible(page);
    await dialog.getByRole('link', { name: `${stubborn}` }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.url()).toContain(`/deliveries/${stubborn}`);
  });

  it('a bulk replay continues after rejected replays and lists them with the reason', async () => {
    const { dialog, control, webhook, receiver } = await openFailed(2);
    receiver.respond(200);
    await control.deleteWebhook({ id: webhook.id });
    await dialog.getByRole('button', { name: 'Replay 2 deliveries' }).click();
    await dialog.getByText('0 of 2 succeeded.').waitFor();
    await expect.poll(() => dialog.getByText(`The endpoint ${webhook.id}`).count()).toBe(2);
  });

  it('a bulk replay stops on request and shows how many deliveries were not sent again', async () => {
    const { page, dialog, receiver } = await openFailed(40, true);
    const before = receiver.requests.length;
    await dialog.getByLabel('Rate limit').selectOption('5 per second');
    // Otherwise, a slow test could stop the replay after its end.
    await stopTimers(page);
    await dialog.getByRole('button', { name: 'Replay 40 deliveries' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await page.clock.resume();
    const message = dialog.getByText(/^Stopped: \d+ of 40 deliveries were not sent again\.$/);
    const readCount = async () => Number(/\d+/.exec((await message.textContent()) ?? '')?.[0]);
    expect(await readCount()).toBeGreaterThan(0);
    await dialog.getByText('in progress').locator('..').getByText('0', { exact: true }).waitFor();
    // A replay that was requested counts as not sent until the emulator responds.
    await expect.poll(async () => receiver.requests.length + (await readCount())).toBe(before + 40);
  });

  it('a bulk replay stops when its dialog is closed', async () => {
    const { page, dialog } = await openFailed(40, true);
    await dialog.getByLabel('Rate limit').selectOption('5 per second');
    await stopTimers(page);
    await dialog.getByRole('button', { name: 'Replay 40 deliveries' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.clock.resume();
    await page.getByText(/The replay was stopped: \d+ of 40 deliveries were not sent again/).waitFor();
  });
});
