/** The delivery list: live updates, scrolling and long lists. */
import { expect, it } from 'vitest';
import { expectAccessible } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard, skipToNextPoll } from '../support/browser.ts';
import { findFreePort } from '../support/local-server.ts';
import {
  focusedRowOf,
  idOf,
  openEmulator,
  openRowOf,
  rowsOf,
  scrollOf,
  scrollTo,
  trigger,
  typesOf,
} from './delivery-list.ts';
import { startEmulator } from './open-emulator.ts';

/** Number of rows that a list loads at once. */
const PAGE_SIZE = 200;

describeInBrowser('the delivery list', () => {
  it('the delivery list explains how to create the first delivery and shows it when it arrives', async () => {
    const emulator = await openEmulator();
    const page = await openDashboard(emulator);
    await page.getByText('svc trigger order.shipped').waitFor();
    await expectAccessible(page);
    await trigger(emulator, 1);
    await rowsOf(page).getByText('order.shipped').waitFor();
    await rowsOf(page).getByRole('img', { name: 'succeeded' }).waitFor();
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

  it('the delivery list shows only the deliveries that match the text in its search', async () => {
    const emulator = await openEmulator();
    for (const type of ['order.shipped', 'invoice.paid']) await trigger(emulator, 1, type);
    const page = await openDashboard(emulator);
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await page.getByRole('searchbox').fill('invoice');
    await expect.poll(() => typesOf(page)).toEqual(['invoice.paid']);
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
    await startEmulator({ port });
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
  it('a long delivery list shows the newest deliveries and loads older ones on request', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1, 'made.oldest');
    await trigger(emulator, PAGE_SIZE);
    const page = await openDashboard(emulator);
    await expect.poll(() => rowsOf(page).count()).toBe(PAGE_SIZE);
    await page.getByRole('button', { name: 'Show older deliveries' }).click();
    await rowsOf(page).getByText('made.oldest').waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(PAGE_SIZE + 1);
    expect(await page.getByRole('button', { name: 'Show older deliveries' }).count()).toBe(0);
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

  it.each(['pointer', 'focus'] as const)(
    'no row moves while the %s is on one, and the new rows appear when it leaves',
    async (reason) => {
      const emulator = await openEmulator(500);
      await trigger(emulator, 1, 'old.one');
      const page = await openDashboard(emulator);
      await rowsOf(page).getByText('retry in').waitFor();
      if (reason === 'pointer') await rowsOf(page).first().hover();
      else await page.keyboard.press('j');
      const top = (await rowsOf(page).first().boundingBox())?.y;
      await trigger(emulator, 2, 'new.one');
      await page.getByRole('button', { name: '2 new' }).waitFor();
      expect(await typesOf(page)).toEqual(['old.one']);
      expect((await rowsOf(page).first().boundingBox())?.y).toBe(top);
      // The rows that are shown still change.
      await emulator.control.settleClock({});
      await rowsOf(page).getByRole('img', { name: 'failed' }).waitFor();
      if (reason === 'pointer') await page.mouse.move(600, 10);
      else await page.getByRole('searchbox').focus();
      await expect.poll(() => typesOf(page)).toEqual(['new.one', 'new.one', 'old.one']);
    },
  );

  it('a click opens the delivery that the pointer was on, at 50 deliveries per second', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 10, 'old.one');
    const page = await openDashboard(emulator);
    const aimed = rowsOf(page).nth(4);
    const id = await aimed.locator('a').getAttribute('data-id');
    await aimed.hover();
    for (let round = 0; round < 5; round++) await trigger(emulator, 10, 'new.one');
    await page.getByRole('button', { name: '50 new' }).waitFor();
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => idOf(page)).toBe(id);
  });

  it('the row of the open delivery is in view after a reload', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1, 'made.oldest');
    await trigger(emulator, PAGE_SIZE + 50);
    const { data } = await emulator.control.listDeliveries({ limit: 1_000 });
    const page = await openDashboard(emulator, { hash: `/deliveries/${data.at(-1)?.id}` });
    await openRowOf(page).getByText('made.oldest').waitFor();
    await expect
      .poll(() => openRowOf(page).evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight))
      .toBe(true);
  });

  it('18 rows of 36 px are in view at 1280 × 800, with a badge for an injected fault', async () => {
    const emulator = await openEmulator();
    await emulator.control.addFault({
      on: 'delivery',
      kind: 'error-response',
      status: 500,
      type: 'order.lost',
    });
    await trigger(emulator, 30);
    await trigger(emulator, 1, 'order.lost');
    const page = await openDashboard(emulator);
    await rowsOf(page).getByRole('img', { name: 'injected fault: error-response' }).waitFor();
    const boxes = await rowsOf(page).evaluateAll((rows) =>
      rows.map((row) => row.getBoundingClientRect().toJSON()),
    );
    expect(new Set(boxes.map(({ height }) => height))).toEqual(new Set([36]));
    expect(boxes.filter(({ bottom }) => bottom <= 800).length).toBeGreaterThanOrEqual(18);
  });

  it('the keyboard reaches the list with 12 tab stops', async () => {
    const emulator = await openEmulator(503);
    await emulator.control.createWorkspace({ name: 'Second' });
    await trigger(emulator, 2);
    const page = await openDashboard(emulator);
    await rowsOf(page).getByText('retry in').first().waitFor();
    for (let stop = 0; stop < 12; stop++) await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect.poll(() => focusedRowOf(page).count()).toBe(1);
  });
});
