/** The timelines: what they show, the line that advances the clock, and their links. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, type OpenOptions, openDashboard } from '../support/browser.ts';
import type { ReceiverResponses } from '../support/test-receiver.ts';
import { openEmulator, rowsOf, trigger } from './delivery-list.ts';
import { startReceiver } from './open-emulator.ts';

const MINUTE_MS = 60_000;

const partsOf = (page: Page) => {
  const area = page.getByRole('region', { name: 'Endpoints' });
  return {
    area,
    slider: area.getByRole('slider', { name: 'Advance the clock to' }),
    rings: area.locator('.timeline g'),
    dots: area.locator('.timeline a'),
    advance: area.getByRole('button', { name: /^Advance / }),
  };
};

/** Home with two endpoints, and `count` deliveries to each that have failed once and then succeed or fail. */
async function openHome(count: number, retries: ReceiverResponses = 503, options: OpenOptions = {}) {
  const emulator = await openEmulator(503, { clock: { frozen: true } });
  const { control } = emulator;
  const second = await startReceiver(503);
  await control.createWebhook({ url: `${second.url}/second` });
  await trigger(emulator, count);
  await expect.poll(async () => (await control.countDeliveries({})).failing).toBe(2 * count);
  second.respond(retries);
  const page = await openDashboard(emulator, { hash: '/home', ...options });
  const parts = partsOf(page);
  await parts.rings.nth(1).waitFor();
  const timeOf = async () => Date.parse((await control.getClock({})).now);
  return { emulator, control, page, ...parts, timeOf, startedAt: await timeOf() };
}

const lineTextOf = (page: Page) => page.getByRole('slider').getAttribute('aria-valuetext');

/** The middle of an element. */
async function middleOf(locator: ReturnType<Page['locator']>) {
  const { x = 0, y = 0, width = 0, height = 0 } = (await locator.boundingBox()) ?? {};
  return { x: x + width / 2, y: y + height / 2 };
}

async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
}

