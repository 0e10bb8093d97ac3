/** The layout around every view: navigation, connection status, shortcuts and workspaces. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, openDashboard, skipToNextPoll } from '../support/browser.ts';
import { findFreePort } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startEmulator } from './open-emulator.ts';

describeInBrowser('the dashboard layout', () => {
  it('the dashboard layout links every section and marks the current one', async () => {
    const page = await openDashboard(await startEmulator());
    const navigation = page.getByRole('navigation', { name: 'Sections' });
    for (const title of ['Events', 'Home', 'Requests', 'Trigger', 'Deliveries']) {
      await navigation.getByRole('link', { name: title }).click();
      await expect.poll(() => page.title()).toBe(`${title} · svc`);
      await expect.poll(() => navigation.locator('[aria-current=page]').allTextContents()).toEqual([title]);
    }
  });

  it('the dashboard layout says that the page of an unknown URL or the resource of an unknown ID does not exist', async () => {
    const page = await openDashboard(await startEmulator(), {
      hash: '/nowhere/at/all',
      expectedErrors: /404/,
    });
    await page.getByText('This page does not exist.').waitFor();
    expect(await page.title()).toBe('Not found · svc');
    for (const path of ['deliveries/del_', 'events/evt_', 'webhooks/wh_', 'requests/req_']) {
      const hash = `${path}01JD3Z5K8Q4W6X7Y8Z9A0B1C2D`;
      await page.evaluate(`location.hash = '/${hash}'`);
      await page
        .getByRole('alert')
        .getByText(`${hash.split('/').at(-1)} does not exist`)
        .waitFor();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    }
  });

  it('the dashboard layout shows that the connection is lost, disables what needs the emulator, and reconnects', async () => {
    const port = await findFreePort();
    const first = await startEmulator({ port });
    await first.control.createWebhook({ url: 'http://127.0.0.1:9/' });
    await first.api('POST', '/events', { type: 'order.shipped' });
    const [delivery] = (await first.control.listDeliveries({})).data;
    const page = await openDashboard(first, {
      hash: `/deliveries/${delivery?.id}`,
      expectedErrors: /ERR_|Failed to load/,
    });
    const replay = page.getByRole('button', { name: 'Replay', exact: true });
    const advance = page.getByRole('button', { name: /^(?:Freeze|Resume)$/ });
    await expect.poll(() => replay.isEnabled()).toBe(true);
    await expect.poll(() => advance.isEnabled()).toBe(true);
    const { host } = new URL(first.status().url);
    await first.close();
    const alert = page.getByRole('alert');
    await alert.getByText(`Lost the connection to the emulator at ${host}.`).waitFor();
    await page.getByText('Connection lost').waitFor();
    expect([await replay.isDisabled(), await advance.isDisabled()]).toEqual([true, true]);
    expect(await page.getByRole('button', { name: 'Copy body' }).first().isEnabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('The emulator is not responding').first().waitFor();
    await startEmulator({ port });
    await page.getByText('sandbox').waitFor();
    // The views of the page load again at the same time.
    await expect.poll(() => alert.count()).toBe(0);
    await expect.poll(() => advance.isEnabled()).toBe(true);
  });

  it('every view keeps what it showed, and says that it is old, while the emulator does not respond', async () => {
    const emulator = await startEmulator();
    const { id: webhook } = await emulator.control.createWebhook({ url: 'http://127.0.0.1:9/' });
    await emulator.api('POST', '/events', { type: 'order.shipped' });
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
    const [delivery] = (await emulator.control.listDeliveries({})).data;
    const [request] = (await emulator.control.listRequests({})).data;
    const expectedErrors = /ERR_|Failed to load/;
    const page = await openDashboard(emulator, { hash: '', expectedErrors, hasFakeTimers: true });
    const rows = page.locator('li > a');
    const payload = page.getByRole('textbox', { name: 'Payload' });
    const contents = {
      '/home': page.getByRole('slider'),
      '/deliveries': rows.getByText('order.shipped'),
      [`/deliveries/${delivery?.id}`]: payload,
      [`/deliveries/${delivery?.id}?tab=signature`]: page.getByRole('heading', { name: 'Signed content' }),
      '/events': rows.getByText('order.shipped'),
      [`/events/${delivery?.event_id}`]: payload,
      '/requests': rows.getByText('POST /v1/events'),
      [`/requests/${request?.id}`]: page.getByRole('button', { name: 'Copy as curl' }),
      [`/webhooks/${webhook}`]: page.getByRole('button', { name: 'Make it fail' }),
      '/trigger?type=order.shipped': payload,
    };
    onTestFinished(() => page.context().setOffline(false));
    for (const [hash, content] of Object.entries(contents)) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, hash);
      await content.first().waitFor();
      await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
      await page.context().setOffline(true);
      await skipToNextPoll(page);
      const alert = page.getByRole('alert');
      await alert.getByText('This page shows the last data it received').waitFor();
      expect(await content.first().isVisible(), hash).toBe(true);
      await expect.poll(() => alert.count(), { message: hash }).toBe(1);
      await page.context().setOffline(false);
      await skipToNextPoll(page);
      await alert.waitFor({ state: 'detached' });
    }
  });

  it.skipIf(process.platform === 'win32')(
    'the dashboard layout shows that the database file was removed, and what to do',
    async () => {
      const folder = join(createTemporaryFolder(), '.svc');
      const emulator = await startEmulator({
        db: join(folder, 'sandbox.db'),
        internalErrorLog: { report: () => {} },
      });
      const page = await openDashboard(emulator, { hasFakeTimers: true });
      await page.getByText('sandbox').first().waitFor();
      rmSync(folder, { recursive: true });
      await expect.poll(() => emulator.status().storage_problem).toBeDefined();
      await skipToNextPoll(page);
      const alert = page.getByRole('alert');
      await alert.getByText('The database file was removed').waitFor();
      await expectAccessible(page);
      await alert.getByText('svc emulator snapshot save FILE').waitFor();
    },
  );

  it('the dashboard layout says that the emulator was restarted with another database, and loads its data', async () => {
    const port = await findFreePort();
    const first = await startEmulator({ port });
    const { id } = await first.control.createWorkspace({ name: 'Second' });
    await first.control.createWebhook({ workspace_id: id, url: 'http://127.0.0.1:9/' });
    const { key } = await first.control.createKey({ scopes: ['events:write'], workspace_id: id });
    await first.api('POST', '/events', { type: 'order.shipped' }, { authorization: `Bearer ${key}` });
    const [delivery] = (await first.control.listDeliveries({})).data;
    const page = await openDashboard(first, {
      hash: `/deliveries/${delivery?.id}`,
      expectedErrors: /ERR_|Failed to load|404/,
    });
    const shown = page.getByRole('article', { name: 'Delivery' });
    await shown.getByRole('heading', { name: 'order.shipped' }).waitFor();
    await expect.poll(() => page.url()).toContain(`?ws=${id}`);
    await first.close();
    const second = await startEmulator({ port });
    await second.control.createWebhook({ url: 'http://127.0.0.1:9/' });
    await second.api('POST', '/events', { type: 'invoice.paid' });
    const message = page.getByText('The emulator now has a different database.');
    await message.waitFor();
    await page.locator('li > a').getByText('invoice.paid').waitFor();
    expect(new URL(page.url()).search + new URL(page.url()).hash).toBe('#/deliveries');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await message.waitFor({ state: 'detached' });
  });

  it('the dashboard layout lists each keyboard shortcut once with ?, and closes the list with Escape', async () => {
    const page = await openDashboard(await startEmulator());
    await page.getByRole('status').getByText('sandbox').waitFor();
    // A shortcut of the browser or the system.
    await page.keyboard.press('Alt+t');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    await dialog.getByText('Trigger an event').waitFor();
    const keys = await dialog.locator('dt').allTextContents();
    expect(keys).toContain('/');
    expect(new Set(keys).size).toBe(keys.length);
    await page.keyboard.press('t');
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('t');
    await expectFocused(page.getByLabel('Event type'));
  });

  it('the dashboard layout has a skip link for keyboard users', async () => {
    const page = await openDashboard(await startEmulator());
    await page.getByText('sandbox').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Skip to content' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('MAIN');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
  });
});
