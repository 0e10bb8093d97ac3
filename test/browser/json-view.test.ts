/** The view that shows JSON in the payload of an event and in the bodies of requests and responses. */
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, openDashboard } from '../support/browser.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

const ORDER =
  '{"order":{"items":[{"sku":"tea","price":12.50},{"sku":"pot","price":30.00}]},"note":"a \\"b\\""}';

/** Opens the page of an event. @param payload JSON text */
async function openEvent(payload: string) {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const { json } = await emulator.api('POST', '/events', `{"type":"order.shipped","payload":${payload}}`);
  const page = await openDashboard(emulator, { hash: `/events/${json.id}` });
  const tree = page.getByRole('tree', { name: 'Payload' });
  await tree.getByRole('treeitem').first().waitFor();
  return { page, tree };
}

const activeLine = (page: Page) => page.locator('[role="treeitem"][aria-selected="true"]');
const readClipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()');

describeInBrowser('the JSON view', () => {
  it('the JSON view folds and unfolds with the keys of a tree, and counts what is hidden', async () => {
    const { page, tree } = await openEvent(ORDER);
    await tree.press('ArrowDown');
    await tree.press('ArrowDown');
    await expect.poll(() => activeLine(page).getAttribute('aria-expanded')).toBe('true');
    await tree.press('ArrowLeft');
    await tree.getByText('2 items ]').waitFor();
    await expect.poll(() => activeLine(page).getAttribute('aria-expanded')).toBe('false');
    expect(await tree.evaluate((element) => element.getAttribute('aria-activedescendant'))).toBe(
      await activeLine(page).getAttribute('id'),
    );
    expect(await tree.getByText('"tea"').count()).toBe(0);
    await tree.press('Enter');
    await tree.getByText('"tea"').waitFor();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await tree.press(key);
    await expect.poll(() => activeLine(page).textContent()).toContain('"price": 12.50');
    // From a field to its object, which is then folded, and on to the array.
    for (const key of ['ArrowLeft', 'ArrowLeft']) await tree.press(key);
    await tree.getByText('2 fields }').waitFor();
    await tree.press('ArrowLeft');
    await expect.poll(() => activeLine(page).textContent()).toContain('"items": [');
    await tree.press('End');
    await expect.poll(() => activeLine(page).textContent()).toContain('"note"');
    await tree.press('Home');
    await tree.press(' ');
    await tree.getByText('2 fields }').waitFor();
    await expect.poll(() => tree.getByRole('treeitem').count()).toBe(1);
  });

  it('the JSON view copies the path and the value of a line, with numbers as they were written', async () => {
    const { page, tree } = await openEvent(ORDER);
    await page.getByText('Select a line to copy its path or value.').waitFor();
    const expectCopied = async (what: 'path' | 'value', expected: string) => {
      await page.getByRole('button', { name: `Copy ${what}`, exact: true }).click();
      await expect.poll(() => readClipboard(page)).toBe(expected);
    };
    await tree.getByText('30.00').click();
    await expectCopied('path', 'order.items[1].price');
    await expectCopied('value', '30.00');
    await tree.getByText('"note"').click();
    await page.locator('code').getByText('note', { exact: true }).waitFor();
    await expectCopied('value', 'a "b"');
    await tree.getByText('"items"').click();
    await page.locator('code').getByText('order.items', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy value', exact: true }).click();
    await expect
      .poll(() => readClipboard(page))
      .toMatch(/^\[\n {2}\{\n {4}"sku": "tea",\n {4}"price": 12\.50\n/);
  });

  it('the JSON view finds text, goes to the next and the previous match, and opens folded parts', async () => {
    const items = Array.from({ length: 20 }, (_, number) => ({
      id: `item_${number}`,
      even: number % 2 === 0,
    }));
    const { page, tree } = await openEvent(JSON.stringify({ items }));
    await page.getByLabel('Levels of Payload').selectOption('Show 2 levels');
    await expect.poll(() => tree.getByText('2 fields }').count()).toBe(20);
    await tree.press('Control+f');
    const field = page.getByRole('searchbox', { name: 'Find in Payload' });
    await expectFocused(field);
    await field.fill('ITEM_1');
    await page.getByText('1 of 11 matching lines').waitFor();
    await expect.poll(() => tree.locator('mark').allTextContents()).toEqual(['item_1']);
    await field.press('Enter');
    await page.getByText('2 of 11 matching lines').waitFor();
    await page.getByText('items[10].id', { exact: true }).waitFor();
    await field.press('Shift+Enter');
    await field.press('Shift+Enter');
    await page.getByText('11 of 11 matching lines').waitFor();
    await tree.getByText('"item_19"').waitFor();
    await page.getByRole('button', { name: 'Next match' }).click();
    await page.getByText('1 of 11 matching lines').waitFor();
    await page.getByRole('button', { name: 'Previous match' }).click();
    await page.getByText('items[19].id', { exact: true }).waitFor();
    await field.press('Escape');
    await expectFocused(tree);
    expect(await field.inputValue()).toBe('');
    expect(await tree.locator('mark').count()).toBe(0);
    await field.fill('nothing');
    await page.getByText('0 matching lines').waitFor();
    await page.getByLabel('Levels of Payload').selectOption('Unfold all');
    await tree.getByText('"item_7"').waitFor();
  });

  it('the JSON view has no accessibility violations in light and dark mode, wide and narrow', async () => {
    const items = Array.from({ length: 20 }, (_, id) => ({ id, text: 'x'.repeat(200) }));
    const { page, tree } = await openEvent(JSON.stringify({ items }));
    await page.getByRole('searchbox', { name: 'Find in Payload' }).fill('text');
    await page.getByText('1 of 20 matching lines').waitFor();
    await page.getByText('items[0].text', { exact: true }).waitFor();
    await tree.press('ArrowLeft');
    await tree.press('ArrowLeft');
    await tree.getByText('2 fields }').waitFor();
    await expectAccessibleAt(page, [360, 1280]);
  });
});
