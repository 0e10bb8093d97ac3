/** The layout on narrow and zoomed screens, with forced colors, and while the page loads. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { openEmulator, openList, rowsOf, trigger } from './delivery-list.ts';

/** The sum of the layout shifts since the page was opened. */
const shiftOf = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const sum = (list) => list.getEntries().reduce((total, { value }) => total + value, 0);
    new PerformanceObserver((list) => resolve(sum(list))).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => setTimeout(() => resolve(0)));
  })`);

const widthOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth');

describeInBrowser('the layout', () => {
  it.each([360, 1280])('the layout moves by less than 0.05 while the page loads at %d px', async (width) => {
    const emulator = await openEmulator(503);
    await emulator.control.createWorkspace({ name: 'Second' });
    await emulator.control.advanceClock({ ms: 100 * 86_400_000 });
    await trigger(emulator, 30);
    const page = await openDashboard(emulator, { width });
    await page.getByText('sandbox').waitFor({ state: 'attached' });
    await rowsOf(page).first().waitFor();
    const shift = await shiftOf(page);
    expect(shift).toBeLessThan(0.05);
  });

  it.each(['events', 'requests'])(
    'the layout moves by less than 0.05 while the first row replaces the empty list of %s',
    async (section) => {
      const emulator = await openEmulator();
      const page = await openDashboard(emulator, { hash: `/${section}`, width: 360 });
      await page.getByText(`No ${section} yet`).waitFor();
      await trigger(emulator, 1);
      await page.locator('li > a').waitFor();
      expect(await shiftOf(page)).toBeLessThan(0.05);
    },
  );

  it('the layout fits a narrow screen with a long workspace name', async () => {
    const emulator = await openEmulator();
    await emulator.control.createWorkspace({ name: 'A workspace with a name '.repeat(8) });
    const page = await openDashboard(emulator, { width: 360 });
    await page.getByLabel('Workspace').waitFor();
    expect(await widthOf(page)).toBe(360);
    await page.getByRole('navigation').getByRole('link', { name: 'Trigger' }).click();
    await page.getByLabel('Payload').waitFor();
    expect(await widthOf(page)).toBe(360);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('dialog').getByLabel('Theme').waitFor();
    expect(await widthOf(page)).toBe(360);
  });

  it('the open delivery scrolls inside the page on a narrow screen, with every tab in view', async () => {
    const emulator = await openEmulator(503);
    await trigger(emulator, 1);
    await emulator.control.advanceClock({ ms: 2 * 3_600_000 });
    const page = await openDashboard(emulator, { width: 390, height: 700 });
    const time = rowsOf(page).locator('time').last();
    await time.getByText('2h ago').waitFor();
    expect(await time.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0);
    await rowsOf(page).first().click();
    const tab = page.getByRole('tab').last();
    await tab.waitFor();
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(700);
    expect((await tab.boundingBox())?.x).toBeLessThan(300);
  });

  it('the layout scrolls and shows the list at 400 % zoom', async () => {
    const { page } = await openList({ 'order.shipped': 30 }, { width: 320, height: 256 });
    await rowsOf(page).first().waitFor();
    expect(await widthOf(page)).toBe(320);
    const list = page.locator('[aria-label="List"] > div');
    expect((await list.boundingBox())?.height).toBeGreaterThan(150);
    await list.scrollIntoViewIfNeeded();
    await rowsOf(page).first().click();
    await page
      .getByRole('article', { name: 'Delivery' })
      .getByRole('heading', { name: 'order.shipped' })
      .waitFor();
    const replay = page.getByRole('button', { name: 'Replay', exact: true });
    await replay.scrollIntoViewIfNeeded();
    expect((await replay.boundingBox())?.y).toBeLessThan(256);
    expect(await widthOf(page)).toBe(320);
    await expectAccessible(page);
  });

  it('the layout shows what is selected with forced colors', async () => {
    const { page } = await openList({ 'order.shipped': 2 }, { width: 1440 });
    await page.emulateMedia({ forcedColors: 'active' });
    await rowsOf(page).first().click();
    await page.getByRole('tab', { name: 'Response and payload' }).waitFor();
    const styleOf = (selector: string, property: 'backgroundColor' | 'outlineColor') =>
      page
        .locator(selector)
        .first()
        .evaluate((element, property) => getComputedStyle(element)[property], property);
    const highlight = await page.evaluate(`(() => {
      const element = document.body.appendChild(document.createElement('i'));
      element.style.background = 'Highlight';
      const { backgroundColor } = getComputedStyle(element);
      element.remove();
      return backgroundColor;
    })()`);
    for (const selected of [
      '[role="tab"][aria-selected="true"]',
      'search button[aria-pressed="true"]',
      'nav a[aria-current]',
    ]) {
      expect(await styleOf(selected, 'backgroundColor'), selected).toBe(highlight);
    }
    expect(await styleOf('li > a[aria-current="true"]', 'outlineColor')).toBe(highlight);
    expect(await styleOf('[role="tab"][aria-selected="false"]', 'backgroundColor')).not.toBe(highlight);
  });
});
