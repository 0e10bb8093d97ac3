/** The delivery list: live updates, scrolling and long lists. */
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard, skipToNextPoll } from '../support/browser.ts';
import {
  idOf,
  openEmulator,
  openList,
  openRowOf,
  rowsOf,
  scrollOf,
  scrollTo,
  trigger,
  typesOf,
} from './delivery-list.ts';

/** Number of rows that a list loads at once. */
const PAGE_SIZE = 200;

describeInBrowser('the delivery list', () => {
  it('the delivery list explains how to create the first delivery and shows it when it arrives', async () => {
    const { emulator, page } = await openList();
    await page.getByText('svc trigger order.shipped').waitFor();
    await expectAccessible(page);
    await trigger(emulator, 1);
    await rowsOf(page).getByText('order.shipped').waitFor();
    await rowsOf(page).getByRole('img', { name: 'succeeded' }).waitFor();
  });

  it('the delivery list updates a row in place with its next attempt or the reason it stopped, and marks an injected fault', async () => {
    const { emulator, page } = await openList();
    await emulator.control.addFault({ on: 'delivery', kind: 'error-response', status: 500 });
    await trigger(emulator, 1);
    await rowsOf(page).getByRole('img', { name: 'injected fault: error-response' }).waitFor();
    await rowsOf(page).getByText('retry in').waitFor();
    await emulator.control.settleClock({});
    await rowsOf(page).getByText('no further attempt fits into the retry window').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(1);
  });

  it('the delivery list names the endpoint in its first steps once one exists', async () => {
    const emulator = await openEmulator();
    const { data } = await emulator.control.listWebhooks({});
    for (const { id } of data) await emulator.control.deleteWebhook({ id });
    const page = await openDashboard(emulator, { hasFakeTimers: true });
    await page.getByText('svc listen http').waitFor();
    await emulator.control.createWebhook({ url: 'http://127.0.0.1:9/hooks' });
    await skipToNextPoll(page);
    await page.getByRole('link', { name: 'http://127.0.0.1:9/hooks' }).waitFor();
    await expect.poll(() => page.getByText('svc listen http').count()).toBe(0);
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

  it('the delivery list becomes empty when the emulator is reset', async () => {
    const { emulator, page } = await openList({ 'order.shipped': 1 });
    await rowsOf(page).first().waitFor();
    await emulator.control.reset({});
    await page.getByText('No deliveries yet').waitFor();
  });
});

describeInBrowser('a long delivery list', () => {
  it('a long delivery list shows the newest deliveries, loads older ones on request, and shows the row of the open one after a reload', async () => {
    const { page } = await openList({ 'made.oldest': 1, 'order.shipped': PAGE_SIZE });
    await expect.poll(() => rowsOf(page).count()).toBe(PAGE_SIZE);
    await page.getByRole('button', { name: 'Show older deliveries' }).click();
    const oldest = rowsOf(page).getByText('made.oldest');
    await oldest.waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(PAGE_SIZE + 1);
    expect(await page.getByRole('button', { name: 'Show older deliveries' }).count()).toBe(0);
    await oldest.click();
    await expect.poll(() => idOf(page)).toBeDefined();
    await page.reload();
    await openRowOf(page).getByText('made.oldest').waitFor();
    await expect
      .poll(() => openRowOf(page).evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight))
      .toBe(true);
  });

  it('a long delivery list keeps its scroll position when deliveries arrive and counts them on a button', async () => {
    const { emulator, page } = await openList({ 'order.shipped': 60 });
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

  it('a click opens the delivery that the pointer was on, at 50 deliveries per second', async () => {
    const { emulator, page } = await openList({ 'old.one': 10 });
    const aimed = rowsOf(page).nth(4);
    const id = await aimed.locator('a').getAttribute('data-id');
    await aimed.hover();
    for (let round = 0; round < 5; round++) await trigger(emulator, 10, 'new.one');
    await page.getByRole('button', { name: '50 new' }).waitFor();
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => idOf(page)).toBe(id);
  });
});
