/** Replays from the dashboard: with one click, with changes, and in bulk. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openReceiver, startDeliverySetup } from '../emulator/deliveries/delivery-setup.ts';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, openDashboard } from '../support/browser.ts';
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
async function openEditor(responses: ReceiverResponses = [503, 200], width = 1280) {
  const place = await openFailing(responses, width);
  await place.page.getByRole('button', { name: 'Edit and replay' }).click();
  const editor = dialogOf(place.page).getByRole('textbox', { name: 'Body' });
  await expectFocused(editor);
  return { ...place, dialog: dialogOf(place.page), editor };
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
  it('a replay takes one click, selects its attempt, and shows the error when the emulator rejects it', async () => {
    const { page, id, receiver, control, webhook } = await openFailing();
    await page.getByRole('button', replay).click();
    await page.getByText('Attempt 2: 200', { exact: true }).waitFor();
    await expect.poll(() => page.url()).toContain(`/deliveries/${id}?attempt=2`);
    await page.getByRole('heading', { name: 'Attempt 2 of 2' }).waitFor();
    expect(receiver.requests.map(({ headers }) => headers['service-delivery-id'])).toEqual([id, id]);
    await control.deleteWebhook({ id: webhook.id });
    await page.getByRole('button', replay).click();
    await page.locator('#app > [aria-live]').getByText('The endpoint').waitFor();
  });

  it('a replay with changes opens with r, starts with Ctrl+Enter and sends the same bytes without changes', async () => {
    const { page, id, receiver } = await openFailing();
    await page.getByRole('heading', { name: 'Attempt 1 of 1' }).waitFor();
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Edit and replay' });
    await expectFocused(dialog.getByRole('textbox', { name: 'Body' }));
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    const [first, second] = [await receiver.request(1), await receiver.request(2)];
    expect(second.body.equals(first.body)).toBe(true);
    expect(second.headers['service-delivery-id']).toBe(id);
  });

  it('a replay with another body takes three steps: open the body, edit it, and send it with its numbers unchanged', async () => {
    const { page, dialog, editor, receiver } = await openEditor();
    await expect.poll(() => editor.innerText()).toContain('"type": "order.shipped"');
    await editor.fill('{\n  "total": 12.50,\n  "n": }');
    await dialog.getByText('Line 3, column 8').waitFor();
    await expect.poll(() => dialog.getByRole('button', replay).isDisabled()).toBe(true);
    await editor.fill('{}');
    await dialog.getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => editor.innerText()).toContain('order.shipped');
    await expectAccessible(page);
    await editor.fill('{ "total": 12.50, "n": 9007199254740993 }');
    await dialog.getByRole('button', replay).click();
    await page.getByRole('heading', { name: 'Attempt 1 of 1' }).waitFor();
    expect((await receiver.request(2)).body.toString()).toBe('{"total":12.50,"n":9007199254740993}');
  });

  it('a replay sends to a different URL, to which it adds a missing scheme', async () => {
    const other = await openReceiver();
    const { dialog, page, receiver } = await openEditor();
    const address = dialog.getByRole('textbox', { name: 'URL' });
    await address.fill('http://example.com/');
    await dialog.getByRole('button', replay).click();
    await dialog.getByText('must use HTTPS').waitFor();
    await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true');
    await address.fill(`${other.url.replace('http://', '')}/elsewhere`);
    await dialog.getByRole('button', replay).click();
    await page.getByRole('heading', { name: 'Attempt 1 of 1' }).waitFor();
    expect((await other.request(1)).path).toBe('/elsewhere');
    expect(receiver.requests).toHaveLength(1);
  });
});

describeInBrowser('a bulk replay', () => {
  it('a bulk replay replays the deliveries of the filter, and links those that did not succeed', async () => {
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

  it('a bulk replay stops on request and says how many deliveries were not sent again', async () => {
    const { page, dialog, receiver } = await openFailed(40, true);
    const before = receiver.requests.length;
    // Otherwise, a slow test could stop the replay after its end.
    await stopTimers(page);
    await dialog.getByRole('button', { name: 'Replay 40 deliveries' }).click();
    await dialog.getByText('39 not sent yet.').waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await page.clock.resume();
    const message = page.getByText(/The replay was stopped: \d+ of 40 deliveries not sent again/);
    const readCount = async () => Number(/\d+/.exec((await message.textContent()) ?? '')?.[0]);
    expect(await readCount()).toBeGreaterThan(0);
    // A replay that was requested counts as not sent until the emulator responds.
    const sentCount = receiver.requests.length - before;
    expect(sentCount).toBeGreaterThanOrEqual(40 - (await readCount()));
    expect(sentCount).toBeLessThan(40);
  });
});
