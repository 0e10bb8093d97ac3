/** The delivery list: live updates, scrolling and long lists. */
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard, skipToNextPoll } from '../support/browser.ts';
import { findFreePort } from '../support/local-server.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import {
  gridOf,
  openEmulator,
  rowsOf,
  scrollOf,
  scrollTo,
  selectedOf,
  trigger,
  typesOf,
} from './delivery-list.ts';

describeInBrowser('the delivery list', () => {
  it('the delivery list explains how to create the first delivery and shows it when it arrives', async () => {
    const emulator = await openEmulator();
    const page = await openDashboard(emulator);
    await page.getByText('svc trigger order.shipped').waitFor();
    await expectAccessible(page);
    await trigger(emulator, 1);
    await rowsOf(page).getByText('order.shipped').waitFor();
    await rowsOf(page).getByText('succeeded').waitFor();
  });

  it('the delivery list updates a row in place with its next attempt or the reason it stopped', async () => {
    const emulator = await openEmulator(500);
    const page = await openDashboard(emulator);
    await trigger(emulator, 1);
    await rowsOf(page).getByText('retry in').waitFor();
    await emulator.control.settleClock({});
    await rowsOf(page).getByText('no further attempt fits into the retry window').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
  });

  it('the delivery list shows the deliveries of the selected workspace, newest first', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1, 'made.first');
    await trigger(emulator, 1, 'made.second');
    const page = await openDashboard(emulator);
    await expect.poll(() => typesOf(page)).toEqual(['made.second', 'made.first']);
    await emulator.control.createWorkspace({ name: 'Second' });
    await page.reload();
    await page.getByLabel('Workspace').selectOption('Second');
    await page.getByText('No deliveries yet').waitFor();
  });

  it('the delivery list names the endpoint in its first steps once one exists', async () => {
    const emulator = await openEmulator();
    const { data } = await emulator.control.listWebhooks({});
    for (const { id } of data) await emulator.control.deleteWebhook({ id });
    const page = await openDashboard(emulator, { hasFakeTimers: true });
    await page.getByText('svc listen --forward-to').waitFor();
    await emulator.control.createWebhook({ url: 'http://127.0.0.1:9/hooks' });
    await skipToNextPoll(page);
    await page.getByRole('link', { name: 'http://127.0.0.1:9/hooks' }).waitFor();
    await expect.poll(() => page.getByText('svc listen --forward-to').count()).toBe(0);
    await page.getByText('svc trigger').waitFor();
  });

  it('the delivery list shows the error of an invalid filter until that filter is removed', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1);
    const unknown = `wh_${'0'.repeat(26)}`;
    const page = await openDashboard(emulator, {
      hash: `/deliveries?webhook_id=${unknown}`,
      expectedErrors: /404/,
    });
    await page.getByRole('alert').getByText(unknown).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: `Remove filter: Endpoint ${unknown}` }).click();
    await rowsOf(page).first().waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('the delivery list shows the deliveries of a new emulator that replaced the first one', async () => {
    const port = await findFreePort();
    const first = await openEmulator(200, { port });
    await trigger(first, 1);
    const page = await openDashboard(first, { expectedErrors: /ERR_|Failed to load/ });
    await rowsOf(page).first().waitFor();
    await first.close();
    await page.getByText('Connection lost').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    onTestFinished((await startTestEmulator({ port })).close);
    await page.getByText('No deliveries yet').waitFor();
  });

  it('the delivery list becomes empty when the emulator is reset', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1);
    const page = await openDashboard(emulator);
    await rowsOf(page).first().waitFor();
    await emulator.control.reset({});
    await page.getByText('No deliveries yet').waitFor();
  });
});

describeInBrowser('a long delivery list', () => {
  it('a long delivery list renders few rows and loads the others on scroll', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1, 'made.oldest');
    await trigger(emulator, 249);
    const page = await openDashboard(emulator);
    await rowsOf(page).first().waitFor();
    await expect.poll(() => gridOf(page).getAttribute('aria-rowcount')).toBe('-1');
    await gridOf(page).focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return typesOf(page);
      })
      .toContain('made.oldest');
    await selectedOf(page).getByText('made.oldest').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBeLessThan(50);
    await expect.poll(() => gridOf(page).getAttribute('aria-rowcount')).toBe('251');
  });

  it('a long delivery list keeps its scroll position when deliveries arrive and counts them on a button', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 60);
    const page = await openDashboard(emulator);
    await rowsOf(page).first().waitFor();
    await scrollTo(page, 900);
    const before = await typesOf(page);
    await trigger(emulator, 3, 'new.one');
    await page.getByRole('button', { name: '3 new' }).waitFor();
    expect(await scrollOf(page)).toBe(900);
    expect(await typesOf(page)).toEqual(before);
    await page.getByRole('button', { name: '3 new' }).click();
    await expect
      .poll(async () => (await typesOf(page)).slice(0, 4))
      .toEqual(['new.one', 'new.one', 'new.one', 'order.shipped']);
    await expect.poll(() => scrollOf(page)).toBe(0);
    await page.getByRole('button', { name: /new/ }).waitFor({ state: 'detached' });
  });

  it('a long delivery list adds no rows while paused but updates the existing ones', async () => {
    const emulator = await openEmulator(500);
    await trigger(emulator, 1, 'old.one');
    const page = await openDashboard(emulator);
    await rowsOf(page).getByText('retry in').waitFor();
    await page.keyboard.press('p');
    await page.getByRole('button', { name: 'Resume live updates' }).waitFor();
    await trigger(emulator, 2, 'new.one');
    await page.getByRole('button', { name: '2 new' }).waitFor();
    await emulator.control.settleClock({});
    await rowsOf(page).getByText('failed').waitFor();
    expect(await typesOf(page)).toEqual(['old.one']);
    await page.keyboard.press('p');
    await expect.poll(() => typesOf(page)).toEqual(['new.one', 'new.one', 'old.one']);
  });
});
