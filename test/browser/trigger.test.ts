/** The trigger page: sending events through the public API, and their deliveries. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessibleAt } from '../support/accessibility.ts';
import {
  describeInBrowser,
  expectFocused,
  type OpenOptions,
  openDashboard,
  skipToNextPoll,
} from '../support/browser.ts';
import { eventFields } from '../support/event-fields.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startEmulator, startPair } from './open-emulator.ts';

const payload = (page: Page) => page.getByLabel('Payload');
const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click();
const result = (page: Page) => page.getByRole('region', { name: 'Result' });

async function openTrigger(
  emulator: Parameters<typeof openDashboard>[0],
  { query = '', ...openOptions }: OpenOptions & { query?: string } = {},
) {
  const page = await openDashboard(emulator, { hash: `/trigger${query}`, ...openOptions });
  await page.getByLabel('Event type').waitFor();
  return page;
}

describeInBrowser('the trigger page', () => {
  it('the trigger page fills in the fixture of a type, copies the edited form as a command, sends it and shows its delivery', async () => {
    const { emulator, receiver } = await startPair();
    const page = await openTrigger(emulator);
    // An open trigger page without a type has the focus there, so that typing runs no shortcut.
    await expectFocused(page.getByLabel('Event type'));
    await page.keyboard.type('order.shipped');
    await expect.poll(() => page.url()).toContain('?type=order.shipped');
    await expect.poll(() => payload(page).innerText()).toContain('"tracking_number"');
    await payload(page).fill('{"order_id": "ord_1", "amount": 12.50}');
    await page.getByRole('button', { name: 'Copy as svc command' }).click();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toBe(`svc trigger order.shipped --data '{"order_id":"ord_1","amount":12.50}'`);
    await payload(page).press('Control+Enter');
    await result(page).getByText('succeeded').waitFor();
    const { body, envelope } = await receiver.request(1);
    expect(body.toString()).toContain('"payload":{"order_id":"ord_1","amount":12.50}');
    await page.getByRole('link', { name: `${envelope?.data.id}` }).waitFor();
    await result(page)
      .getByRole('link', { name: `${receiver.url}/hooks` })
      .click();
    await expect.poll(() => page.url()).toContain('#/deliveries/del_');
    await page.goBack();
    await expect.poll(() => payload(page).innerText()).toContain('12.50');
  });

  it('the trigger page has a button for each fixture that fills in its type and payload', async () => {
    const { emulator, receiver } = await startPair();
    const page = await openTrigger(emulator);
    const fixtures = page.getByRole('toolbar', { name: 'Fixtures' });
    await fixtures.getByRole('button', { name: 'invoice.paid' }).click();
    await expect.poll(() => payload(page).innerText()).toContain('"invoice_id"');
    await fixtures.getByRole('button', { name: 'invoice.paid', pressed: true }).waitFor();
    // The tooltip of the button promises it for each field.
    await page.getByLabel('Event type').press('Control+Enter');
    expect((await receiver.request(1)).envelope?.type).toBe('invoice.paid');
  });

  it('the trigger page shows an API error at its field and a syntax error in the payload, without accessibility violations', async () => {
    const { emulator } = await startPair();
    const page = await openTrigger(emulator, { query: '?type=Pets', expectedErrors: /422/ });
    await send(page);
    await page.getByText('Must have the form').waitFor();
    await expect.poll(() => page.getByLabel('Event type').getAttribute('aria-invalid')).toBe('true');
    await payload(page).fill('{\n  "a": 1,\n}');
    await page.getByText('Line 3, column 1: Unexpected }.').waitFor();
    await expectAccessibleAt(page, [320, 1920]);
    expect(await page.getByText('Must have the form').isVisible()).toBe(true);
  });

  it('the trigger page says that no endpoint is subscribed, links the page that registers one, and notices the new endpoint', async () => {
    const emulator = await startEmulator();
    const page = await openTrigger(emulator, { query: '?type=order.shipped', hasFakeTimers: true });
    const missing = page.getByText('No enabled endpoint is subscribed to order.shipped');
    await missing.waitFor();
    await send(page);
    await result(page).getByText('was subscribed').waitFor();
    await page.getByRole('link', { name: 'Register an endpoint' }).first().click();
    await expect.poll(() => page.title()).toBe('Home · svc');
    await page.goBack();
    await missing.waitFor();
    await emulator.control.createWebhook({ url: 'http://127.0.0.1:9/hooks' });
    await skipToNextPoll(page);
    await page.getByText('Subscribed endpoints: http://127.0.0.1:9/hooks').waitFor();
  });

  it('the trigger page starts from an existing event with its fields, and its numbers unchanged', async () => {
    const { emulator } = await startPair();
    const fields = JSON.stringify({ type: 'pets.fed', ...eventFields }).slice(1, -1);
    const { json } = await emulator.api('POST', '/events', `{${fields},"payload":{"n":1.50}}`);
    const page = await openTrigger(emulator, { query: `?event=${json.id}` });
    await expect.poll(() => payload(page).innerText()).toBe('{\n  "n": 1.50\n}');
    await expect.poll(() => page.getByLabel('Event type').inputValue()).toBe('pets.fed');
    await send(page);
    await result(page).getByText('succeeded').waitFor();
    for (const event of (await emulator.control.listEvents({})).data)
      expect(event).toMatchObject(eventFields);
  });

  it('the trigger page sends to another workspace with one key of that workspace, and creates another after that key is rejected', async () => {
    const { emulator } = await startPair();
    const { id } = await emulator.control.createWorkspace({ name: 'Second' });
    const page = await openTrigger(emulator, { query: '?type=pets.fed', expectedErrors: /status of 401/ });
    await page.getByLabel('Workspace').selectOption('Second');
    await page.getByText('No enabled endpoint is subscribed to pets.fed').waitFor();
    /** @param count of events in the workspace afterwards */
    const sendEvent = async (count: number) => {
      await send(page);
      await result(page).getByText('was subscribed').waitFor();
      await expect
        .poll(async () => (await emulator.control.listEvents({ workspace_id: id })).data)
        .toHaveLength(count);
    };
    await sendEvent(1);
    await sendEvent(2);
    const { data } = await emulator.control.listKeys({ workspace_id: id });
    expect(data.map(({ scopes }) => scopes)).toEqual([['events:write']]);
    await emulator.control.revokeKey({ id: `${data[0]?.id}` });
    await send(page);
    await page.getByRole('alert').waitFor();
    await sendEvent(3);
  });

  it('the trigger page marks project fixtures and shows the problem of an invalid one', async () => {
    const projectFolder = createTemporaryFolder();
    const folder = join(projectFolder, 'fixtures/events');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'pets.fed.json'), '{"description":"Ours","payload":{"n":"{{sequence}}"}}');
    writeFileSync(join(folder, 'pets.lost.json'), '{"description":7}');
    const { emulator } = await startPair(200, { projectFolder });
    const page = await openTrigger(emulator, { query: '?type=pets.fed' });
    await expect.poll(() => payload(page).innerText()).toContain('"n": 1');
    await page.getByText('Fixture of the project. Ours').waitFor();
    await page.getByLabel('Event type').fill('pets.lost');
    await page.getByText(/description must/).waitFor();
  });
});
