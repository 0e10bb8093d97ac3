/** The settings of the dashboard: the theme, the density of lists, and their width beside an open item. */
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
    'rows have one line if the row height is One line, and the first row stays in view, at %d px',
    async (width) => {
      const emulator = await openEmulator(503);
      await trigger(emulator, 40);
      const page = await openDashboard(emulator, { width });
      await rowsOf(page).first().waitFor();
      expect(await rowHeightOf(page)).toBe(52);
      await scrollTo(page, 10 * 52);
      await selectSetting(page, 'Row height', 'One line');
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

  it('the rows of the events and the requests have one line if the row height is One line', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 3);
    const page = await openDashboard(emulator);
    await selectSetting(page, 'Row height', 'One line');
    for (const section of ['Events', 'Requests']) {
      await page.setViewportSize({ width: 1440, height: 800 });
      await page.getByRole('navigation').getByRole('link', { name: section }).click();
      await expect.poll(() => page.title()).toBe(`${section} · svc`);
      for (const width of [1440, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(() => rowHeightOf(page)).toBe(32);
        expect(await countCutRows(page)).toBe(0);
      }
    }
  });

  it('the separator between the list and the open item moves by mouse, touch and keys, is reset by a double click, and is kept', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1);
    const page = await openDashboard(emulator, { width: 1400 });
    await rowsOf(page).first().click();
    const separator = page.getByRole('separator', { name: 'Width of the list' });
    const listWidth = async () =>
      (await page.getByRole('region', { name: 'List', exact: true }).boundingBox())?.width;
    const expectShare = async (percent: number) => {
      await expect.poll(() => separator.getAttribute('aria-valuenow')).toBe(String(percent));
      expect(await listWidth()).toBe(14 * percent);
    };
    await expectShare(34);
    await separator.hover();
    await page.mouse.down();
    await page.mouse.move(700, 300, { steps: 3 });
    await expectShare(50);
    await page.mouse.up();
    await page.mouse.move(900, 300);
    await expectShare(50);
    await page.reload();
    await expectShare(50);
    const touch = await page.context().newCDPSession(page);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 705, y: 300 }] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: 840, y: 300 }] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await expectShare(60);
    for (const [key, percent] of [
      ['ArrowLeft', 58],
      ['End', 70],
      ['ArrowRight', 70],
      ['Home', 30],
      ['ArrowRight', 32],
    ] as const) {
      await separator.press(key);
      await expectShare(percent);
    }
    await expectAccessible(page);
    await separator.dblclick();
    await expectShare(34);
    for (const width of [1000, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => separator.count()).toBe(0);
      expect((await page.getByRole('article').boundingBox())?.width).toBe(width);
    }
  });
});
