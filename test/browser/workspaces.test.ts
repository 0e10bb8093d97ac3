/** The workspace of a page: in its address, and with its own clock. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, openDashboard } from '../support/browser.ts';
import type { TestEmulator } from '../support/test-emulator.ts';
import { typesOf } from './delivery-list.ts';
import { startEmulator, startReceiver } from './open-emulator.ts';

const DAY_MS = 86_400_000;
const selectOf = (page: Page) => page.getByLabel('Workspace');

async function startTwoWorkspaces() {
  const emulator = await startEmulator();
  return { emulator, ...(await createSecond(emulator)) };
}

/** Creates a second workspace, whose clock is ten days ahead, with one delivery that failed once. */
async function createSecond(emulator: TestEmulator) {
  const receiver = await startReceiver(503);
  const second = await emulator.control.createWorkspace({ name: 'Second' });
  const workspace = { workspace_id: second.id };
  await emulator.control.advanceClock({ ...workspace, ms: 10 * DAY_MS });
  await emulator.control.createWebhook({ ...workspace, url: `${receiver.url}/hooks` });
  const { key } = await emulator.control.createKey({ ...workspace, scopes: ['events:write'] });
  await emulator.api('POST', '/events', { type: 'made.second' }, { authorization: `Bearer ${key}` });
  await receiver.waitFor(1);
  await emulator.control.advanceClock({ ...workspace, ms: 0 });
  const [delivery] = (await emulator.control.listDeliveries(workspace)).data;
  if (delivery === undefined) throw new Error('The event was not delivered.');
  return { second, workspace, delivery };
}

describeInBrowser('the workspace of a page', () => {
  it('a workspace can be selected when there are two, and is in the address, which a reload, Back and a new tab follow', async () => {
    const emulator = await startEmulator();
    const page = await openDashboard(emulator, { hash: '/events' });
    await page.getByText('sandbox').waitFor();
    expect(await selectOf(page).count()).toBe(0);
    const { second } = await createSecond(emulator);
    await selectOf(page).selectOption('Second');
    await expect.poll(() => page.url()).toContain(`?ws=${second.id}#/events`);
    await page.reload();
    await expect.poll(() => selectOf(page).inputValue()).toBe(second.id);
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await expect.poll(() => typesOf(page)).toEqual(['made.second']);
    const tab = await openDashboard(emulator, { besides: page });
    await tab.goto(page.url());
    await expect.poll(() => selectOf(tab).inputValue()).toBe(second.id);
    await page.goBack();
    await page.goBack();
    await expect.poll(() => selectOf(page).inputValue()).toBe(emulator.status().workspace_id);
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  it('a page requests no data before it knows its workspace', async () => {
    const { emulator, second } = await startTwoWorkspaces();
    const page = await openDashboard(emulator);
    const { origin } = new URL(page.url());
    const requested: URL[] = [];
    page.on('request', (request) => requested.push(new URL(request.url())));
    for (const section of ['home', 'deliveries', 'events'] as const) {
      await page.goto('about:blank');
      requested.length = 0;
      await page.goto(`${origin}/?ws=${second.id}#/${section}`);
      const paths = { home: 'overview', deliveries: 'deliveries', events: 'events' };
      const listPath = `/_svc/${paths[section]}`;
      await expect.poll(() => requested.some(({ pathname }) => pathname === listPath)).toBe(true);
      const others = requested.filter(
        ({ pathname, searchParams }) =>
          /^\/_svc\/(?:clock|deliveries|overview|schedule|events|webhooks)/.test(pathname) &&
          searchParams.get('workspace_id') !== second.id,
      );
      expect(others.map(String)).toEqual([]);
    }
  });

  it('the page says that the workspace of a link does not exist and links the default one', async () => {
    const page = await openDashboard(await startEmulator());
    await page.goto(page.url().replace('/#', '/?ws=ws_gone#'));
    await page.getByRole('alert').getByText('Workspace ws_gone does not exist').waitFor();
    await page.getByRole('button', { name: 'Open the default workspace' }).click();
    await page.getByText('No deliveries yet').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  it('a link to a delivery of another workspace selects that workspace', async () => {
    const { emulator, second, delivery } = await startTwoWorkspaces();
    const page = await openDashboard(emulator, { hash: `/deliveries/${delivery.id}` });
    await expect.poll(() => selectOf(page).inputValue()).toBe(second.id);
    await expect.poll(() => page.url()).toContain(`?ws=${second.id}#/deliveries/${delivery.id}`);
    await expect.poll(() => typesOf(page)).toEqual(['made.second']);
    await selectOf(page).selectOption({ index: 0 });
    await expect.poll(() => new URL(page.url()).hash).toBe('#/deliveries');
  });

  it('the delivery page uses the clock of its workspace, and advances it to the next attempt', async () => {
    const { emulator, workspace, delivery } = await startTwoWorkspaces();
    const before = await emulator.control.getClock(workspace);
    const page = await openDashboard(emulator);
    await page.getByText('No deliveries yet').waitFor();
    await page.evaluate(`location.hash = '#/deliveries/${delivery.id}'`);
    const shown = page.getByRole('article', { name: 'Delivery' });
    await shown.getByText('Next attempt in 5m').waitFor();
    await shown.getByText('The clock is frozen').waitFor();
    await shown.getByText(/^sent /).waitFor();
    await shown.locator('[data-state="due"]:not([stroke-dasharray])').click();
    await shown.getByRole('button', { name: 'Advance 5 min' }).click();
    await shown.getByText('Attempt 2 of 2').waitFor();
    const after = await emulator.control.getClock(workspace);
    expect(Date.parse(after.now) - Date.parse(before.now)).toBe(300_000);
  });

  it('the request log shows no due time of another clock', async () => {
    const { emulator, delivery } = await startTwoWorkspaces();
    const page = await openDashboard(emulator, { hash: `/requests?resource_id=${delivery.event_id}` });
    await page.locator('li > a').filter({ hasText: 'POST /v1/events' }).click();
    const shown = page.getByRole('article', { name: 'Request' });
    await shown.getByText('1 attempt', { exact: true }).waitFor();
  });
});
