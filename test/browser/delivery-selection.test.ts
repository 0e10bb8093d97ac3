/** The filters of the delivery list, keyboard navigation, and the list next to the open delivery. */
import { expect, it } from 'vitest';
import { describeInBrowser, expectFocused, openDashboard } from '../support/browser.ts';
import {
  focusedRowOf,
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

describeInBrowser('the delivery filters', () => {
  it('the delivery filters keep text that is being typed when a delivery arrives, are stored in the URL and can be removed one by one or all at once', async () => {
    const { emulator, page } = await openList({ 'order.shipped': 1, 'user.deleted': 1 }, { width: 1600 });
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByLabel('Type').fill('order.shipped');
    await trigger(emulator, 1, 'user.created');
    await expect.poll(() => typesOf(page)).toEqual(['user.created', 'user.deleted', 'order.shipped']);
    expect(await page.getByLabel('Type').inputValue()).toBe('order.shipped');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Succeeded', exact: true }).click();
    await expect.poll(() => typesOf(page)).toEqual(['order.shipped']);
    await expect
      .poll(() => new URL(page.url()).hash)
      .toBe('#/deliveries?type=order.shipped&status=succeeded');
    await page.reload();
    await expect.poll(() => typesOf(page)).toEqual(['order.shipped']);
    await page.getByRole('button', { name: 'Remove filter: Type order.shipped' }).click();
    await expect.poll(() => typesOf(page)).toEqual(['user.created', 'user.deleted', 'order.shipped']);
    await page.getByLabel('Type').fill('nothing.here');
    await page.keyboard.press('Enter');
    const nothing = page.getByText('No deliveries match these filters.');
    await nothing.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => typesOf(page)).toHaveLength(3);
    await expect.poll(() => new URL(page.url()).hash).toBe('#/deliveries');
  });

  it('the delivery filters apply to live updates and remove rows that no longer match', async () => {
    const { emulator, page } = await openList(
      {},
      {
        responses: (request) => (request.envelope?.type === 'turned.down' ? 500 : 200),
        hash: '/deliveries?status=pending',
      },
    );
    await page.getByText('No deliveries match').waitFor();
    await trigger(emulator, 1, 'taken.up');
    await trigger(emulator, 1, 'turned.down');
    await expect.poll(() => typesOf(page)).toEqual(['turned.down']);
    await emulator.control.settleClock({});
    await page.getByText('No deliveries match').waitFor();
  });

  it('the delivery filters find text in the body of existing and new deliveries, and the rows show it in context', async () => {
    const { emulator, page } = await openList({ 'order.shipped': 2, 'user.deleted': 2 });
    await expect.poll(() => typesOf(page)).toHaveLength(4);
    await page.keyboard.press('/');
    await expectFocused(page.getByRole('searchbox', { name: 'Search' }));
    await page.keyboard.type('SHIPPED ');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/deliveries?text=SHIPPED');
    await page.keyboard.type('NO. 1');
    await expect.poll(() => typesOf(page)).toEqual(['order.shipped']);
    await expect.poll(() => rowsOf(page).locator('mark').allTextContents()).toEqual(['shipped no. 1']);
    await rowsOf(page).getByText('…ber":"order.shipped no. 1"').waitFor();
    await trigger(emulator, 2, 'order.shipped');
    await expect.poll(() => typesOf(page)).toEqual(['order.shipped', 'order.shipped']);
  });

  it('the delivery filters select deliveries by the response of the last attempt and follow its changes', async () => {
    const emulator = await openEmulator([404, 503, 404, 200]);
    await trigger(emulator, 1, 'first.one');
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
    await trigger(emulator, 1, 'second.one');
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(2);
    const page = await openDashboard(emulator, { width: 1600 });
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    const field = page.getByRole('combobox', { name: 'Response' });
    await field.fill('4xx');
    await field.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/deliveries?response_status=4xx');
    await expect.poll(() => typesOf(page)).toEqual(['first.one']);
    await trigger(emulator, 1, 'third.one');
    await expect.poll(() => typesOf(page)).toEqual(['third.one', 'first.one']);
    await page.getByRole('button', { name: 'Replay all matches' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay all matches' });
    await dialog.getByRole('button', { name: 'Replay 2 deliveries' }).waitFor();
    await dialog.getByText('Response', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await emulator.control.settleClock({});
    await page.getByText('No deliveries match').waitFor();
    await page.getByRole('button', { name: 'Remove filter: Response 4xx' }).click();
    await expect.poll(() => typesOf(page)).toEqual(['third.one', 'second.one', 'first.one']);
    await expect.poll(() => rowsOf(page).getByText('200 · 2 attempts · ').count()).toBe(3);
    await field.fill('4zz');
    await field.press('Enter');
    const hint = 'Enter a status from 100 to 599, a class such as 4xx, or none.';
    const alert = page.getByRole('alert');
    await alert.getByText(`The Response filter "4zz" is ignored. ${hint}`).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.inputValue()).toBe('4zz');
    await alert.getByRole('button', { name: 'Clear' }).click();
    await alert.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('');
  });
});

describeInBrowser('the delivery list and the open delivery', () => {
  it('a delivery that a search has found scrolls to the match in its payload', async () => {
    const emulator = await openEmulator();
    const lines = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`line_${index}`, index]));
    await emulator.api('POST', '/events', {
      type: 'order.shipped',
      payload: { ...lines, last: 'the needle' },
    });
    const page = await openDashboard(emulator, { hash: '/deliveries?text=the+needle', width: 1600 });
    await rowsOf(page).first().click();
    const match = page.getByRole('textbox', { name: 'Payload' }).getByText('the needle');
    await expect
      .poll(() =>
        match.evaluate((text) => {
          const { top, bottom } = text.getBoundingClientRect();
          const box = text.closest('.cm-scroller')?.getBoundingClientRect();
          return box !== undefined && top >= box.top && bottom <= box.bottom;
        }),
      )
      .toBe(true);
  });

  it('the delivery list and the open delivery appear side by side on a wide screen and respond to keyboard shortcuts', async () => {
    const { emulator, page } = await openList({ 'order.shipped': 3 }, { width: 1100 });
    const [newest, , oldest] = (await emulator.control.listDeliveries({})).data;
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Delivery' }).waitFor();
    await expect.poll(() => idOf(page)).toBe(oldest?.id);
    await expect.poll(() => rowsOf(page).first().isVisible()).toBe(true);
    await expect.poll(() => openRowOf(page).getAttribute('data-id')).toBe(oldest?.id);
    await expect.poll(() => focusedRowOf(page).getAttribute('data-id')).toBe(oldest?.id);
    await page.keyboard.press('Home');
    await expect.poll(() => idOf(page)).toBe(newest?.id);
    await page.keyboard.press('Escape');
    await page.getByRole('article', { name: 'Delivery' }).waitFor({ state: 'detached' });
    await expect.poll(() => focusedRowOf(page).getAttribute('data-id')).toBe(newest?.id);
  });

  it('the delivery list and the open delivery replace each other on a narrow screen and keep the scroll position', async () => {
    const { page } = await openList(
      { 'order.shipped': 40 },
      { width: 360, hash: '/deliveries?type=order.shipped' },
    );
    await rowsOf(page).first().waitFor();
    await scrollTo(page, 400);
    await rowsOf(page).nth(14).click();
    await page.getByRole('link', { name: 'All deliveries' }).waitFor();
    await expect.poll(() => rowsOf(page).nth(14).isVisible()).toBe(false);
    await page.getByRole('link', { name: 'All deliveries' }).click();
    await rowsOf(page).nth(14).waitFor();
    await expect.poll(() => scrollOf(page)).toBe(400);
    await expect.poll(() => new URL(page.url()).hash).toBe('#/deliveries?type=order.shipped');
  });
});
