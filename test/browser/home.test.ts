/** The first page, and failing deliveries as a state. */
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import { openEmulator, openList, rowsOf, trigger } from './delivery-list.ts';

const endpointsOf = (page: Page) => page.getByRole('region', { name: 'Endpoints' });
const sliderOf = (page: Page) => page.getByRole('slider');

describeInBrowser('the first page', () => {
  it('the first page shows the first steps until there is a delivery', async () => {
    const { emulator, page } = await openList({}, { hash: '' });
    await page.getByText('svc trigger order.shipped').waitFor();
    await endpointsOf(page).getByText('no attempts').waitFor();
    await trigger(emulator, 1);
    await page.getByRole('group', { name: /1 attempt succeeded, 0 failed/ }).waitFor();
    await expect.poll(() => page.getByText('svc trigger order.shipped').count()).toBe(0);
    await endpointsOf(page).getByText('100%').waitFor();
    await endpointsOf(page).getByText('healthy').waitFor();
  });

  it('the first page shows endpoints and their attempts, and opens the delivery of an attempt', async () => {
    const emulator = await openEmulator([200, 503]);
    await trigger(emulator, 1);
    await expect.poll(async () => (await emulator.control.countDeliveries({})).pending).toBe(0);
    await trigger(emulator, 1, 'invoice.paid');
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
    const page = await openDashboard(emulator, { hash: '/home' });
    const endpoints = endpointsOf(page);
    await endpoints
      .getByRole('group', { name: /: 1 attempt succeeded, 1 failed, 1 scheduled, the next at .*\d\d:\d\d$/ })
      .waitFor();
    await endpoints.getByText('failing').waitFor();
    await endpoints.getByText('50%').waitFor();
    await endpoints.getByRole('link', { name: '503', exact: true }).click();
    await page.getByRole('article').getByRole('heading', { name: 'invoice.paid' }).waitFor();
  });

  it('the first page lists failing endpoints first, and no fault that is used up', async () => {
    const emulator = await openEmulator((request) => (request.envelope?.type === 'turned.down' ? 500 : 200));
    const [first] = (await emulator.control.listWebhooks({})).data;
    const second = await emulator.control.createWebhook({ url: 'http://127.0.0.1:9/newer' });
    await emulator.control.updateWebhook({ id: second.id, disabled: true });
    await emulator.control.addFault({ on: 'delivery', kind: 'error-response', status: 500, count: 1 });
    await trigger(emulator, 1, 'turned.down');
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
    const page = await openDashboard(emulator, { hash: '/home' });
    const rows = endpointsOf(page).getByRole('row');
    await rows.nth(1).getByText('failing').waitFor();
    const links = await rows
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links.filter((link) => link?.startsWith('#/webhooks'))).toEqual([
      `#/webhooks/${first?.id}`,
      `#/webhooks/${second.id}`,
    ]);
    await rows.nth(2).getByText('disabled').waitFor();
    expect(await page.getByRole('region', { name: 'Active faults' }).count()).toBe(0);
  });

  it('the first view has less than 60 KB, compressed', async () => {
    const { page } = await openList({ 'order.shipped': 1 }, { hash: '' });
    await sliderOf(page).waitFor();
    const urls = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
        .map(({ name }) => name).filter((name) => !name.includes('/_svc/'))`,
    );
    const files = await Promise.all(urls.map(async (url) => (await fetch(url)).arrayBuffer()));
    const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
    expect(bytes).toBeGreaterThan(30_000);
    expect(bytes).toBeLessThan(60_000);
  });
});

describeInBrowser('failing deliveries', () => {
  it('a failing delivery shows its response and its retry, and the title and the filter buttons show counts', async () => {
    const { emulator, page } = await openList(
      { 'order.shipped': 2 },
      { responses: (_, index) => (index === 2 ? 200 : 503) },
    );
    await expect
      .poll(() =>
        rowsOf(page)
          .getByText(/^503 · retry in \d/)
          .count(),
      )
      .toBe(2);
    await expect.poll(() => page.title()).toBe('(2) Deliveries · svc');
    await page.getByRole('button', { name: /^failing 2$/i }).click();
    await expect.poll(() => page.url()).toContain('status=failing');
    await emulator.control.settleClock({});
    await page.getByText('No deliveries match these filters.').waitFor();
    // Failing or failed.
    await expect.poll(() => page.title()).toBe('(1) Deliveries · svc');
    await page.getByRole('button', { name: /^unsuccessful 1$/i }).click();
    await expect
      .poll(() =>
        rowsOf(page)
          .getByText(/^503 · no further attempt/)
          .count(),
      )
      .toBe(1);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('link', { name: 'Unsuccessful deliveries of the last hour' }).click();
    await expect.poll(() => page.url()).toContain('scheduled=1h');
    await expect.poll(() => rowsOf(page).count()).toBe(1);
  });
});
