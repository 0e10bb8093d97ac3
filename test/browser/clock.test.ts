/** The clock: its time, the buttons that move it, and the results of a move. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible, expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, type OpenOptions, openDashboard } from '../support/browser.ts';
import type { ReceiverResponses } from '../support/test-receiver.ts';
import { startPair } from './open-emulator.ts';

async function startFailing(responses: ReceiverResponses, openOptions: OpenOptions = {}) {
  const pair = await startPair(responses);
  await pair.emulator.api('POST', '/events', { type: 'order.shipped' });
  await expect.poll(async () => (await pair.emulator.control.countDeliveries({})).failing).toBe(1);
  const page = await openDashboard(pair.emulator, openOptions);
  const { clock, status } = partsOf(page);
  await clock.getByText('frozen').waitFor();
  return { ...pair, page, clock, status };
}

const partsOf = (page: Page) => ({
  clock: page.getByRole('toolbar', { name: 'Clock' }),
  status: page.locator('#app > [aria-live]'),
});

const openMenu = (page: Page) => partsOf(page).clock.getByRole('button', { name: 'Advance…' }).click();
const menuOf = (page: Page) => page.getByRole('dialog', { name: 'Advance the clock' });

/** A response that waits, and the function that sends it. */
function createHeldResponse(status: number) {
  let respond = () => {};
  const after = new Promise<void>((resolve) => {
    respond = resolve;
  });
  return { held: { status, after }, respond: () => respond() };
}

describeInBrowser('the clock', () => {
  it('the clock shows schedule time, its distance from real time, and its speed', async () => {
    const { emulator } = await startPair(200);
    const page = await openDashboard(emulator);
    const { clock } = partsOf(page);
    await clock.getByText('frozen').waitFor();
    await emulator.control.advanceClock({ ms: 100 * 86_400_000 });
    await clock.getByText(/^(100d|99d 23h) ahead of real time$/).waitFor();
    await clock.getByText(/^\+(100d|99d 23h)$/).waitFor();
    await openMenu(page);
    await page.getByLabel('Speed').selectOption('1 hour per second');
    await expect.poll(() => emulator.control.getClock({})).toMatchObject({ speed: 3600 });
    await page.keyboard.press('Escape');
    await clock.getByText(/^\+100d [1-9]\d*h$/).waitFor();
    await clock.getByRole('button', { name: 'Freeze' }).click();
    await clock.getByText('frozen').waitFor();
    await expect.poll(() => emulator.control.getClock({})).toMatchObject({ speed: 0 });
    await clock.getByRole('button', { name: 'Resume' }).click();
    await clock.getByRole('button', { name: 'Freeze' }).waitFor();
    await expect.poll(() => emulator.control.getClock({})).toMatchObject({ speed: 3600 });
  });

  it('the clock advances by an entered duration, and shows the result, or the error until the user goes to another page', async () => {
    const { emulator, page, status } = await startFailing(503, { expectedErrors: /422/ });
    const before = await emulator.control.getClock({});
    await openMenu(page);
    const field = menuOf(page).getByLabel('Advance by');
    await expectFocused(field);
    await page.keyboard.type('soon');
    await page.keyboard.press('Enter');
    await menuOf(page).getByText('Enter a duration such as').waitFor();
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await expectAccessibleAt(page, [320, 1280]);
    await field.fill('99999d');
    await field.press('Enter');
    const error = page.getByText(/ms must be/);
    await error.waitFor();
    await page.getByRole('link', { name: 'Requests' }).click();
    await error.waitFor({ state: 'detached' });
    await openMenu(page);
    await field.fill('35m');
    await field.press('Enter');
    await status.getByText('2 attempts: 2 failed.').waitFor();
    const after = await emulator.control.getClock({});
    expect(Date.parse(after.now) - Date.parse(before.now)).toBe(35 * 60_000);
  });

  it('the clock shows its date, time, zone and offset on narrow screens and at 200 % zoom, in UTC on request', async () => {
    const { emulator } = await startPair(200);
    await emulator.control.advanceClock({ ms: 3 * 3_600_000 });
    const page = await openDashboard(emulator);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Time zone').selectOption('UTC');
    await page.keyboard.press('Escape');
    const { clock } = partsOf(page);
    for (const width of [360, 640, 1280]) {
      await page.setViewportSize({ width, height: 400 });
      await expect.poll(() => clock.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/).isVisible()).toBe(true);
      await expect.poll(() => clock.getByText(/^\+(?:3h|2h 59m)$/).isVisible()).toBe(true);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  });

  it('the clock runs all retries, and says when the next attempt is due', async () => {
    const { page, status } = await startFailing([503, 503, 503, 200]);
    const menu = menuOf(page);
    await openMenu(page);
    await menu.getByText(/Next attempt in 5m/).waitFor();
    await menu.getByRole('button', { name: 'Run all retries' }).click();
    await status.getByText('3 attempts: 1 succeeded, 2 failed.').waitFor();
    await openMenu(page);
    await menu.getByText('No attempts are scheduled').waitFor();
    await menu.getByRole('button', { name: 'Run all retries' }).click();
    await status.getByText('No attempts were due.').waitFor();
  });

  it('the clock cancels a move that waits for a hanging endpoint, and stays where it is', async () => {
    const { held, respond } = createHeldResponse(503);
    const { emulator, receiver, page, clock } = await startFailing([503, held]);
    const before = await emulator.control.getClock({});
    await openMenu(page);
    await menuOf(page).getByLabel('Advance by').fill('24h');
    await page.keyboard.press('Enter');
    const cancel = clock.getByRole('button', { name: 'Cancel' });
    await clock.getByText('frozen').waitFor({ state: 'detached' });
    await receiver.waitFor(2);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Events' }).click();
    await expect.poll(() => page.title()).toBe('(1) Events · svc');
    await cancel.click();
    await clock.getByRole('button', { name: 'Resume' }).waitFor();
    respond();
    // A change waits for the move to end.
    await emulator.control.setClock({});
    const after = await emulator.control.getClock({});
    expect(Date.parse(after.now) - Date.parse(before.now)).toBe(300_000);
  });

  it('times are those of the schedule, and a real time says so if the clocks differ', async () => {
    const { emulator, receiver } = await startPair(200);
    await emulator.api('POST', '/events', { type: 'order.shipped' });
    await receiver.waitFor(1);
    const page = await openDashboard(emulator);
    const row = page.locator('li > a');
    await row.getByText(/^(?:just now|\d+s ago)$/).waitFor();
    await emulator.control.advanceClock({ ms: 2 * 3_600_000 });
    await row.getByText('2h ago', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByText('Real time', { exact: true }).waitFor();
    await row.getByText(/^(?:just now|\d+s ago)$/).click();
    await page.getByText(/^(?:just now|\d+s ago) \(real\)$/).waitFor();
  });
});
