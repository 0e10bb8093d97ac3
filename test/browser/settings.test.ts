/** The settings of the dashboard: the theme and the density of lists. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { openEmulator, scrollOf, scrollTo, trigger } from './delivery-list.ts';

async function selectSetting(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  const select = page.getByRole('region', { name: 'Settings' }).getByLabel(label);
  // The panel is directly below the header.
  expect((await select.boundingBox())?.y).toBeLessThan(200);
  await select.selectOption(option);
  await page.keyboard.press('Escape');
}

const backgroundOf = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor');

const LIGHT = 'rgb(247, 247, 249)';
const DARK = 'rgb(17, 19, 23)';

const rowsOf = (page: Page) => page.locator('.virtual-list-body').getByRole('row');
const rowHeightOf = async (page: Page) => (await rowsOf(page).first().boundingBox())?.height;

/** Rows with content that does not fit. */
const countCutRows = (page: Page) =>
  rowsOf(page).evaluateAll(
    (rows) => rows.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight).length,
  );

describeInBrowser('the settings', () => {
  it('the theme of the settings replaces that of the system and is kept after a reload, until it is System again', async () => {
    const page = await openDashboard(await openEmulator(), { colorScheme: 'light' });
    await expect.poll(() => backgroundOf(page)).toBe(LIGHT);
    await selectSetting(page, 'Theme', 'Dark');
    await expect.poll(() => backgroundOf(page)).toBe(DARK);
    await page.reload();
    await expect.poll(() => backgroundOf(page)).toBe(DARK);
    await page.getByRole('button', { name: 'Settings' }).click();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await selectSetting(page, 'Theme', 'System');
    await expect.poll(() => backgroundOf(page)).toBe(LIGHT);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => backgroundOf(page)).toBe(DARK);
  });

  it('a setting applies to other open tabs', async () => {
    const emulator = await openEmulator();
    const page = await openDashboard(emulator);
    const other = await openDashboard(emulator, { besides: page });
    await selectSetting(page, 'Theme', 'Dark');
    await expect.poll(() => backgroundOf(other)).toBe(DARK);
  });

  it.each([1440, 360])(
    'rows have one line if the density is One line, and the first row stays in view, at %d px',
    async (width) => {
      const emulator = await openEmulator(503);
      await trigger(emulator, 40);
      const page = await openDashboard(emulator, { width });
      await rowsOf(page).first().waitFor();
      expect(await rowHeightOf(page)).toBe(52);
      await scrollTo(page, 10 * 52);
      await selectSetting(page, 'Rows', 'One line');
      await expect.poll(() => rowHeightOf(page)).toBe(32);
      await expect.poll(() => scrollOf(page)).toBe(10 * 32);
      expect(await countCutRows(page)).toBe(0);
      await rowsOf(page)
        .getByText(/503 · retry/)
        .first()
        .waitFor();
      await expectAccessible(page);
    },
  );

  it.each(['events', 'requests'])(
    'the rows of the %s have one line if the density is One line',
    async (section) => {
      const emulator = await openEmulator();
      await trigger(emulator, 3);
      for (const width of [1440, 360]) {
        const page = await openDashboard(emulator, { hash: `/${section}`, width });
        await selectSetting(page, 'Rows', 'One line');
        await expect.poll(() => rowHeightOf(page)).toBe(32);
        expect(await countCutRows(page)).toBe(0);
      }
    },
  );
});
