/** The settings of the dashboard: theme and shortcuts. */
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, openDashboard } from '../support/browser.ts';
import { focusedRowOf, openList, rowsOf } from './delivery-list.ts';

async function openSettings(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await dialog.waitFor();
  return dialog;
}

async function selectTheme(page: Page, option: string): Promise<void> {
  const dialog = await openSettings(page);
  await dialog.getByLabel('Theme').selectOption(option);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

const backgroundOf = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor');

const LIGHT = 'rgb(247, 247, 249)';
const DARK = 'rgb(17, 19, 23)';

describeInBrowser('the settings', () => {
  it('the theme of the settings replaces that of the system and is kept after a reload, until it is System again, and applies to other open tabs', async () => {
    const { emulator, page } = await openList({}, { colorScheme: 'light' });
    await expect.poll(() => backgroundOf(page)).toBe(LIGHT);
    await selectTheme(page, 'Dark');
    await expect.poll(() => backgroundOf(page)).toBe(DARK);
    await page.reload();
    await expect.poll(() => backgroundOf(page)).toBe(DARK);
    await page.getByRole('button', { name: 'Settings' }).click();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await selectTheme(page, 'System');
    await expect.poll(() => backgroundOf(page)).toBe(LIGHT);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => backgroundOf(page)).toBe(DARK);
    const other = await openDashboard(emulator, { besides: page });
    await expect.poll(() => backgroundOf(other)).toBe(LIGHT);
    await selectTheme(page, 'Dark');
    await expect.poll(() => backgroundOf(other)).toBe(DARK);
  });

  it('shortcuts with a single key can be switched off, and never work in a field or a dialog', async () => {
    const { page } = await openList({ 'order.shipped': 2 });
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('j?t');
    await expectFocused(page.getByRole('searchbox'));
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('searchbox').fill('');
    await page.keyboard.press('Escape');
    const dialog = await openSettings(page);
    // As the search does, shortly after the user has typed.
    await page.evaluate(`location.hash = '/deliveries?text=no.'`);
    await page.keyboard.press('t');
    await dialog.getByLabel('Shortcuts with a single key').uncheck();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    for (const key of ['j', 't', '?', '/']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(page.url()).toContain('#/deliveries');
    expect(await focusedRowOf(page).count()).toBe(0);
  });
});
