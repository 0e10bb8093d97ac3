/** The number of failing deliveries in the title and the icon, and notifications. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard, setHidden } from '../support/browser.ts';
import { findFreePort } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { openEmulator, trigger } from './delivery-list.ts';

const iconOf = async (page: Page) =>
  decodeURIComponent((await page.locator('link[rel="icon"]').getAttribute('href')) ?? '');

/** Records notifications instead of showing them. @param permission what the user decides when the page asks */
const recordNotifications = (permission: NotificationPermission) => `
  window.notifications = [];
  window.Notification = class {
    static requestPermission = async () => '${permission}';
    constructor(title, { body, tag }) {
      Object.assign(this, { title, body, tag });
      window.notifications.push(this);
    }
    close() {
      this.isClosed = true;
    }
  };`;

const bodiesOf = (page: Page) => page.evaluate<string[]>('notifications.map(({ body }) => body)');

async function toggleNotifications(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('dialog', { name: 'Settings' }).getByLabel('Notify me of failures').click();
}

describeInBrowser('the failure indicator', () => {
  it('the title and the icon show how many deliveries are failing or have failed', async () => {
    const emulator = await openEmulator([503, 503, 200]);
    const page = await openDashboard(emulator, { hash: '/events' });
    await expect.poll(() => page.title()).toBe('Events · svc');
    const icon = await iconOf(page);
    expect(icon).not.toContain('<text');
    await trigger(emulator, 2);
    await expect.poll(() => page.title()).toBe('(2) Events · svc');
    await expect.poll(() => iconOf(page)).toContain('>2</text>');
    await emulator.control.settleClock({});
    await expect.poll(() => page.title()).toBe('Events · svc');
    await expect.poll(() => iconOf(page)).toBe(icon);
  });

  it('the icon shows 9+ for more than nine, and deliveries that have failed count', async () => {
    const emulator = await openEmulator(503);
    await trigger(emulator, 10);
    await emulator.control.settleClock({});
    const page = await openDashboard(emulator);
    await expect.poll(() => page.title()).toBe('(10) Deliveries · svc');
    await expect.poll(() => iconOf(page)).toContain('>9+</text>');
  });

  it('a hidden page counts failures by polling and notifies if the user has opted in, and a click opens the list', async () => {
    const emulator = await openEmulator(503);
    const page = await openDashboard(emulator, {
      hasFakeTimers: true,
      initScript: recordNotifications('granted'),
    });
    await toggleNotifications(page);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await trigger(emulator, 1);
    // The icon changes with the count that the page compares later counts with.
    await expect.poll(() => iconOf(page)).toContain('>1</text>');
    expect(await bodiesOf(page)).toEqual([]);
    await setHidden(page, true);
    await trigger(emulator, 1);
    await page.clock.fastForward(10_000);
    await expect.poll(() => page.title()).toContain('(2)');
    await expect.poll(() => bodiesOf(page)).toEqual(['2 deliveries are failing or failed.']);
    await page.clock.fastForward(10_000);
    await page.evaluate('notifications[0].onclick()');
    await expect.poll(() => page.url()).toContain('status=failing');
    await expect.poll(() => page.evaluate('notifications.map(({ isClosed }) => isClosed)')).toEqual([true]);
  });

  it('a hidden page counts failures after it has lost the connection', async () => {
    const port = await findFreePort();
    const db = join(createTemporaryFolder(), 'sandbox.db');
    const first = await openEmulator(200, { port, db });
    const page = await openDashboard(first, { hasFakeTimers: true, expectedErrors: /ERR_|Failed to load/ });
    await page.getByText('sandbox').waitFor();
    await first.close();
    await page.getByText('Connection lost').waitFor();
    await setHidden(page, true);
    const second = await openEmulator(503, { port, db });
    await trigger(second, 1);
    await page.clock.fastForward(10_000);
    await expect.poll(() => page.title()).toContain('(1)');
  });

  it('a hidden page does not notify unless the user has opted in', async () => {
    const emulator = await openEmulator(503);
    const page = await openDashboard(emulator, {
      hasFakeTimers: true,
      initScript: recordNotifications('granted'),
    });
    await expect.poll(() => page.title()).toBe('Deliveries · svc');
    await page.getByText('sandbox').waitFor();
    await setHidden(page, true);
    await trigger(emulator, 1);
    await page.clock.fastForward(10_000);
    await expect.poll(() => page.title()).toContain('(1)');
    expect(await bodiesOf(page)).toEqual([]);
  });

  it('the option for notifications stays off if the browser blocks them, and the page says so', async () => {
    const page = await openDashboard(await openEmulator(), { initScript: recordNotifications('denied') });
    await toggleNotifications(page);
    await page.getByText('The browser blocks notifications from this page.').waitFor();
    const option = page.getByRole('dialog', { name: 'Settings' }).getByLabel('Notify me of failures');
    expect(await option.isChecked()).toBe(false);
  });
});
