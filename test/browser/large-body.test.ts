/** A body of 200 KB in every view that shows or edits it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { openEmulator } from './delivery-list.ts';

const COUNT = 2_600;
const MAX_ELEMENTS = 2_000;

const payload = {
  items: Array.from({ length: COUNT }, (_, number) => ({
    id: `item_${number}`,
    number,
    ok: true,
    note: 'some text',
    tags: null,
  })),
};

async function createLargeEvent() {
  const emulator = await openEmulator();
  const { json: event } = await emulator.api('POST', '/events', { type: 'made.large', payload });
  await emulator.control.waitForDeliveries({ retries: false });
  const { data } = await emulator.control.listDeliveries({ event_id: event.id });
  return { emulator, event, delivery: data[0] };
}

/** The locators of Playwright also find the elements of shadow trees. */
const countElements = (page: Page) => page.locator('*').count();

describeInBrowser('a body of 200 KB', () => {
  it('the event page renders only the lines in view of a large payload, and scrolls to its end', async () => {
    const { emulator, event } = await createLargeEvent();
    const page = await openDashboard(emulator, { hash: `/events/${event.id}` });
    const view = page.getByRole('textbox', { name: 'Payload' });
    await view.getByText('"item_0"').waitFor();
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
    await view.press('Control+End');
    await view.getByText(`"item_${COUNT - 1}"`).waitFor();
    expect(await view.getByText('"item_0"').count()).toBe(0);
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
  });

  it('the delivery page compares two large payloads without rendering all lines at once', async () => {
    const { emulator, delivery } = await createLargeEvent();
    const items = payload.items.map((item) => ({ ...item, note: 'other text' }));
    await emulator.api('POST', '/events', { type: 'made.large', payload: { items } });
    await emulator.control.waitForDeliveries({ retries: false });
    const page = await openDashboard(emulator, { hash: `/deliveries/${delivery?.id}` });
    await page.getByRole('tab', { name: 'Compare with the last success' }).click();
    await page
      .getByRole('textbox', { name: /^Payload of / })
      .last()
      .getByText('some text')
      .first()
      .waitFor();
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
  });

  it('the editor marks an error at the end of a large payload', async () => {
    const { emulator, event } = await createLargeEvent();
    const page = await openDashboard(emulator, { hash: `/trigger?event=${event.id}` });
    const editor = page.getByRole('textbox', { name: 'Payload' });
    await editor.press('Control+End');
    await editor.press('x');
    await page.getByText(`Line ${COUNT * 7 + 4}, column 2: Unexpected x.`).waitFor();
    await expect.poll(() => page.locator('.cm-lintRange-error').allTextContents()).toEqual(['x']);
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
  });
});
