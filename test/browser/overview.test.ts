/** The overview, which is the first page, and failing deliveries as a state. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard, skipToNextPoll } from '../support/browser.ts';
import { gridOf, idOf, openEmulator, rowsOf, trigger } from './delivery-list.ts';

const tileOf = (page: Page) => page.getByRole('region', { name: 'Endpoints' }).getByRole('listitem');
const chartOf = (page: Page) => page.getByRole('img', { name: /attempts in the last/i });

describeInBrowser('the overview', () => {
  it('the overview is the first page and shows the first steps until there is a delivery', async () => {
    const emulator = await openEmulator();
    const page = await openDashboard(emulator, { hash: '' });
    await page.getByText('svc trigger order.shipped').waitFor();
    expect(await page.title()).toBe('Overview · svc');
    await expect.poll(() => tileOf(page).getByText('no attempts').count()).toBe(1);
    await expectAccessible(page);
    await trigger(emulator, 1);
    await chartOf(page).waitFor();
    const faults = page.getByRole('region', { name: 'Active faults' });
    await faults.getByText('No faults are active.').waitFor();
    expect(await faults.getByRole('link', { name: 'an endpoint' }).getAttribute('href')).toBe('#/webhooks');
    await expect.poll(() => page.getByText('svc trigger order.shipped').count()).toBe(0);
    await tileOf(page).getByText('100%').waitFor();
  });

  it('the overview shows failing deliveries, the endpoint, the chart, what is due and faults in light and dark mode, wide and narrow', async () => {
    const emulator = await openEmulator([200, 503]);
    await emulator.control.addFault({ on: 'delivery', kind: 'delay', type: 'order.lost', count: 1 });
    await trigger(emulator, 1);
    await expect.poll(async () => (await emulator.control.countDeliveries({})).pending).toBe(0);
    await trigger(emulator, 1, 'invoice.paid');
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
    const page = await openDashboard(emulator, { hash: '/overview' });
    for (const [width, height] of [
      [320, 256],
      [360, 800],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.getByRole('link', { name: /^failing 1$/i }).waitFor();
      expect(await page.getByRole('link', { name: /pending/i }).count()).toBe(0);
      await expect
        .poll(() => chartOf(page).getAttribute('aria-label'))
        .toMatch(
          /^Attempts in the last 10 minutes: 1 succeeded, 1 failed, including 0 retries or replays\. Most failed at /,
        );
      await page.getByText('1 succeeded (0.1 per minute)').waitFor();
      await tileOf(page).getByText('50%').waitFor();
      await tileOf(page)
        .getByRole('link', { name: /^503\b/ })
        .waitFor();
      await tileOf(page)
        .getByText(/^in \d/)
        .waitFor();
      await page.getByRole('region', { name: 'Due next' }).getByText('attempt 2 in').waitFor();
      await page.getByRole('region', { name: 'Active faults' }).getByText('order.lost').waitFor();
      await page.getByText('Show as table').click();
      await expectAccessibleAt(page, [width], height);
      await tileOf(page)
        .getByRole('link', { name: /^503\b/ })
        .click();
      await page.getByRole('article').getByRole('heading', { name: 'invoice.paid' }).waitFor();
      await page.goBack();
    }
  });

  it('the overview counts retries by schedule time or real time and keeps the choice in its address', async () => {
    const emulator = await openEmulator(500);
    await trigger(emulator, 1);
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
    await emulator.control.advanceClock({ ms: 20 * 3_600_000 });
    const page = await openDashboard(emulator, { hash: '/overview' });
    await expect.poll(() => chartOf(page).getAttribute('aria-label')).toContain('retries or replays');
    const [, allRetries] =
      /including (\d+) retries/.exec((await chartOf(page).getAttribute('aria-label')) ?? '') ?? [];
    expect(Number(allRetries)).toBeGreaterThan(2);
    await page.getByLabel('Time', { exact: true }).selectOption('schedule');
    await expect
      .poll(() => chartOf(page).getAttribute('aria-label'))
      .toBe('No attempts in the last 10 minutes');
    await page.getByLabel('Period').selectOption('24h');
    await expect
      .poll(() => chartOf(page).getAttribute('aria-label'))
      .toContain(`including ${allRetries} retries`);
    await page.reload();
    await expect
      .poll(() => chartOf(page).getAttribute('aria-label'))
      .toContain(`including ${allRetries} retries`);
    expect(page.url()).toContain('period=24h');
  });

  it('the overview asks the emulator at most once per second, whatever the live stream sends', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1);
    const page = await openDashboard(emulator, { hash: '/overview', hasFakeTimers: true });
    await tileOf(page).getByText('100%').waitFor();
    let requests = 0;
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname === '/_svc/overview') requests++;
      expect(pathname).not.toMatch(/^\/_svc\/(?:attempts|deliveries)$/);
    });
    await skipToNextPoll(page);
    await expect.poll(() => requests).toBeGreaterThan(0);
    const getPageTime = () => page.evaluate<number>('Date.now()');
    const before = { requests, time: await getPageTime() };
    for (let round = 0; round < 3; round++) {
      await trigger(emulator, 5);
      await page.clock.runFor(200);
    }
    // The time of the page also passes while it waits for the emulator. It polls every three seconds as well.
    const seconds = ((await getPageTime()) - before.time) / 1_000;
    expect(requests - before.requests).toBeLessThanOrEqual(2 + seconds * (1 + 1 / 3));
    await page.clock.runFor(1_000);
    await expect.poll(() => chartOf(page).getAttribute('aria-label')).toContain('16 succeeded');
  });

  it('the first view loads less than 60 KB', async () => {
    const emulator = await openEmulator();
    await trigger(emulator, 1);
    const page = await openDashboard(emulator, { hash: '' });
    await chartOf(page).waitFor();
    const bytes = await page.evaluate(
      `performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
        .filter(({ name }) => !name.includes('/_svc/')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(30_000);
    expect(bytes).toBeLessThan(60_000);
  });
});

describeInBrowser('failing deliveries', () => {
  it('a failing delivery shows its response and its retry, and the filter buttons show counts', async () => {
    const emulator = await openEmulator(503);
    await trigger(emulator, 2);
    const page = await openDashboard(emulator);
    await expect
      .poll(() =>
        rowsOf(page)
          .getByText(/^503 · retry in \d/)
          .count(),
      )
      .toBe(2);
    await page.getByRole('button', { name: /^failing 2$/i }).click();
    await expect.poll(() => page.url()).toContain('status=failing');
    await expectAccessible(page);
    await emulator.control.settleClock({});
    await page.getByText('No deliveries match these filters.').waitFor();
    await page.getByRole('button', { name: /^failed 2$/i }).click();
    await expect
      .poll(() =>
        rowsOf(page)
          .getByText(/^503 · no further attempt/)
          .count(),
      )
      .toBe(2);
  });

  it('f opens the next failing delivery and starts again at the newest, and says so when none is failing', async () => {
    const emulator = await openEmulator([503, 503, 200]);
    await trigger(emulator, 1, 'made.first');
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
    await trigger(emulator, 1, 'made.second');
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(2);
    await trigger(emulator, 1, 'made.third');
    const [, second, first] = (await emulator.control.listDeliveries({})).data.map(({ id }) => id);
    const page = await openDashboard(emulator);
    await gridOf(page).waitFor();
    for (const expected of [second, first, second]) {
      await page.keyboard.press('f');
      await expect.poll(() => idOf(page)).toBe(expected);
    }
    await page.getByRole('tab', { name: 'Response', selected: true }).waitFor();
    await emulator.control.settleClock({});
    await page.keyboard.press('f');
    await page.getByText('No delivery is failing.').waitFor();
  });

  it('f opens the newest failing delivery from another page, and the keyboard help lists each key once', async () => {
    const emulator = await openEmulator(503);
    await trigger(emulator, 2);
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(2);
    const [newest] = (await emulator.control.listDeliveries({})).data;
    const page = await openDashboard(emulator, { hash: '/events' });
    await page.getByRole('grid', { name: 'Events' }).getByText('order.shipped').first().waitFor();
    await page.keyboard.press('f');
    await expect.poll(() => idOf(page)).toBe(newest?.id);
    await page.getByRole('article', { name: 'Delivery' }).waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Open the next failing delivery').waitFor();
    const keys = await help.locator('kbd').allTextContents();
    expect(keys).toContain('f');
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('a failed attempt opens on its response, and one that succeeded on its request', async () => {
    const emulator = await openEmulator([503, 200]);
    await trigger(emulator, 1);
    await expect.poll(async () => (await emulator.control.countDeliveries({})).failing).toBe(1);
    const page = await openDashboard(emulator);
    await rowsOf(page).first().click();
    await page.getByRole('tab', { name: 'Response', selected: true }).waitFor();
    await emulator.control.settleClock({});
    await page.getByText('Delivered on attempt 2.').waitFor();
    await page.getByRole('tab', { name: 'Request', selected: true }).waitFor();
  });
});
