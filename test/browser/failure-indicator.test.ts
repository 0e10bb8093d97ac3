/** The number of failing deliveries in the title. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeInBrowser, openDashboard, setHidden } from '../support/browser.ts';
import { findFreePort } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { openEmulator, trigger } from './delivery-list.ts';

describeInBrowser('the failure indicator', () => {
  it('the title shows how many deliveries are failing or have failed', async () => {
    const emulator = await openEmulator((_, index) => (index === 2 ? 200 : 503));
    const page = await openDashboard(emulator, { hash: '/events' });
    await expect.poll(() => page.title()).toBe('Events · svc');
    await trigger(emulator, 2);
    await expect.poll(() => page.title()).toBe('(2) Events · svc');
    await emulator.control.settleClock({});
    await expect.poll(() => page.title()).toBe('(1) Events · svc');
  });

  it('a hidden page counts failures by polling', async () => {
    const emulator = await openEmulator(503);
    const page = await openDashboard(emulator, { hasFakeTimers: true });
    await trigger(emulator, 1);
    await expect.poll(() => page.title()).toContain('(1)');
    await setHidden(page, true);
    await trigger(emulator, 1);
    await page.clock.fastForward(10_000);
    await expect.poll(() => page.title()).toContain('(2)');
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
});
