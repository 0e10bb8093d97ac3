/** The clock bar: the time, the controls, and the results of a move. */
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { expectAccessible, expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, expectFocused, type OpenOptions, openDashboard } from '../support/browser.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';
import { createReceiver, type ReceiverResponses } from '../support/test-receiver.ts';

/** An emulator and a receiver that responds with `responses`. */
async function startPair(responses: ReceiverResponses, options: TestEmulatorOptions = {}) {
  const emulator = await startTestEmulator(options);
  onTestFinished(emulator.close);
  const receiver = await createReceiver(responses);
  onTestFinished(receiver.close);
  await emulator.control.createWebhook({ url: `${receiver.url}/hooks` });
  return { emulator, receiver };
}

async function startFailing(responses: ReceiverResponses, openOptions: OpenOptions = {}) {
  const pair = await startPair(responses);
  await pair.emulator.api('POST', '/events', { type: 'order.shipped' });
  await pair.receiver.waitFor(1);
  const page = await openDashboard(pair.emulator, openOptions);
  const bar = page.getByRole('region', { name: 'Clock' });
  await bar.getByText('order.shipped').waitFor({ state: 'attached' });
  return { ...pair, page, bar };
}

const noScroll = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth');

describeInBrowser('the clock bar', () => {
  it('the clock bar shows schedule time, its distance from real time, and its speed', async () => {
    const { emulator } = await startPair(200);
    const page = await openDashboard(emulator);
    const bar = page.getByRole('region', { name: 'Clock' });
    await bar.getByText('frozen').waitFor();
    await emulator.control.advanceClock({ ms: 100 * 86_400_000 });
    await bar.getByText(/^(100d|99d 23h) ahead of real time$/).waitFor();
    await bar.getByRole('button', { name: '×3600' }).click();
    await expect
      .poll(() => bar.getByRole('button', { name: '×3600' }).getAttribute('aria-pressed'))
      .toBe('true');
    await bar.getByText(/^100d [1-9]\d*h ahead of real time$/).waitFor();
    await page.keyboard.press('z');
    await bar.getByText('frozen').waitFor();
    await expect.poll(() => emulator.control.getClock({})).toMatchObject({ speed: 0 });
    await bar.getByRole('button', { name: 'Resume' }).click();
    await bar.getByRole('button', { name: 'Freeze' }).waitFor();
    await expect.poll(() => emulator.control.getClock({})).toMatchObject({ speed: 3600 });
  });

  it('the clock bar keeps its height when a delivery becomes due', async () => {
    const { emulator } = await startPair(503);
    await emulator.control.setClock({ frozen: false });
    const page = await openDashboard(emulator);
    const bar = page.getByRole('region', { name: 'Clock' });
    await bar.getByText('No attempts are scheduled').waitFor();
    const heightOf = async () => (await bar.boundingBox())?.height;
    const before = await heightOf();
    await emulator.api('POST', '/events', { type: 'order.shipped' });
    await bar.getByText('order.shipped').waitFor();
    expect(await heightOf()).toBe(before);
    expect(before).toBeLessThan(60);
  });

  it('the clock bar lists the next due deliveries in schedule time and in real time, with links', async () => {
    const { emulator, receiver, page, bar } = await startFailing(503);
    const next = bar.getByRole('button', { name: /^Next order\.shipped/ });
    await expect.poll(() => next.textContent()).toMatch(/→ 127\.0\.0\.1:\d+\/hooks.*in 5m$/);
    await emulator.api('POST', '/events', { type: 'invoice.paid' });
    await receiver.waitFor(2);
    await next.click();
    const list = bar.getByRole('region', { name: 'Due next' });
    await list.getByText('invoice.paid').waitFor();
    await expect
      .poll(() => list.getByRole('listitem').allTextContents())
      .toEqual([
        expect.stringMatching(/order\.shipped.*in 5m.*when the clock resumes/),
        expect.stringMatching(/invoice\.paid.*in 5m.*when the clock resumes/),
      ]);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await bar.getByRole('button', { name: '×10', exact: true }).click();
    await next.click();
    await list
      .getByText(/^in [12]\ds of real time$/)
      .first()
      .waitFor();
    await list.getByRole('link', { name: 'invoice.paid' }).click();
    await expect.poll(() => page.url()).toContain('#/deliveries/del_');
    await list.waitFor({ state: 'detached' });
  });

  it('the clock bar advances by a preset duration and lists the attempts that this caused', async () => {
    const { emulator, page, bar } = await startFailing(503);
    const before = await emulator.control.getClock({});
    await bar.getByRole('button', { name: '+5m' }).click();
    await bar.getByRole('button', { name: '1 attempt: 1 failed' }).click();
    const after = await emulator.control.getClock({});
    expect(Date.parse(after.now) - Date.parse(before.now)).toBe(300_000);
    await page.getByRole('region', { name: 'Clock move result' }).getByRole('link').click();
    await expect.poll(() => page.url()).toMatch(/#\/deliveries\/del_\w+\?attempt=2$/);
    await bar.getByRole('button', { name: 'Dismiss result' }).click();
    await bar.getByText('1 attempt').waitFor({ state: 'detached' });
  });

  it('the clock bar advances by an entered duration and rejects text that is not one', async () => {
    const { emulator, page, bar } = await startFailing(503);
    const before = await emulator.control.getClock({});
    const field = bar.getByLabel('Advance by');
    await page.keyboard.press('a');
    await expectFocused(field);
    await page.keyboard.type('soon');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a duration such as').waitFor();
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('1h30m');
    await field.press('Enter');
    await bar.getByRole('button', { name: '2 attempts: 2 failed' }).waitFor();
    const after = await emulator.control.getClock({});
    expect(Date.parse(after.now) - Date.parse(before.now)).toBe(5_400_000);
  });

  it('the clock bar moves to the next attempt with n and settles with S', async () => {
    const { page, bar } = await startFailing([503, 503, 503, 200]);
    await page.keyboard.press('n');
    await bar.getByRole('button', { name: '1 attempt: 1 failed' }).waitFor();
    await bar.getByText('in 30m').waitFor();
    await page.keyboard.press('S');
    await bar.getByRole('button', { name: '2 attempts: 1 succeeded, 1 failed' }).waitFor();
    await bar.getByText('No attempts are scheduled').waitFor();
    await bar.getByRole('button', { name: 'Next', exact: true }).click();
    await bar.getByText('No attempts were due').waitFor();
  });

  it('the clock bar shows a move in progress while the rest of the page stays usable', async () => {
    let respond = () => {};
    const after = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const { page, bar } = await startFailing([503, { status: 200, after }]);
    await bar.getByRole('button', { name: 'Settle' }).click();
    await bar.getByText('Settling…').waitFor();
    await expect.poll(() => bar.getByRole('button', { name: '+5m' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await expect.poll(() => page.title()).toBe('(1) Endpoints · svc');
    respond();
    await bar.getByRole('button', { name: '1 attempt: 1 succeeded' }).waitFor();
    await expect.poll(() => bar.getByRole('button', { name: '+5m' }).isDisabled()).toBe(false);
  });

  it('the clock bar cancels a move that waits for a hanging endpoint, and the clock stays where it is', async () => {
    let respond = () => {};
    const after = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const { emulator, receiver, page, bar } = await startFailing([503, { status: 503, after }]);
    const before = await emulator.control.getClock({});
    await bar.getByRole('button', { name: '+24h' }).click();
    await bar.getByText('Advancing by 24h… Waiting for responses.').waitFor();
    await receiver.waitFor(2);
    await expectAccessible(page);
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await bar.getByText('Canceled. The clock stops').waitFor();
    await expect.poll(() => bar.getByRole('button', { name: '+5m' }).isDisabled()).toBe(false);
    await expect.poll(async () => (await emulator.control.getClock({})).moving?.canceled).toBe(true);
    respond();
    await expect.poll(async () => (await emulator.control.getClock({})).moving).toBeUndefined();
    const after5m = await emulator.control.getClock({});
    expect(Date.parse(after5m.now) - Date.parse(before.now)).toBe(300_000);
  });

  it.each([1280, 1000, 700])(
    'the clock bar stays in one line %i px wide, during and after a move of the clock',
    async (width) => {
      let respond = () => {};
      const after = new Promise<void>((resolve) => {
        respond = resolve;
      });
      const { emulator, page, bar } = await startFailing([503, { status: 503, after }, 503], { width });
      await emulator.control.setClock({ frozen: false });
      const heightOf = async () => (await bar.boundingBox())?.height;
      const before = await heightOf();
      if (width < 1264) await page.keyboard.press('n');
      else await bar.getByRole('button', { name: '+24h' }).click();
      await bar.getByRole('button', { name: 'Cancel' }).waitFor();
      await expect.poll(heightOf).toBe(before);
      expect(await noScroll(page)).toBe(true);
      respond();
      await bar.getByRole('button', { name: /^\d attempts?: \d failed$/ }).waitFor();
      await expect.poll(heightOf).toBe(before);
      expect(await noScroll(page)).toBe(true);
    },
  );

  it('the clock bar shows the error when the clock cannot move', async () => {
    const { bar, page } = await startFailing(503, { expectedErrors: /422|400|Failed to load/ });
    await bar.getByLabel('Advance by').fill('99999d');
    await bar.getByRole('button', { name: 'Advance' }).click();
    await page.getByText(/ms must be/).waitFor();
  });

  it('the clock bar shows one line on a narrow screen and the controls behind a button', async () => {
    const { page, bar } = await startFailing(503, { width: 360 });
    await expect.poll(async () => (await bar.boundingBox())?.height).toBeLessThan(60);
    await expect.poll(() => bar.getByRole('button', { name: '+5m' }).isVisible()).toBe(false);
    await bar.getByRole('button', { name: 'Controls' }).click();
    await bar.getByRole('button', { name: /^Next order/ }).click();
    await bar.getByRole('region', { name: 'Due next' }).getByRole('link').waitFor();
    await expect.poll(() => noScroll(page)).toBe(true);
    await bar.getByRole('button', { name: '+5m' }).click();
    await bar.getByRole('button', { name: '1 attempt: 1 failed' }).waitFor();
    await expect.poll(() => noScroll(page)).toBe(true);
  });

  it('the clock bar has no accessibility violations in light and dark mode', async () => {
    const { page, bar } = await startFailing(503);
    await bar.getByRole('button', { name: /^Next order/ }).click();
    await bar.getByRole('region', { name: 'Due next' }).waitFor();
    await expectAccessibleAt(page, [1280]);
    await bar.getByRole('button', { name: '+5m' }).click();
    await bar.getByRole('button', { name: '1 attempt: 1 failed' }).click();
    await expectAccessibleAt(page, [1280]);
  });
});
