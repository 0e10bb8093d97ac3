/** The Back button of the browser. */
import { expect, it } from 'vitest';
import { describeInBrowser } from '../support/browser.ts';
import { openList, rowsOf, scrollOf, scrollTo, typesOf } from './delivery-list.ts';

describeInBrowser('Back', () => {
  it('Back closes the replay dialog with the delivery under it, and the list keeps its scroll position', async () => {
    const { page } = await openList({ 'order.shipped': 60 });
    await rowsOf(page).first().waitFor();
    await scrollTo(page, 900);
    await rowsOf(page).nth(15).click();
    await page.getByRole('article', { name: 'Delivery' }).getByRole('heading').first().waitFor();
    const position = await scrollOf(page);
    const dialog = page.getByRole('dialog', { name: 'Replay' });
    await page.getByRole('button', { name: 'Edit and replay' }).click();
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => new URL(page.url()).hash).toBe('#/deliveries');
    expect(await scrollOf(page)).toBe(position);
  });

  it('Back returns to the previous page after a dialog was closed with Escape or left by a link', async () => {
    const { page } = await openList({ 'order.shipped': 1 }, { hash: '/events' });
    await page.getByRole('navigation').getByRole('link', { name: 'Deliveries' }).click();
    await rowsOf(page).first().click();
    const address = page.url();
    const dialog = page.getByRole('dialog', { name: 'Replay' });
    await page.getByRole('button', { name: 'Edit and replay' }).click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit and replay' }).click();
    await dialog.getByLabel('URL').fill('http://127.0.0.1:9/other');
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.url()).not.toBe(address);
    await page.goBack();
    await expect.poll(() => page.url()).toBe(address);
    await page.goBack();
    await page.goBack();
    await expect.poll(() => page.title()).toContain('Events · svc');
  });

  it('Back from another section restores the scroll position of a list, beyond its first page', async () => {
    const { page } = await openList({ 'made.oldest': 1, 'order.shipped': 199 });
    await rowsOf(page).first().waitFor();
    await expect
      .poll(async () => {
        await page.keyboard.press('j');
        await page.keyboard.press('End');
        return typesOf(page);
      })
      .toContain('made.oldest');
    const position = await scrollOf(page);
    expect(position).toBeGreaterThan(5_000);
    await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click();
    await expect.poll(() => page.title()).toBe('Events · svc');
    await page.goBack();
    await expect.poll(() => scrollOf(page)).toBe(position);
    await rowsOf(page).getByText('made.oldest').waitFor();
    // A link to the list starts at its top.
    await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Deliveries' }).click();
    await rowsOf(page).first().waitFor();
    expect(await scrollOf(page)).toBe(0);
  });
});
