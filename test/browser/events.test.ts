/** The event list and the event page. */
import { expect, it } from 'vitest';
import { describeEventSettings } from '../../src/resources/event.ts';
import { expectAccessible, expectAccessibleAt } from '../support/accessibility.ts';
import { describeInBrowser, openDashboard, setHidden } from '../support/browser.ts';
import { eventFields } from '../support/event-fields.ts';
import type { ReceiverResponses } from '../support/test-receiver.ts';
import { startPair } from './open-emulator.ts';

const fieldTexts = Object.values(describeEventSettings(eventFields));
async function start(responses: ReceiverResponses = 200) {
  const { emulator, receiver } = await startPair(responses, { events: ['order.shipped'] });
  const trigger = async (type = 'order.shipped', payload: unknown = {}): Promise<string> => {
    const response = await emulator.api('POST', '/events', JSON.stringify({ type, payload, ...eventFields }));
    return response.json.id;
  };
  return { emulator, receiver, trigger };
}

describeInBrowser('the event pages', () => {
  it('the empty list of events sends the sample event, which is then the first row', async () => {
    const { emulator, receiver } = await start();
    const page = await openDashboard(emulator, { hash: '/events' });
    const first = page.getByRole('region', { name: 'First event' });
    await first.getByRole('heading', { name: 'No events yet' }).waitFor();
    await first.getByText('svc trigger order.shipped').waitFor();
    await expectAccessibleAt(page, [360, 1280]);
    await first.getByRole('link', { name: 'Edit it first' }).click();
    await expect.poll(() => page.url()).toContain('#/trigger?type=order.shipped');
    await page.goBack();
    await first.getByRole('button', { name: 'Send order.shipped' }).click();
    await page.locator('li > a').getByText('1 succeeded').waitFor();
    expect(await page.getByText('No events yet').count()).toBe(0);
    await receiver.waitFor(1);
    expect((await emulator.control.listEvents({})).data).toMatchObject([{ type: 'order.shipped' }]);
  });

  it('the empty list of events sends an empty payload for a sender without fixtures', async () => {
    const { emulator } = await startPair(200, {
      sender: { scheme: 'svc' },
      projectFolder: import.meta.dirname,
    });
    const page = await openDashboard(emulator, { hash: '/events' });
    await page.getByRole('button', { name: 'Send order.shipped' }).click();
    await page.locator('li > a').getByText('1 succeeded').waitFor();
  });

  it('the event pages filter by type and text in the URL, and show which event has no subscribed endpoint', async () => {
    const { emulator, trigger } = await start();
    await trigger('order.shipped', { customer: 'Louis' });
    await trigger('order.shipped', { customer: 'Grace' });
    await trigger('invoice.paid', { customer: 'Louis' });
    const page = await openDashboard(emulator, { hash: '/events?type=order.shipped', width: 1920 });
    const rows = page.locator('li > a');
    await expect.poll(() => rows.count()).toBe(2);
    // IDs contain no I, L, O or U, so this text does not occur in an ID by chance.
    await page.getByRole('searchbox', { name: 'Search' }).fill('louis');
    await expect.poll(() => page.url()).toMatch(/type=order\.shipped&text=louis$/);
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Remove filter: Type order.shipped' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Type').fill('nothing.here');
    await page.getByLabel('Type').press('Enter');
    const nothing = page.getByText('No events match these filters.');
    await nothing.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows.count()).toBe(3);
    await rows.filter({ hasText: 'invoice.paid' }).getByText('no enabled endpoint subscribed').waitFor();
  });

  it('the event pages show an event with its payload, its deliveries and its request', async () => {
    const { emulator, receiver, trigger } = await start();
    const id = await trigger('order.shipped', { order: 'ord_1' });
    await receiver.waitFor(1);
    const page = await openDashboard(emulator, { hash: '/events' });
    await page.locator('li > a').waitFor();
    for (const text of fieldTexts) await page.locator('li > a').getByText(text).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'order.shipped' }).waitFor();
    await expect.poll(() => page.url()).toContain(id);
    await page.getByText('"order": "ord_1"').waitFor();
    for (const text of fieldTexts) await page.locator('article dd').getByText(text).waitFor();
    await expectAccessible(page);
    await page.getByRole('region', { name: 'Deliveries' }).getByText('succeeded').waitFor();
    await page.getByRole('link', { name: /^req_/ }).click();
    await page.getByRole('heading', { name: 'POST /v1/events' }).waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Deliveries' }).getByRole('link').click();
    await expect.poll(() => page.url()).toContain('#/deliveries/del_');
  });

  it('an event page loads its deliveries again when it is visible', async () => {
    const { emulator, trigger } = await start([503, 200]);
    const id = await trigger();
    const page = await openDashboard(emulator, { hash: `/events/${id}` });
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    await deliveries.getByText('failing').waitFor();
    await setHidden(page, true);
    await emulator.control.settleClock({});
    expect(await deliveries.getByText('failing').count()).toBe(1);
    await setHidden(page, false);
    await deliveries.getByText('succeeded').waitFor();
    const [delivery] = (await emulator.control.listDeliveries({})).data;
    await emulator.control.replayDelivery({ id: delivery?.id ?? '', new_id: true });
    await deliveries.getByText('replay').waitFor();
  });
});