describeInBrowser('the line of the timelines', () => {
  it('the line is dragged to the retries, says what it would send, and the button sends it', async () => {
    const { control, page, area, slider, rings, dots, advance, timeOf, startedAt } = await openHome(5, 200);
    expect(await dots.count()).toBe(2);
    await drag(page, await middleOf(slider), await middleOf(rings.first()));
    await area.getByText(/^10 retries to 2 endpoints, until (\w+ \d+, )?\d\d:\d\d \(\+5 min\)$/).waitFor();
    await page.mouse.up();
    await expectFocused(advance);
    expect(await advance.textContent()).toBe('Advance 5 min');
    expect(await timeOf()).toBe(startedAt);
    const before = await middleOf(rings.first());
    await page.keyboard.press('Enter');
    // The retries of one endpoint succeed where they were shown.
    const green = area.locator('.timeline a:has(circle[data-state=succeeded]) circle').first();
    const place = await green.evaluate((circle) => circle.getBoundingClientRect().toJSON());
    expect(place.x + place.width / 2).toBeCloseTo(before.x, 0);
    await page.getByText('10 attempts: 5 succeeded, 5 failed.').waitFor();
    expect((await timeOf()) - startedAt).toBeCloseTo(5 * MINUTE_MS, -4);
    // Then the current time is in the middle again.
    await area.getByText('Drag the line').waitFor();
    await expect.poll(() => lineTextOf(page)).toMatch(/^now, /);
    expect((await control.countDeliveries({})).failing).toBe(5);
  });

  it('Escape puts the line back, and nothing is sent', async () => {
    const { page, slider, rings, advance, timeOf, startedAt } = await openHome(1);
    await drag(page, await middleOf(slider), await middleOf(rings.first()));
    await page.mouse.up();
    await expectFocused(advance);
    await page.keyboard.press('Escape');
    await expect.poll(() => lineTextOf(page)).toMatch(/^now, /);
    await expectFocused(slider);
    expect(await advance.count()).toBe(0);
    expect(await timeOf()).toBe(startedAt);
  });

  it('a tick and a ring put the line there', async () => {
    const { area, page, rings } = await openHome(2);
    await area.getByRole('button', { name: '30m' }).last().click();
    await area.getByText(/^at least 4 retries to 2 endpoints, until .* \(\+30 min\)$/).waitFor();
    await rings.first().click();
    await expect.poll(() => lineTextOf(page)).toMatch(/^4 retries to 2 endpoints, until .* \(\+5 min\)$/);
    // The line stays where it is when another page opens.
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('list', { name: 'Requests' }).waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await expect.poll(() => lineTextOf(page)).toMatch(/^4 retries to 2 endpoints, until .* \(\+5 min\)$/);
    // A screen reader sends only a click.
    await area.getByRole('button', { name: '2h', exact: true }).last().dispatchEvent('click');
    await expect.poll(() => lineTextOf(page)).toMatch(/\(\+2 h\)$/);
    const register = area.getByRole('button', { name: 'Register endpoint' });
    await register.focus();
    await register.dispatchEvent('pointerup');
    await expectFocused(register);
  });

  it('the arrow keys step from due attempt to due attempt, and the value is read as text', async () => {
    const { page, slider, advance, timeOf, startedAt, emulator } = await openHome(1);
    await emulator.control.addFault({
      on: 'delivery',
      kind: 'delay',
      type: 'order.late',
      delay_ms: 7_200_000,
    });
    await trigger(emulator, 1, 'order.late');
    await expect.poll(() => partsOf(page).rings.count()).toBe(4);
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => lineTextOf(page)).toMatch(/^2 retries to 2 endpoints, until .* \(\+5 min\)$/);
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => lineTextOf(page))
      .toMatch(/^at least 4 attempts to 2 endpoints, until .* \(\+2 h\)$/);
    await page.keyboard.press('ArrowRight');
    expect(await lineTextOf(page)).toMatch(/\(\+2 h\)$/);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => lineTextOf(page)).toMatch(/\(\+5 min\)$/);
    await page.keyboard.press('PageUp');
    await expect.poll(() => lineTextOf(page)).toMatch(/\(\+30 min\)$/);
    await page.keyboard.press('Home');
    await expect.poll(() => lineTextOf(page)).toMatch(/^now, /);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    expect(await timeOf()).toBe(startedAt);
    await advance.focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^\d attempts: /).waitFor();
    expect((await timeOf()) - startedAt).toBeCloseTo(120 * MINUTE_MS, -4);
  });

  it('a cluster and the retries of the line open as many deliveries as their numbers say', async () => {
    const { page, area, dots, rings } = await openHome(3);
    expect(await dots.first().textContent()).toContain('3');
    await rings.first().click();
    await area.getByRole('link', { name: '6 retries' }).click();
    await expect.poll(() => rowsOf(page).count()).toBe(6);
    await page.goBack();
    await dots.first().click();
    await expect.poll(() => page.url()).toContain('scheduled=');
    await expect.poll(() => rowsOf(page).count()).toBe(3);
  });

  it('the timelines have no accessibility violations in light and dark mode, wide and narrow, and are in view', async () => {
    const { page, area, slider } = await openHome(2);
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await expectAccessibleAt(page, [360, 1280]);
    await page.setViewportSize({ width: 360, height: 800 });
    for (const mark of [slider, ...(await area.locator('.timeline :is(a, g)').all())]) {
      const { x = -1, width = 0 } = (await mark.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(360);
    }
  });

  it('a delivery has a timeline with the same line, which counts the retries of all deliveries', async () => {
    const { control, emulator, page: home } = await openHome(2);
    await home.close();
    const [delivery] = (await control.listDeliveries({})).data;
    const page = await openDashboard(emulator, { hash: `/deliveries/${delivery?.id}` });
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.locator('.timeline g').first().waitFor();
    let loadCount = 0;
    page.on('request', (request) => {
      if (request.url().includes('/_svc/schedule')) loadCount++;
    });
    await page.waitForRequest(/_svc\/clock/);
    await page.waitForRequest(/_svc\/clock/);
    expect(loadCount).toBe(0);
    await timeline.locator('.timeline g').first().click();
    await expect.poll(() => lineTextOf(page)).toMatch(/^(at least )?[1-4] retr.* until .* \(\+5 min\)$/);
    await expect.poll(() => loadCount).toBeGreaterThan(0);
    await timeline.getByRole('button', { name: '30m' }).last().click();
    await timeline.getByText(/^at least 4 retries to 2 endpoints, until .* \(\+30 min\)$/).waitFor();
  });

  it('an endpoint has a timeline with the same line', async () => {
    const { page, area, timeOf, startedAt } = await openHome(2);
    await area.getByRole('row').nth(1).getByRole('link').first().click();
    const timeline = page.getByRole('region', { name: 'Attempts' });
    await timeline.locator('.timeline g').click();
    await timeline.getByText(/^4 retries to 2 endpoints, until /).waitFor();
    await timeline.getByRole('button', { name: 'Advance 5 min' }).click();
    await page.getByText('4 attempts: 4 failed.').waitFor();
    expect((await timeOf()) - startedAt).toBeCloseTo(5 * MINUTE_MS, -4);
  });
});
