/** A body of 200 KB in every view that shows or edits it. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { openEmulator } from './delivery-list.ts';

const COUNT = 2_600;
const MAX_ELEMENTS = 1_000;

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
  await expect.poll(async () => (await emulator.control.listAttempts({})).data.length).toBe(1);
  const { data } = await emulator.control.listDeliveries({ event_id: event.id });
  return { emulator, event, delivery: data[0] };
}

const countElements = (page: Page) => page.locator('*').count();

describeInBrowser('a body of 200 KB', () => {
  it('the event page renders only the lines in view of a large payload, scrolls to its end, and folds objects', async () => {
    const { emulator, event } = await createLargeEvent();
    const page = await openDashboard(emulator, { hash: `/events/${event.id}` });
    const view = page.getByRole('tree', { name: 'Payload' });
    await view.getByText('"item_0"').waitFor();
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
    await view.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await view.getByText(`"item_${COUNT - 1}"`).waitFor();
    expect(await view.getByText('"item_0"').count()).toBe(0);
    await view.evaluate((element) => element.scrollTo({ top: 0 }));
    const firstItem = view.getByRole('treeitem', { level: 3 }).first();
    await firstItem.locator('.json-fold').click();
    await view.getByText('5 fields },').waitFor();
    expect(await view.getByText('"item_0"').count()).toBe(0);
    await view.getByText('"item_1"').waitFor();
    await expectAccessible(page);
    await firstItem.locator('.json-fold').click();
    await view.getByText('"item_0"').waitFor();
  });

  it('the event page finds a line far below in a large payload, and shows it in a folded array', async () => {
    const { emulator, event } = await createLargeEvent();
    const page = await openDashboard(emulator, { hash: `/events/${event.id}`, colorScheme: 'dark' });
    const view = page.getByRole('tree', { name: 'Payload' });
    await page.getByLabel('Levels of Payload').selectOption('Show 1 level');
    await view.getByText(`${COUNT} items ]`).waitFor();
    await page.getByRole('searchbox', { name: 'Find in Payload' }).fill(`"item_${COUNT - 2}"`);
    await view
      .locator('mark')
      .getByText(`"item_${COUNT - 2}"`)
      .waitFor();
    await page.getByText('1 of 1 matching line').waitFor();
    await page.getByText(`items[${COUNT - 2}].id`, { exact: true }).waitFor();
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
    await view.press('Home');
    await expect.poll(() => view.evaluate((element) => element.scrollTop)).toBe(0);
    await view.press('End');
    await page.getByText(`items[${COUNT - 1}]`, { exact: true }).waitFor();
    await view.locator('[aria-selected="true"]').getByText('5 fields }').waitFor();
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
    await expectAccessible(page);
  });

  it('the event page compares two large payloads without rendering all lines at once', async () => {
    const { emulator, event } = await createLargeEvent();
    const items = payload.items.map((item) => ({ ...item, note: 'other text' }));
    await emulator.api('POST', '/events', { type: 'made.large', payload: { items } });
    const page = await openDashboard(emulator, { hash: `/events/${event.id}` });
    await page.getByRole('tab', { name: 'Compare' }).click();
    const rows = page.getByRole('region', { name: 'Payload' }).getByRole('row');
    await page.getByRole('button', { name: /^Show 500 of \d+ more rows$/ }).click();
    await expect.poll(() => rows.count()).toBe(1 + 1_000 + 1);
  });

  it('the delivery page renders only the lines in view of a large body', async () => {
    const { emulator, delivery } = await createLargeEvent();
    const page = await openDashboard(emulator, { hash: `/deliveries/${delivery?.id}`, colorScheme: 'dark' });
    await page.getByRole('tree', { name: 'Formatted body' }).getByText('"item_0"').waitFor();
    expect(await countElements(page)).toBeLessThan(MAX_ELEMENTS);
    await expectAccessible(page);
  });

  it('the editor renders only the line numbers in view of a large payload, and marks the line of an error', async () => {
    const { emulator, event } = await createLargeEvent();
    const page = await openDashboard(emulator, { hash: `/trigger?event=${event.id}` });
    const editor = page.getByLabel('Payload');
    const numbers = page.locator('.json-editor-text > pre');
    await expect.poll(() => numbers.textContent()).toMatch(/^1\n2\n3\n/);
    expect((await numbers.textContent())?.split('\n').length).toBeLessThan(150);
    await editor.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await expect.poll(() => numbers.textContent()).toMatch(new RegExp(`${COUNT * 7 + 4}\n$`));
    await editor.press('End');
    await editor.press('x');
    await page.getByRole('button', { name: `Line ${COUNT * 7 + 4}, column 2` }).waitFor();
    expect(await numbers.locator('strong').textContent()).toBe(`${COUNT * 7 + 4}\n`);
  });
});
