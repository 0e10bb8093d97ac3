/** Data that change while several tabs show them. */
import { expect, it } from 'vitest';
import { describeInBrowser, openDashboard, setHidden } from '../support/browser.ts';
import { openEmulator, rowsOf, trigger, typesOf } from './delivery-list.ts';

/** With HTTP/1.1, a browser opens only six connections to one host. */
const MANY = 9;

describeInBrowser('live data', () => {
  it('nine tabs of one browser show new deliveries', async () => {
    const emulator = await openEmulator();
    const first = await openDashboard(emulator);
    const tabs = [first];
    while (tabs.length < MANY) tabs.push(await openDashboard(emulator, { besides: first }));
    await trigger(emulator, 1);
    for (const tab of tabs) await expect.poll(() => typesOf(tab)).toEqual(['order.shipped']);
  });

  it('a hidden tab requests less, and catches up when it is visible again', async () => {
    const emulator = await openEmulator();
    const tab = await openDashboard(emulator, { hasFakeTimers: true });
    await tab.getByText('No deliveries yet').waitFor();
    await setHidden(tab, true);
    await trigger(emulator, 2, 'made.meanwhile');
    await tab.clock.fastForward(5_000);
    expect(await rowsOf(tab).count()).toBe(0);
    await setHidden(tab, false);
    await expect.poll(() => typesOf(tab)).toEqual(['made.meanwhile', 'made.meanwhile']);
  });

  it('a page that shows old data says so, and keeps them while the emulator does not respond', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1);
    const page = await openDashboard(emulator, { expectedErrors: /ERR_|Failed to load/ });
    await rowsOf(page).first().waitFor();
    await emulator.close();
    await page.getByText('This page shows the last data').waitFor();
    expect(await typesOf(page)).toEqual(['order.shipped']);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('The emulator is not responding').first().waitFor();
  });
});
